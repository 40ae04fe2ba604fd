/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Effects that the server defines: fteqw cl_tent.c, CL_ParseCustomTEnt. */
#include "common/quakeworld/decode.h"

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
    qs_rows(d, FTE_TE_RED, FTE_TE_RADIUS);
    qs_scaled_u8(d, QW_CUSTOM_GLOW_TIME, 1 / 16.0);
    for (unsigned color = 0; style & CTE_CHANNELFADE && color < 3; color++)
        qs_scaled_u8(d, QW_CUSTOM_FADE_RED + color, 1 / 64.0);
}

static void read_definition(struct qs_decoder *d)
{
    const uint8_t effect = qs_u8(d, QW_CUSTOM_DEFINED);
    const uint8_t style = qs_u8(d, QW_CUSTOM_STYLE);

    qs_label_text(d, ": defines ", qs_text(d, QW_CUSTOM_NAME), "");
    if (style & CTE_STAINS)
        qs_rows(d, QW_CUSTOM_STAIN_RED, QW_CUSTOM_STAIN_RADIUS);
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
