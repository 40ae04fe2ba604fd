/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Temporary entities: effects of a moment. Source: qwd-format, tables 9 to 11; for the types from
 * 14 on, which FTE takes over from QuakeWorld's mods, Hexen II and DarkPlaces, fteqw protocol.h and
 * cl_tent.c CL_ParseTEnt and CL_ParseCustomTEnt.
 */
#include "common/quakeworld/decode.h"
#include "common/quakeworld/extensions.h"
#include "common/quakeworld/messages.h"

/* --- The shapes that types have --- */

static void read_point(struct qs_decoder *d)
{
    qs_coord3(d, QW_TE_ORIGIN);
}

static void read_line(struct qs_decoder *d)
{
    qs_coord3(d, QW_TE_ORIGIN);
    qs_coord3(d, QW_TE_END);
}

static void read_beam(struct qs_decoder *d)
{
    fte_entity(d, QW_TE_ENTITY);
    read_line(d);
}

static void read_counted_point(struct qs_decoder *d)
{
    qs_u8(d, QW_TE_COUNT);
    read_point(d);
}

static void read_coloured_explosion(struct qs_decoder *d)
{
    read_point(d);
    qs_u8(d, QW_TE_COLOR);
    qs_u8(d, QW_TE_COLOR_COUNT);
}

static void read_tinted_explosion(struct qs_decoder *d)
{
    read_point(d);
    qs_coord3(d, QW_TE_TINT);
}

/* Hexen II's beams. */
static void read_stream(struct qs_decoder *d)
{
    fte_entity(d, QW_TE_ENTITY);
    qs_u8(d, QW_TE_STREAM_FLAGS);
    qs_scaled_u8(d, QW_TE_STREAM_DURATION, 0.05);
    read_line(d);
}

static void read_coloured_stream(struct qs_decoder *d)
{
    fte_entity(d, QW_TE_ENTITY);
    qs_u8(d, QW_TE_STREAM_FLAGS);
    qs_scaled_u8(d, QW_TE_STREAM_DURATION, 0.05);
    qs_u8(d, QW_TE_STREAM_SKIN);
    read_line(d);
}

/* DarkPlaces' from here on. */
static void read_spray(struct qs_decoder *d)
{
    read_point(d);
    qs_i8(d, QW_TE_SPRAY_X);
    qs_i8(d, QW_TE_SPRAY_Y);
    qs_i8(d, QW_TE_SPRAY_Z);
    qs_u8(d, QW_TE_COUNT);
}

static void read_shower(struct qs_decoder *d)
{
    qs_coord3(d, QW_TE_MIN);
    qs_coord3(d, QW_TE_MAX);
    qs_coord(d, QW_TE_SPEED);
    qs_u16(d, QW_TE_COUNT16);
}

static void read_rgb(struct qs_decoder *d)
{
    qs_u8(d, QW_TE_RED);
    qs_u8(d, QW_TE_GREEN);
    qs_u8(d, QW_TE_BLUE);
}

static void read_rgb_explosion(struct qs_decoder *d)
{
    read_point(d);
    read_rgb(d);
}

static void read_weather(struct qs_decoder *d)
{
    qs_coord3(d, QW_TE_MIN);
    qs_coord3(d, QW_TE_MAX);
    qs_coord3(d, QW_TE_VELOCITY);
    qs_u16(d, QW_TE_COUNT16);
    qs_u8(d, QW_TE_COLOR);
}

static void read_cube(struct qs_decoder *d)
{
    read_weather(d);
    qs_u8(d, QW_TE_GRAVITY);
    qs_coord(d, QW_TE_JITTER);
}

static void read_flash(struct qs_decoder *d)
{
    read_point(d);
    qs_u8(d, QW_TE_RADIUS);
    qs_u8(d, QW_TE_LIFETIME);
    read_rgb(d);
}

static void read_jet(struct qs_decoder *d)
{
    read_point(d);
    qs_coord3(d, QW_TE_VELOCITY);
    qs_u8(d, QW_TE_COUNT);
}

static void read_angled_line(struct qs_decoder *d)
{
    read_line(d);
    qs_coord3(d, QW_TE_ANGLES);
}

/* --- Types --- */

/* clang-format off */
static const struct shape {
    void (*read)(struct qs_decoder *d);
    bool extension; /* only servers that agreed on extensions send it */
} shapes[] = {
#define TE(id, number, name, read) [TE_##id] = {read, false},
#define TE_EXT(id, number, name, read) [TE_##id] = {read, true},
#include "common/quakeworld/messages.def"
};
/* clang-format on */

static const struct shape *find_shape(const struct qs_decoder *d, uint8_t type)
{
    const struct qw_session *session = qw_session(d);
    const bool extended = session->ext.fte || session->ext.fte2;

    if (type >= G_N_ELEMENTS(shapes) || !shapes[type].read)
        return NULL;
    return extended || !shapes[type].extension ? &shapes[type] : NULL;
}

/* Of what happens to players that are not watched ezQuake takes any type that it does not know for
 * one with a place alone: cl_tent.c CL_ParseTEnt. */
static bool is_cut_short(const struct qs_decoder *d, const struct shape *shape)
{
    return qw_session(d)->mvd && shape->extension && !qw_only_fte_reads(&qw_session(d)->ext);
}

void qw_read_temp_entity(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const uint8_t type = qs_u8(d, QW_TE_TYPE);
    const struct shape *shape = find_shape(d, type);
    const char *name = shape ? qs_name_of(qw_temp_entity_names, type) : NULL;

    qs_label(d, ": %s", name ? name : "unknown type");
    if (shape) {
        d->ambiguous |= is_cut_short(d, shape);
        shape->read(d);
    } else {
        qs_note(d, QS_NOTE_UNKNOWN_MESSAGE, at, 1, "Unknown temporary entity %u", type);
        d->stop = true;
    }
}

static bool is_known(const struct qs_decoder *d, uint8_t type)
{
    return find_shape(d, type);
}

void qw_read_temp_entity_sized(struct qs_decoder *d)
{
    fte_read_temp_entity_sized(d, 0, is_known, qw_read_temp_entity);
}

/* --- Effects that the server defines --- */

/* The styles of all effects, by number. */
enum { STYLE_UNKNOWN = 0x100, STYLES = 255 };

static uint16_t style_of(const struct qw_session *session, uint8_t effect)
{
    const uint16_t *styles =
        session->effect_styles ? g_bytes_get_data(session->effect_styles, NULL) : NULL;

    return styles && effect < STYLES ? styles[effect] : STYLE_UNKNOWN;
}

/* Copies of a session share the array: a change makes a new one. */
static void store_style(struct qw_session *session, uint8_t effect, uint8_t style)
{
    uint16_t styles[STYLES];

    if (effect >= STYLES || style_of(session, effect) == style)
        return;
    for (unsigned i = 0; i < STYLES; i++)
        styles[i] = style_of(session, (uint8_t)i);
    styles[effect] = style;
    g_clear_pointer(&session->effect_styles, g_bytes_unref);
    session->effect_styles = g_bytes_new(styles, sizeof styles);
}

static void read_glow(struct qs_decoder *d, uint8_t style)
{
    read_rgb(d);
    qs_u8(d, QW_TE_RADIUS);
    qs_scaled_u8(d, QW_CUSTOM_GLOW_TIME, 1 / 16.0);
    if (style & CTE_CHANNELFADE) {
        qs_scaled_u8(d, QW_CUSTOM_FADE_RED, 1 / 64.0);
        qs_scaled_u8(d, QW_CUSTOM_FADE_GREEN, 1 / 64.0);
        qs_scaled_u8(d, QW_CUSTOM_FADE_BLUE, 1 / 64.0);
    }
}

static void read_definition(struct qs_decoder *d)
{
    const uint8_t effect = qs_u8(d, QW_CUSTOM_DEFINED);
    const uint8_t style = qs_u8(d, QW_CUSTOM_STYLE);

    qs_label_text(d, ": defines ", qs_text(d, QW_CUSTOM_NAME), "");
    if (style & CTE_STAINS) {
        qs_i8(d, QW_CUSTOM_STAIN_RED);
        qs_i8(d, QW_CUSTOM_STAIN_GREEN);
        qs_i8(d, QW_CUSTOM_STAIN_BLUE);
        qs_u8(d, QW_CUSTOM_STAIN_RADIUS);
    }
    if (style & CTE_GLOWS)
        read_glow(d, style);
    if (!d->in.overrun)
        store_style(qw_session(d), effect, style);
}

static void read_instance(struct qs_decoder *d, uint16_t style)
{
    if ((style & CTE_PERSISTENT) && (qs_u16(d, QW_CUSTOM_ID) & CTE_ID_REMOVE))
        return;
    read_point(d);
    if (style & CTE_ISBEAM)
        qs_coord3(d, QW_TE_END);
    if (style & CTE_CUSTOMCOUNT)
        qs_u8(d, QW_TE_COUNT);
    if (style & CTE_CUSTOMVELOCITY)
        qs_coord3(d, QW_TE_VELOCITY);
    else if (style & CTE_CUSTOMDIRECTION)
        qs_u8(d, QW_CUSTOM_DIRECTION);
}

void qw_read_customtempent(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const uint8_t effect = qs_u8(d, QW_CUSTOM_EFFECT);
    const uint16_t style = style_of(qw_session(d), effect);

    if (effect == CTE_DEFINITION) {
        read_definition(d);
    } else if (style != STYLE_UNKNOWN) {
        read_instance(d, style);
    } else if (!d->in.overrun) {
        qs_note(d, QS_NOTE_PROTOCOL_UNDECODED, at, 1,
                "svcfte_customtempent not decoded: the capture lacks the definition of effect %u",
                effect);
        d->stop = true;
    }
}
