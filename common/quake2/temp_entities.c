/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Temporary entities. Source: dm2-format, section 3.4, where the facts (sections 8 and 13) do not
 * say otherwise: TE_ELECTRIC_SPARKS is an impact, and TE_FORCEWALL ends with one byte.
 */
#include "common/quake2/messages.h"
#include "common/quake2/names.h"
#include "common/quake2/normals.h"
#include "common/quake2/fields.h"

enum {
    TE_PLASMATRAIL = 26,  /* up to protocol 31; TE_GREENBLOOD later */
    TE_GREENBLOOD31 = 27, /* up to protocol 31; TE_BLUEHYPERBLASTER later */
    TE_STEAM = 40,
    TE_TYPES = 64,
    TE_DAMAGE_DEALT = 128,
    SWAPPED_LAST = 31 /* the last protocol in which 26 and 27 had their first meaning */
};

/*
 * The parts of each type in wire order:
 *   o origin, e end, f offset (positions); d direction; n count; c colour; s entity, t destination
 *   entity, i effect number, m magnitude, g damage (shorts); k splash
 * Types without parts are not known to any client.
 */
static const char *const layouts[TE_TYPES] = {
    [0] = "od",    [1] = "od",    [2] = "od",    [3] = "oe",      [4] = "od",    [5] = "o",
    [6] = "o",     [7] = "o",     [8] = "o",     [9] = "od",      [10] = "nodk", [11] = "oe",
    [12] = "od",   [13] = "od",   [14] = "od",   [15] = "nodc",   [16] = "soe",  [17] = "o",
    [18] = "o",    [19] = "soe",  [20] = "o",    [21] = "o",      [22] = "o",    [23] = "oe",
    [24] = "soef", [25] = "nodc", [26] = "od",   [27] = "oe",     [28] = "o",    [29] = "nodc",
    [30] = "od",   [31] = "oe",   [33] = "tseo", [34] = "oe",     [35] = "o",    [36] = "os",
    [37] = "oec",  [38] = "soe",  [39] = "soe",  [40] = "inodcm", [41] = "oe",   [42] = "od",
    [43] = "od",   [44] = "od",   [45] = "o",    [46] = "od",     [47] = "o",    [48] = "o",
    [49] = "o",    [50] = "io",   [51] = "o",    [52] = "o",      [53] = "o",    [54] = "o",
    [55] = "od",   [56] = "od",   [57] = "oe",   [58] = "od",     [59] = "soe",  [60] = "sn",
    [61] = "soe",  [62] = "o",    [63] = "o",
};

/* 26 and 27 changed their meanings, and with them their layouts. */
static bool has_old_meaning(const struct qs_decoder *d, uint8_t type)
{
    const int32_t version = d->session->version;

    return version && version <= SWAPPED_LAST &&
           (type == TE_PLASMATRAIL || type == TE_GREENBLOOD31);
}

static const char *layout_of(uint8_t type, bool old_meaning)
{
    if (type == TE_DAMAGE_DEALT)
        return "g";
    if (old_meaning)
        return type == TE_PLASMATRAIL ? "oe" : "od";
    return type < TE_TYPES ? layouts[type] : NULL;
}

static void read_direction(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const uint8_t index = qs_u8(d, Q2_TE_DIRECTION);

    if (d->in.overrun)
        return;
    if (index >= Q2_NORMALS) {
        qs_note(d, QS_NOTE_MALFORMED, at, 1, "Direction %u; there are %d", index, Q2_NORMALS);
        return;
    }
    qs_open_at(d, Q2_TE_DIRECTION_VECTOR, at);
    for (unsigned i = 0; i < 3; i++)
        qs_emit_generated_double(d, Q2_TE_DIRECTION_VECTOR + 1 + i, at, 1,
                                 (double)q2_normals[index][i]);
    qs_close(d);
}

/* Returns the part's value where it is a short, else 0. */
static int16_t read_part(struct qs_decoder *d, char part)
{
    int32_t position[3];

    switch (part) {
    case 'o':
        q2_read_position(d, Q2_TE_ORIGIN, position);
        break;
    case 'e':
        q2_read_position(d, Q2_TE_END, position);
        break;
    case 'f':
        q2_read_position(d, Q2_TE_OFFSET, position);
        break;
    case 'd':
        read_direction(d);
        break;
    case 'n':
        qs_u8(d, Q2_TE_COUNT);
        break;
    case 'c':
        qs_u8(d, Q2_TE_COLOR);
        break;
    case 'k':
        qs_u8(d, Q2_TE_SPLASH);
        break;
    case 's':
        return qs_i16(d, Q2_TE_ENTITY);
    case 't':
        return qs_i16(d, Q2_TE_DESTINATION_ENTITY);
    case 'i':
        return qs_i16(d, Q2_TE_ID);
    case 'm':
        return qs_i16(d, Q2_TE_MAGNITUDE);
    case 'g':
        return qs_i16(d, Q2_TE_DAMAGE);
    }
    return 0;
}

static void read_parts(struct qs_decoder *d, uint8_t type, const char *layout)
{
    const int16_t first = read_part(d, layout[0]);

    for (const char *part = layout + 1; *part; part++)
        read_part(d, *part);
    /* A steam that lasts is numbered, and says how long. */
    if (type == TE_STEAM && first != -1)
        qs_i32(d, Q2_TE_DURATION);
}

void q2_read_temp_entity(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const uint8_t type = qs_reader_u8(&d->in);
    const bool old = has_old_meaning(d, type);
    const char *name = qs_name_of(old ? q2_te31_names : q2_te_names, type);
    const char *layout = layout_of(type, old);

    qs_emit_uint(d, old ? Q2_TE_TYPE31 : Q2_TE_TYPE, at, 1, type);
    if (d->in.overrun)
        return;
    qs_label(d, ": %s", name ? name : "unknown");
    if (layout) {
        read_parts(d, type, layout);
        return;
    }
    qs_note(d, QS_NOTE_UNKNOWN_MESSAGE, at, 1, "Temporary entity %u%s%s: no client can read it",
            type, name ? " " : "", name ? name : "");
    d->stop = true;
}
