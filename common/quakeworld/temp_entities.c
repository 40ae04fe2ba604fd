/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Temporary entities: their types, from 14 on those that FTE takes over from QuakeWorld's mods,
 * Hexen II and DarkPlaces; and effects that the server defines. Source: fteqw cl_tent.c,
 * CL_ParseCustomTEnt.
 */
#include "common/quakeworld/decode.h"

/* clang-format off */
const struct fte_temp_entity qw_temp_entities[QW_TEMP_ENTITIES] = {
#define TE(id, number, name, shape) [number] = {name, FTE_SHAPE_##shape, false},
#define TE_EXT(id, number, name, shape) [number] = {name, FTE_SHAPE_##shape, true},
#include "common/quakeworld/messages.def"
};
/* clang-format on */

/* Of what happens to players that are not watched ezQuake takes any type that it does not know for
 * one with a place alone: cl_tent.c CL_ParseTEnt. */
static void mark_ambiguous(struct qs_decoder *d, const struct fte_temp_entity *entity)
{
    d->ambiguous |= entity && entity->extension && qw_session_of(d)->mvd &&
                    !qw_only_fte_reads(&qw_session_of(d)->ext);
}

void qw_read_temp_entity(struct qs_decoder *d)
{
    mark_ambiguous(d, fte_read_temp_entity(d));
}

void qw_read_temp_entity_sized(struct qs_decoder *d)
{
    mark_ambiguous(d, fte_read_temp_entity_sized(d));
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
    qs_u8(d, FTE_TE_RED);
    qs_u8(d, FTE_TE_GREEN);
    qs_u8(d, FTE_TE_BLUE);
    qs_u8(d, FTE_TE_RADIUS);
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
        store_style(qw_session_of(d), effect, style);
}

static void read_instance(struct qs_decoder *d, uint16_t style)
{
    if ((style & CTE_PERSISTENT) && (qs_u16(d, QW_CUSTOM_ID) & CTE_ID_REMOVE))
        return;
    qs_coord3(d, FTE_TE_ORIGIN);
    if (style & CTE_ISBEAM)
        qs_coord3(d, FTE_TE_END);
    if (style & CTE_CUSTOMCOUNT)
        qs_u8(d, FTE_TE_COUNT);
    if (style & CTE_CUSTOMVELOCITY)
        qs_coord3(d, FTE_TE_VELOCITY);
    else if (style & CTE_CUSTOMDIRECTION)
        qs_u8(d, QW_CUSTOM_DIRECTION);
}

void qw_read_customtempent(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const uint8_t effect = qs_u8(d, QW_CUSTOM_EFFECT);
    const uint16_t style = style_of(qw_session_of(d), effect);

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
