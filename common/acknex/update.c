/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SVC_UPDATE1 to SVC_UPDATE3: the parameters of an entity that have changed. The low six bits of
 * the bytecode select them; they follow in the order of the document's table.
 */
#include "common/acknex/fields.h"
#include "common/acknex/messages.h"
#include "common/acknex/units.h"
#include "common/core/text.h"

static void read_type(struct qs_decoder *d)
{
    struct acknex_session *session = acknex_session_of(d);
    const struct qs_view file = qs_text(d, ACKNEX_TYPE);

    if (!d->in.overrun)
        qs_table_set(&session->files, (uint32_t)session->updated, file);
}

static void read_scale(struct qs_decoder *d)
{
    acknex_vector(d, ACKNEX_SCALE, acknex_quarter);
}

static void read_ambient(struct qs_decoder *d)
{
    acknex_scaled(d, ACKNEX_AMBIENT, 100);
}

static void read_albedo(struct qs_decoder *d)
{
    qs_u8(d, ACKNEX_ALBEDO);
}

static void read_skin(struct qs_decoder *d)
{
    qs_u8(d, ACKNEX_SKIN);
}

static void read_position(struct qs_decoder *d)
{
    acknex_cposition(d, ACKNEX_POSITION);
}

static void read_pan(struct qs_decoder *d)
{
    acknex_angle(d, ACKNEX_PAN);
}

static void read_tilt(struct qs_decoder *d)
{
    acknex_angle(d, ACKNEX_TILT);
}

static void read_roll(struct qs_decoder *d)
{
    acknex_angle(d, ACKNEX_ROLL);
}

static void read_frame(struct qs_decoder *d)
{
    qs_i16(d, ACKNEX_FRAME);
    acknex_scaled(d, ACKNEX_FRAME_FRACTION, 1);
    qs_i16(d, ACKNEX_FRAME_NEXT);
}

static void read_flags(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const uint32_t flags = (uint32_t)qs_reader_u16(&d->in) << 8;

    qs_emit_uint(d, ACKNEX_FLAGS, at, 2, flags);
}

static void read_lightrange(struct qs_decoder *d)
{
    acknex_scaled(d, ACKNEX_LIGHTRANGE, 2000);
}

static void read_color(struct qs_decoder *d)
{
    uint8_t red, green, blue;

    qs_open(d, ACKNEX_COLOR);
    red = qs_u8(d, ACKNEX_COLOR_RED);
    green = qs_u8(d, ACKNEX_COLOR_GREEN);
    blue = qs_u8(d, ACKNEX_COLOR_BLUE);
    qs_label(d, ": (%u %u %u)", red, green, blue);
    qs_close(d);
}

static void read_alpha(struct qs_decoder *d)
{
    acknex_scaled(d, ACKNEX_ALPHA, 100);
}

static void read_uv(struct qs_decoder *d)
{
    double u, v;

    qs_open(d, ACKNEX_UV);
    u = acknex_fixed(d, ACKNEX_UV_U);
    v = acknex_fixed(d, ACKNEX_UV_V);
    qs_label(d, ": (%g %g)", u, v);
    qs_close(d);
}

enum { PARAMETERS_MAX = 6, PARAMETER_BITS = 0x3f };

/* An update: its parameters in wire order, up to the first without a name. */
struct update {
    unsigned row;
    struct parameter {
        uint8_t bit;
        const char *name;
        void (*read)(struct qs_decoder *d);
    } parameters[PARAMETERS_MAX];
};

/* Skin comes last, though its bit does not. */
static const struct update update1 = {
    ACKNEX_UPDATE1,
    {{0x01, "type", read_type},
     {0x02, "scale", read_scale},
     {0x08, "ambient", read_ambient},
     {0x10, "albedo", read_albedo},
     {0x04, "skin", read_skin}},
};

static const struct update update2 = {
    ACKNEX_UPDATE2,
    {{0x01, "position", read_position},
     {0x02, "pan", read_pan},
     {0x04, "tilt", read_tilt},
     {0x08, "roll", read_roll},
     {0x10, "frame", read_frame},
     {0x20, "flags", read_flags}},
};

static const struct update update3 = {
    ACKNEX_UPDATE3,
    {{0x01, "light range", read_lightrange},
     {0x02, "colour", read_color},
     {0x04, "alpha", read_alpha},
     {0x08, "uv", read_uv}},
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

static void name_parameter(struct qs_decoder *d, const char *name, bool first, bool summarise)
{
    const char *before = first ? ": " : ", ";

    qs_label(d, "%s%s", before, name);
    if (summarise)
        qs_summary(d, "%s%s", before, name);
}

static void name_parameters(struct qs_decoder *d, const struct update *update, uint8_t bits,
                            int16_t entity)
{
    const bool summarise = acknex_alone(d);
    bool first = true;

    if (summarise)
        acknex_summarise_entity(d, entity);
    for (unsigned i = 0; i < PARAMETERS_MAX; i++) {
        if (!(bits & update->parameters[i].bit))
            continue;
        name_parameter(d, update->parameters[i].name, first, summarise);
        first = false;
    }
}

/* Where an unknown parameter stands among the others nobody knows, so none of them can be read. */
static void stop_at_unknown(struct qs_decoder *d, uint8_t unknown, uint32_t start)
{
    qs_note(d, QS_NOTE_UNKNOWN_MESSAGE, start, 1, "Unknown update parameters (bits 0x%02x)",
            unknown);
    d->stop = true;
}

void acknex_read_update(struct qs_decoder *d)
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
        stop_at_unknown(d, unknown, start);
        return;
    }
    for (unsigned i = 0; i < PARAMETERS_MAX; i++)
        if (bits & update->parameters[i].bit)
            update->parameters[i].read(d);
    name_parameters(d, update, bits, entity);
}
