/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Temporary entities. Source: dm2-format, section 3.4, corrected by PROTOCOL.md, section 10:
 * TE_ELECTRIC_SPARKS is an impact, and TE_FORCEWALL ends with one byte.
 */
#include "common/quake2/decode.h"

/* clang-format off */
enum { NORMALS = 162 };

/*
 * Unit vectors that a direction byte selects: the magnitudes of their components, and for each
 * vector three indices into them, negative if the component is. Source: dm2-format, section 2.3
 * (ReadDir); the vectors are those in the models of Quake and Quake II.
 */
static const float components[] = {
    0.000000F, 0.147621F, 0.162460F, 0.238856F, 0.262866F, 0.295242F, 0.309017F, 0.425325F,
    0.442863F, 0.500000F, 0.525731F, 0.587785F, 0.681718F, 0.688191F, 0.716567F, 0.809017F,
    0.850651F, 0.864188F, 0.951056F, 0.955423F, 1.000000F,
};

static const int8_t normals[NORMALS][3] = {
    {-10, 0, 16}, {-8, 3, 17}, {-5, 0, 19}, {-6, 9, 15}, {-2, 4, 18}, {0, 0, 20}, {0, 16, 10},
    {-1, 14, 12}, {1, 14, 12}, {0, 10, 16}, {6, 9, 15}, {10, 0, 16}, {5, 0, 19}, {8, 3, 17},
    {2, 4, 18}, {-12, 1, 14}, {-15, 6, 9}, {-11, 7, 13}, {-16, 10, 0}, {-17, 8, 3}, {-14, 12, 1},
    {-13, 11, 7}, {-9, 15, 6}, {-3, 17, 8}, {-7, 13, 11}, {-14, 12, -1}, {-9, 15, -6}, {-10, 16, 0},
    {0, 16, -10}, {-3, 17, -8}, {0, 19, -5}, {-4, 18, -2}, {0, 20, 0}, {0, 19, 5}, {-4, 18, 2},
    {3, 17, 8}, {4, 18, 2}, {9, 15, 6}, {3, 17, -8}, {4, 18, -2}, {9, 15, -6}, {16, 10, 0},
    {14, 12, 1}, {14, 12, -1}, {10, 16, 0}, {7, 13, 11}, {17, 8, 3}, {13, 11, 7}, {15, 6, 9},
    {12, 1, 14}, {11, 7, 13}, {19, 5, 0}, {20, 0, 0}, {18, 2, 4}, {16, -10, 0}, {19, -5, 0},
    {17, -8, 3}, {18, -2, 4}, {15, -6, 9}, {12, -1, 14}, {16, 0, 10}, {17, 8, -3}, {15, 6, -9},
    {18, 2, -4}, {10, 0, -16}, {12, 1, -14}, {12, -1, -14}, {16, 0, -10}, {15, -6, -9},
    {17, -8, -3}, {18, -2, -4}, {1, 14, -12}, {6, 9, -15}, {7, 13, -11}, {8, 3, -17}, {11, 7, -13},
    {13, 11, -7}, {-1, 14, -12}, {-6, 9, -15}, {0, 10, -16}, {-10, 0, -16}, {-8, 3, -17},
    {-5, 0, -19}, {-2, 4, -18}, {0, 0, -20}, {5, 0, -19}, {2, 4, -18}, {-8, -3, -17}, {-6, -9, -15},
    {-2, -4, -18}, {0, -16, -10}, {-1, -14, -12}, {1, -14, -12}, {0, -10, -16}, {6, -9, -15},
    {8, -3, -17}, {2, -4, -18}, {3, -17, -8}, {9, -15, -6}, {7, -13, -11}, {14, -12, -1},
    {13, -11, -7}, {11, -7, -13}, {0, -19, -5}, {0, -20, 0}, {4, -18, -2}, {0, -16, 10},
    {0, -19, 5}, {3, -17, 8}, {4, -18, 2}, {9, -15, 6}, {14, -12, 1}, {10, -16, 0}, {-3, -17, -8},
    {-9, -15, -6}, {-4, -18, -2}, {-16, -10, 0}, {-14, -12, -1}, {-14, -12, 1}, {-10, -16, 0},
    {-9, -15, 6}, {-3, -17, 8}, {-4, -18, 2}, {-17, -8, 3}, {-15, -6, 9}, {-13, -11, 7},
    {-12, -1, 14}, {-8, -3, 17}, {-11, -7, 13}, {-6, -9, 15}, {-1, -14, 12}, {-7, -13, 11},
    {-2, -4, 18}, {8, -3, 17}, {2, -4, 18}, {6, -9, 15}, {1, -14, 12}, {0, -10, 16}, {7, -13, 11},
    {11, -7, 13}, {13, -11, 7}, {-19, 5, 0}, {-18, 2, 4}, {-20, 0, 0}, {-16, 0, 10}, {-19, -5, 0},
    {-18, -2, 4}, {-17, 8, -3}, {-18, 2, -4}, {-15, 6, -9}, {-17, -8, -3}, {-18, -2, -4},
    {-15, -6, -9}, {-12, 1, -14}, {-12, -1, -14}, {-16, 0, -10}, {-13, 11, -7}, {-11, 7, -13},
    {-7, 13, -11}, {-7, -13, -11}, {-11, -7, -13}, {-13, -11, -7},
};
/* clang-format on */

static double component(int number)
{
    return number < 0 ? -(double)components[-number] : (double)components[number];
}

/* Parts of each type; NULL if unused. */
/* clang-format off */
static const char *const layouts[] = {
#define TE(id, number, name, parts) [TE_##id] = parts,
#include "common/quake2/messages.def"
};

static const char *const old_layouts[] = {
#define TE31(id, number, name, parts) [TE31_##id] = parts,
#include "common/quake2/messages.def"
};
/* clang-format on */

/* Returns the parts of the type; NULL if unknown. Some types differ in old protocols. */
static const char *find_layout(const struct qs_decoder *d, uint8_t type, bool *old)
{
    const int32_t version = d->session->version;

    *old = version && version <= Q2_TE31_LAST_PROTOCOL && type < G_N_ELEMENTS(old_layouts) &&
           old_layouts[type];
    if (*old)
        return old_layouts[type];
    return type < G_N_ELEMENTS(layouts) ? layouts[type] : NULL;
}

static void read_direction(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const uint8_t index = qs_u8(d, Q2_TE_DIRECTION);

    if (d->in.overrun)
        return;
    if (index >= NORMALS) {
        qs_note(d, QS_NOTE_MALFORMED, at, 1, "Direction %u; there are %d", index, NORMALS);
        return;
    }
    qs_open_at(d, Q2_TE_DIRECTION_VECTOR, at);
    for (unsigned i = 0; i < 3; i++)
        qs_emit_generated_double(d, Q2_TE_DIRECTION_VECTOR + 1 + i, at, 1,
                                 component(normals[index][i]));
    qs_close(d);
}

/* Row of each part: see messages.def. */
static const unsigned part_rows['t' + 1] = {
    ['o'] = Q2_TE_ORIGIN,    ['e'] = Q2_TE_END,    ['f'] = Q2_TE_OFFSET,
    ['n'] = Q2_TE_COUNT,     ['c'] = Q2_TE_COLOR,  ['k'] = Q2_TE_SPLASH,
    ['s'] = Q2_TE_ENTITY,    ['i'] = Q2_TE_ID,     ['t'] = Q2_TE_DESTINATION_ENTITY,
    ['m'] = Q2_TE_MAGNITUDE, ['g'] = Q2_TE_DAMAGE,
};

/* Reads a part. Returns its value if it is a short, else 0. */
static int16_t read_part(struct qs_decoder *d, char part)
{
    const unsigned row = part_rows[(uint8_t)part];
    int32_t position[3];
    int16_t number = 0;

    if (part == 'd')
        read_direction(d);
    else if (strchr("oef", part))
        q2_read_position(d, row, position);
    else if (strchr("nck", part))
        qs_u8(d, row);
    else
        number = qs_i16(d, row);
    return number;
}

static void read_parts(struct qs_decoder *d, uint8_t type, const char *layout)
{
    const int16_t first = read_part(d, layout[0]);

    for (const char *part = layout + 1; *part; part++)
        read_part(d, *part);
    /* A lasting steam has a number (not -1) and a duration. */
    if (type == TE_STEAM && first != -1)
        qs_i32(d, Q2_TE_DURATION);
}

void q2_read_temp_entity(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const uint8_t type = qs_reader_u8(&d->in);
    bool old;
    const char *layout = find_layout(d, type, &old);
    const struct qs_name *names = old ? q2_te31_names : q2_te_names;
    const char *name;

    qs_emit_uint(d, old ? Q2_TE_TYPE31 : Q2_TE_TYPE, at, 1, type);
    if (d->in.overrun)
        return;
    /* The search is slow, and only labels and errors need the name. */
    name = layout && !qs_label_wanted(d) ? NULL : qs_name_of(names, type);
    qs_label(d, ": %s", name ? name : "unknown");
    if (layout) {
        read_parts(d, type, layout);
        return;
    }
    qs_note(d, QS_NOTE_UNKNOWN_MESSAGE, at, 1, "Temporary entity %u%s%s: no client can read it",
            type, name ? " " : "", name ? name : "");
    d->stop = true;
}
