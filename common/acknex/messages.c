/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages of each end. */
#include "common/acknex/decode.h"
#include "common/core/text.h"

/* Registers the index of the entity that the client has requested under `identifier`. */
static void answer_create(struct acknex_session *session, int16_t entity, int16_t identifier)
{
    const char *file = qs_table_get(&session->requested, (uint16_t)identifier);
    const char *player = qs_table_get(&session->texts, ACKNEX_TEXT_PLAYER);

    if (!file)
        return;
    qs_table_set_name(&session->files, (uint32_t)entity, qs_view_of(file));
    qs_table_set_name(&session->players, (uint32_t)entity, qs_view_of(player));
    qs_table_set_name(&session->requested, (uint16_t)identifier, qs_view_of(NULL));
}

/* The message itself gives the entity its file and player, so they are emitted here as well. */
static void read_svc_create(struct qs_decoder *d)
{
    const int16_t entity = qs_i16(d, ACKNEX_ENTITY);
    const int16_t identifier = qs_i16(d, ACKNEX_IDENTIFIER);

    qs_add_requests(d, QS_ASK_NOTHING, QS_ASK_CREATE);
    qs_request_set_key(d, (uint16_t)identifier);
    if (!d->in.overrun)
        answer_create(acknex_session_of(d), entity, identifier);
    acknex_emit_entity(d, entity, 4);
    acknex_summarize_entity(d, entity);
}

static void read_svc_remove(struct qs_decoder *d)
{
    struct acknex_session *session = acknex_session_of(d);
    const int16_t entity = acknex_read_entity(d);

    qs_add_requests(d, QS_ASK_NOTHING, QS_ASK_REMOVE);
    qs_request_set_key(d, (uint16_t)entity);
    acknex_summarize_entity(d, entity);
    if (d->in.overrun)
        return;
    qs_table_set_name(&session->files, (uint32_t)entity, qs_view_of(NULL));
    qs_table_set_name(&session->players, (uint32_t)entity, qs_view_of(NULL));
}

static void read_svc_entsound(struct qs_decoder *d)
{
    const int16_t entity = acknex_read_entity(d);

    qs_i16(d, ACKNEX_SOUND_INDEX);
    acknex_scaled(d, ACKNEX_SOUND_VOLUME, 2000);
    qs_i32(d, ACKNEX_SOUND_HANDLE);
    if (acknex_alone(d))
        acknex_summarize_entity(d, entity);
}

static void read_svc_effect(struct qs_decoder *d)
{
    const int16_t action = qs_i16(d, ACKNEX_ACTION);

    qs_i16(d, ACKNEX_EFFECT_NUMBER);
    acknex_vector(d, ACKNEX_START, acknex_packed);
    acknex_vector(d, ACKNEX_EFFECT_VELOCITY, acknex_fixed);
    qs_label(d, ": action %d", action);
    if (acknex_alone(d))
        qs_summary(d, " %d", action);
}

static void read_svc_info(struct qs_decoder *d)
{
    const uint8_t version = qs_u8(d, ACKNEX_INFO_VERSION);
    const double time = (double)qs_f32(d, ACKNEX_INFO_TIME);

    qs_label(d, ": protocol %u, time %g", version, time);
    qs_summary(d, " %g", time);
    if (!d->in.overrun)
        d->session->version = version;
}

static void read_svc_local(struct qs_decoder *d)
{
    const int16_t entity = acknex_read_entity(d);
    const int16_t function = qs_i16(d, ACKNEX_FUNCTION);

    qs_summary(d, " %d with", function);
    acknex_summarize_entity(d, entity);
}

/* --- Updates: the parameters of an entity that have changed. The low six bits of the bytecode
 * select them; they follow in the order of the manual's table. --- */

enum { PARAMETERS_MAX = 6, PARAMETER_BITS = 0x3f };

/* Parameters of an update, in wire order; the first one without a name ends them. */
struct update {
    unsigned row;
    struct parameter {
        uint8_t bit;
        const char *name;
        void (*read)(struct qs_decoder *d, const struct parameter *parameter);
        unsigned row;   /* field of the parameter */
        unsigned range; /* maximum of a Scale */
    } parameters[PARAMETERS_MAX];
};

static void read_type(struct qs_decoder *d, const struct parameter *parameter)
{
    struct acknex_session *session = acknex_session_of(d);
    const struct qs_view file = qs_text(d, parameter->row);

    if (!d->in.overrun)
        qs_table_set_name(&session->files, (uint32_t)session->updated, file);
}

static void read_scale(struct qs_decoder *d, const struct parameter *parameter)
{
    acknex_vector(d, parameter->row, acknex_quarter);
}

static void read_scaled(struct qs_decoder *d, const struct parameter *parameter)
{
    acknex_scaled(d, parameter->row, parameter->range);
}

static void read_byte(struct qs_decoder *d, const struct parameter *parameter)
{
    qs_u8(d, parameter->row);
}

static void read_position(struct qs_decoder *d, const struct parameter *parameter)
{
    acknex_cposition(d, parameter->row);
}

static void read_angle(struct qs_decoder *d, const struct parameter *parameter)
{
    acknex_angle(d, parameter->row);
}

static void read_frame(struct qs_decoder *d, const struct parameter *parameter)
{
    qs_i16(d, parameter->row);
    acknex_scaled(d, ACKNEX_FRAME_FRACTION, 1);
    qs_i16(d, ACKNEX_FRAME_NEXT);
}

static void read_flags(struct qs_decoder *d, const struct parameter *parameter)
{
    const uint32_t at = d->in.pos;
    const uint32_t flags = (uint32_t)qs_reader_u16(&d->in) << 8;

    qs_emit_uint(d, parameter->row, at, 2, flags);
}

static void read_color(struct qs_decoder *d, const struct parameter *parameter)
{
    uint8_t red, green, blue;

    qs_open(d, parameter->row);
    red = qs_u8(d, ACKNEX_COLOR_RED);
    green = qs_u8(d, ACKNEX_COLOR_GREEN);
    blue = qs_u8(d, ACKNEX_COLOR_BLUE);
    qs_label(d, ": (%u %u %u)", red, green, blue);
    qs_close(d);
}

static void read_uv(struct qs_decoder *d, const struct parameter *parameter)
{
    double u, v;

    qs_open(d, parameter->row);
    u = acknex_fixed(d, ACKNEX_UV_U);
    v = acknex_fixed(d, ACKNEX_UV_V);
    qs_label(d, ": (%g %g)", u, v);
    qs_close(d);
}

/* Skin comes last, although its bit is the third. */
static const struct update update1 = {
    ACKNEX_UPDATE1,
    {{0x01, "type", read_type, ACKNEX_TYPE, 0},
     {0x02, "scale", read_scale, ACKNEX_SCALE, 0},
     {0x08, "ambient", read_scaled, ACKNEX_AMBIENT, 100},
     {0x10, "albedo", read_byte, ACKNEX_ALBEDO, 0},
     {0x04, "skin", read_byte, ACKNEX_SKIN, 0}},
};

static const struct update update2 = {
    ACKNEX_UPDATE2,
    {{0x01, "position", read_position, ACKNEX_POSITION, 0},
     {0x02, "pan", read_angle, ACKNEX_PAN, 0},
     {0x04, "tilt", read_angle, ACKNEX_TILT, 0},
     {0x08, "roll", read_angle, ACKNEX_ROLL, 0},
     {0x10, "frame", read_frame, ACKNEX_FRAME, 0},
     {0x20, "flags", read_flags, ACKNEX_FLAGS, 0}},
};

static const struct update update3 = {
    ACKNEX_UPDATE3,
    {{0x01, "light range", read_scaled, ACKNEX_LIGHTRANGE, 2000},
     {0x02, "color", read_color, ACKNEX_COLOR, 0},
     {0x04, "alpha", read_scaled, ACKNEX_ALPHA, 100},
     {0x08, "uv", read_uv, ACKNEX_UV, 0}},
};

static const struct update *update_of(uint8_t id)
{
    switch (id & ~PARAMETER_BITS) {
    case SVC_UPDATE1:
        return &update1;
    case SVC_UPDATE2:
        return &update2;
    default:
        return &update3;
    }
}

static uint8_t known_bits(const struct update *update)
{
    uint8_t bits = 0;

    for (unsigned i = 0; i < PARAMETERS_MAX; i++)
        bits |= update->parameters[i].bit;
    return bits;
}

static void name_parameters(struct qs_decoder *d, const struct update *update, uint8_t bits,
                            int16_t entity)
{
    const bool summarize = acknex_alone(d);
    const char *before = ": ";

    if (summarize)
        acknex_summarize_entity(d, entity);
    for (unsigned i = 0; i < PARAMETERS_MAX; i++) {
        if (!(bits & update->parameters[i].bit))
            continue;
        qs_label(d, "%s%s", before, update->parameters[i].name);
        if (summarize)
            qs_summary(d, "%s%s", before, update->parameters[i].name);
        before = ", ";
    }
}

static void read_update(struct qs_decoder *d)
{
    const uint32_t start = d->in.pos - 1;
    const uint8_t id = d->in.data[start];
    const struct update *update = update_of(id);
    const uint8_t bits = id & PARAMETER_BITS;
    const uint8_t unknown = (uint8_t)(bits & ~known_bits(update));
    int16_t entity;

    qs_emit_uint(d, update->row, start, 1, bits);
    entity = qs_i16(d, ACKNEX_ENTITY);
    acknex_session_of(d)->updated = entity;
    acknex_emit_entity(d, entity, 2);
    if (unknown && !d->in.overrun) {
        /* The position of an unknown parameter is unknown, too, so no parameter can be read. */
        qs_note(d, QS_NOTE_UNKNOWN_MESSAGE, start, 1, "Unknown update parameters (bits 0x%02x)",
                unknown);
        d->stop = true;
        return;
    }
    for (unsigned i = 0; i < PARAMETERS_MAX; i++)
        if (bits & update->parameters[i].bit)
            update->parameters[i].read(d, &update->parameters[i]);
    name_parameters(d, update, bits, entity);
}

/* --- Messages by number */

/* clang-format off */
static const struct qs_message_type server_messages[] = {
#define SVC(id, number, name, brief, read, blurb) [number] = {"SVC_" #id, brief, ACKNEX_SVC_##id, read},
#define UPDATE(id, number, name, brief, read, blurb)
#include "common/acknex/messages.def"
};

/* By the high two bits of the bytecode. */
static const struct qs_message_type updates[] = {
#define UPDATE(id, number, name, brief, read, blurb) [number >> 6] = {"SVC_" #id, brief, ACKNEX_SVC_##id, read},
#include "common/acknex/messages.def"
};
/* clang-format on */

const struct qs_message_type *acknex_server_message(uint32_t id)
{
    if (id >= SVC_UPDATE1)
        return &updates[id >> 6];
    return id < G_N_ELEMENTS(server_messages) && server_messages[id].name ? &server_messages[id]
                                                                          : NULL;
}

/* --- Messages of clients --------------------------------------------------------------------- */

static void read_cls_join(struct qs_decoder *d)
{
    const struct qs_view player = qs_text(d, ACKNEX_PLAYER);

    qs_label_text(d, ": \"", player, "\"");
    if (!d->in.overrun)
        acknex_session_join(acknex_session_of(d), player);
}

static void read_cls_create(struct qs_decoder *d)
{
    const struct qs_view file = qs_text(d, ACKNEX_FILE);
    int16_t identifier;

    acknex_vector(d, ACKNEX_START, acknex_packed);
    qs_i16(d, ACKNEX_ACTION);
    identifier = qs_i16(d, ACKNEX_IDENTIFIER);
    qs_add_requests(d, QS_ASK_CREATE, QS_ASK_NOTHING);
    qs_request_set_key(d, (uint16_t)identifier);
    qs_label_text(d, ": ", file, "");
    if (!d->in.overrun)
        qs_table_set_name(&acknex_session_of(d)->requested, (uint16_t)identifier, file);
}

static void read_cls_remove(struct qs_decoder *d)
{
    const int32_t entity = qs_i32(d, ACKNEX_ENTITY);

    qs_add_requests(d, QS_ASK_REMOVE, QS_ASK_NOTHING);
    qs_request_set_key(d, (uint16_t)entity);
    acknex_emit_entity(d, entity, 4);
    acknex_summarize_entity(d, entity);
}

static void read_cls_level(struct qs_decoder *d)
{
    const struct qs_view level = qs_text(d, ACKNEX_LEVEL);

    qs_label_text(d, ": ", level, "");
    if (!d->in.overrun)
        acknex_session_begin_level(acknex_session_of(d), level);
}

/* clang-format off */
static const struct qs_message_type client_messages[] = {
#define CLS(id, number, name, brief, read, blurb) [number] = {"CLS_" #id, brief, ACKNEX_CLS_##id, read},
#include "common/acknex/messages.def"
};
/* clang-format on */

const struct qs_message_type *acknex_client_message(uint32_t id)
{
    return id < G_N_ELEMENTS(client_messages) && client_messages[id].name ? &client_messages[id]
                                                                          : NULL;
}
