/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/acknex/messages.h"

#include "common/acknex/fields.h"
#include "common/acknex/units.h"
#include "common/core/text.h"

/* --- What messages share --- */

void acknex_emit_entity(struct qs_decoder *d, int32_t index, uint32_t length)
{
    const struct acknex_session *session = acknex_session_of(d);
    const uint32_t at = d->in.pos - length;
    const char *file = qs_table_get(&session->files, (uint32_t)index);
    const char *player = qs_table_get(&session->players, (uint32_t)index);

    if (d->in.overrun)
        return;
    qs_emit_generated_text(d, ACKNEX_ENTITY_FILE, at, length, file);
    qs_emit_generated_text(d, ACKNEX_ENTITY_PLAYER, at, length, player);
    qs_label(d, ": entity %d", index);
    if (file)
        qs_label_text(d, " (", qs_view_of(file), ")");
}

void acknex_summarise_entity(struct qs_decoder *d, int32_t index)
{
    const struct acknex_session *session = acknex_session_of(d);
    const char *file = qs_table_get(&session->files, (uint32_t)index);

    qs_summary(d, " entity %d", index);
    if (file)
        qs_summary_text(d, " (", qs_view_of(file), ")");
}

bool acknex_alone(const struct qs_decoder *d)
{
    return !d->messages->len && !qs_reader_left(&d->in) && !d->in.overrun;
}

static int16_t read_entity(struct qs_decoder *d)
{
    const int16_t index = qs_i16(d, ACKNEX_ENTITY);

    acknex_emit_entity(d, index, 2);
    return index;
}

static void read_var(struct qs_decoder *d)
{
    const int16_t index = qs_i16(d, ACKNEX_VAR_INDEX);
    const uint32_t at = d->in.pos;
    const int16_t length = qs_i16(d, ACKNEX_VAR_LENGTH);

    if (length < 0) {
        qs_note(d, QS_NOTE_MALFORMED, at, 2, "Variable of negative length %d", length);
        d->stop = true;
    }
    for (int i = 0; i < length && !d->in.overrun; i++)
        acknex_fixed(d, ACKNEX_VAR_VALUE);
    qs_label(d, length == 1 ? ": variable %d" : ": array %d", index);
    if (acknex_alone(d))
        qs_summary(d, " %d", index);
}

static void read_string(struct qs_decoder *d)
{
    const int16_t index = qs_i16(d, ACKNEX_STRING_INDEX);
    const struct qs_view text = qs_text(d, ACKNEX_STRING_TEXT);

    qs_label(d, ": string %d", index);
    qs_label_text(d, " = \"", text, "\"");
    qs_summary(d, " %d", index);
    qs_summary_text(d, " \"", text, "\"");
}

static void read_skill_head(struct qs_decoder *d)
{
    const int16_t entity = read_entity(d);

    qs_i16(d, ACKNEX_SKILL_OFFSET);
    acknex_summarise_entity(d, entity);
}

static void read_skill(struct qs_decoder *d)
{
    read_skill_head(d);
    acknex_fixed(d, ACKNEX_SKILL);
}

static void read_skill3(struct qs_decoder *d)
{
    read_skill_head(d);
    acknex_vector(d, ACKNEX_SKILL3, acknex_fixed);
}

/* --- From a client --- */

static void read_cls_join(struct qs_decoder *d)
{
    const struct qs_view player = qs_text(d, ACKNEX_PLAYER);

    qs_label_text(d, ": \"", player, "\"");
    qs_summary_text(d, " as \"", player, "\"");
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
    qs_label_text(d, ": ", file, "");
    qs_summary_text(d, " ", file, "");
    if (!d->in.overrun)
        qs_table_set(&acknex_session_of(d)->requested, (uint16_t)identifier, file);
}

static void read_cls_remove(struct qs_decoder *d)
{
    const int32_t entity = qs_i32(d, ACKNEX_ENTITY);

    acknex_emit_entity(d, entity, 4);
    acknex_summarise_entity(d, entity);
}

static void read_cls_ping(struct qs_decoder *d)
{
    (void)d; /* the bytecode is all */
}

static void read_cls_level(struct qs_decoder *d)
{
    const struct qs_view level = qs_text(d, ACKNEX_LEVEL);

    qs_label_text(d, ": ", level, "");
    qs_summary_text(d, " ", level, "");
    if (!d->in.overrun)
        acknex_session_level(acknex_session_of(d), level);
}

/* --- From the server --- */

/* The entity that the client asked for under `identifier` has been given its index. */
static void answer_create(struct acknex_session *session, int16_t entity, int16_t identifier)
{
    const char *file = qs_table_get(&session->requested, (uint16_t)identifier);
    const char *player = qs_table_get(&session->texts, ACKNEX_TEXT_PLAYER);

    if (!file)
        return;
    qs_table_set(&session->files, (uint32_t)entity, qs_view_of(file));
    qs_table_set(&session->players, (uint32_t)entity, qs_view_of(player));
    qs_table_set(&session->requested, (uint16_t)identifier, qs_view_of(NULL));
}

/* What is said of the entity here is what the answer has just made known. */
static void read_svc_create(struct qs_decoder *d)
{
    const int16_t entity = qs_i16(d, ACKNEX_ENTITY);
    const int16_t identifier = qs_i16(d, ACKNEX_IDENTIFIER);

    if (!d->in.overrun)
        answer_create(acknex_session_of(d), entity, identifier);
    acknex_emit_entity(d, entity, 4);
    acknex_summarise_entity(d, entity);
}

static void read_svc_remove(struct qs_decoder *d)
{
    struct acknex_session *session = acknex_session_of(d);
    const int16_t entity = read_entity(d);

    acknex_summarise_entity(d, entity);
    if (d->in.overrun)
        return;
    qs_table_set(&session->files, (uint32_t)entity, qs_view_of(NULL));
    qs_table_set(&session->players, (uint32_t)entity, qs_view_of(NULL));
}

static void read_svc_entsound(struct qs_decoder *d)
{
    const int16_t entity = read_entity(d);

    qs_i16(d, ACKNEX_SOUND_INDEX);
    acknex_scaled(d, ACKNEX_SOUND_VOLUME, 2000);
    qs_i32(d, ACKNEX_SOUND_HANDLE);
    if (acknex_alone(d))
        acknex_summarise_entity(d, entity);
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
    const int16_t entity = read_entity(d);
    const int16_t function = qs_i16(d, ACKNEX_FUNCTION);

    qs_summary(d, " %d with", function);
    acknex_summarise_entity(d, entity);
}

/* --- Tables --- */

/* clang-format off */
static const struct qs_message_type client_messages[] = {
#define CLS(id, number, name, brief, read, blurb) [number] = {"CLS_" #id, brief, ACKNEX_CLS_##id, read},
#include "common/acknex/messages.def"
};

static const struct qs_message_type server_messages[] = {
#define SVC(id, number, name, brief, read, blurb) [number] = {"SVC_" #id, brief, ACKNEX_SVC_##id, read},
#define UPDATE(id, number, name, brief, read, blurb)
#include "common/acknex/messages.def"
};

/* By the two high bits of the bytecode. */
static const struct qs_message_type updates[] = {
#define UPDATE(id, number, name, brief, read, blurb) [number >> 6] = {"SVC_" #id, brief, ACKNEX_SVC_##id, read},
#include "common/acknex/messages.def"
};
/* clang-format on */

static const struct qs_message_type *in_table(const struct qs_message_type *table, size_t count,
                                              uint32_t id)
{
    return id < count && table[id].name ? &table[id] : NULL;
}

static const struct qs_message_type *from_client(uint32_t id)
{
    return in_table(client_messages, G_N_ELEMENTS(client_messages), id);
}

static const struct qs_message_type *from_server(uint32_t id)
{
    if (id >= SVC_UPDATE1)
        return &updates[id >> 6];
    return in_table(server_messages, G_N_ELEMENTS(server_messages), id);
}

static const struct qs_message_type *from_either(uint32_t id)
{
    const struct qs_message_type *client = from_client(id);
    const struct qs_message_type *server = from_server(id);

    if (!client || !server)
        return client ? client : server;
    return client->read == server->read ? server : NULL;
}

const struct qs_message_type *acknex_message(const struct qs_decoder *d, uint32_t id)
{
    switch (d->direction) {
    case QS_C2S:
        return from_client(id);
    case QS_S2C:
        return from_server(id);
    case QS_DIRECTION_UNKNOWN:
        break;
    }
    return from_either(id);
}
