/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DEM. Sources: dem-format; QuakeSpasm cl_parse.c, common.c, cl_demo.c; DarkPlaces cl_parse.c,
 * com_msg.c, cl_demo.c; fteqw cl_parse.c CLNQ_ParseServerMessage.
 */
#include "tests/engine_reader/message.h"

#define FTE_FLOATCOORDS 0x8000u
#define FTE2_REPLACEMENTDELTAS 0x08u
#define FTE2_PREDINFO 0x20u
#define FTE2_LERPTIME 0x400u

enum { PROTOCOL_15 = 15, NEHAHRA = 250, FITZQUAKE = 666, RMQ = 999, BJP = 10000, BJP3 = 10002 };
enum { LISTED = 2047, TEMPORARY = 12 /* the last type of these that no engine stops at */ };
enum { DP1 = 96, DP2 = 97, DP3 = 3500, DP8 = 3505 };

static const char *const needed[] = {"reconnect", "bf", "v_cshift", "play", "playvol", NULL};

/* id common.c, MSG_ReadString; QuakeSpasm common.c; DarkPlaces com_msg.c. */
static const struct engine engines[] = {
    {"DarkPlaces", 65535, FF_KEPT, 0xff,
     CONSOLE_CR | CONSOLE_ESCAPES | CONSOLE_COMMENTS | CONSOLE_MACROS},
    {"QuakeSpasm", 2047, FF_KEPT, 0xff, 0},
    {"WinQuake", 2047, FF_ENDS, 0xff, CONSOLE_HIGH},
    {"FTE", 65535, FF_KEPT, 0xff, CONSOLE_REMARKS | CONSOLE_MACROS | CONSOLE_COMMENTS | CONSOLE_CR},
    {0}};

/* --- What protocol --- */

unsigned darkplaces_version(const struct reading *r)
{
    if (r->version >= DP3 && r->version <= DP8)
        return (unsigned)(r->version - DP3) + 3;
    return r->version == DP1 || r->version == DP2 ? (unsigned)(r->version - DP1) + 1 : 0;
}

bool is_bjp(const struct reading *r)
{
    return r->version >= BJP && r->version <= BJP3;
}

static bool has_fte(const struct reading *r)
{
    return r->fte || r->fte2;
}

static bool has_darkplaces(const struct reading *r)
{
    return r->darkplaces || darkplaces_version(r) || has_fte(r);
}

static bool is_decoded(const struct reading *r)
{
    return r->version == PROTOCOL_15 || r->version == NEHAHRA || r->version == FITZQUAKE ||
           r->version == RMQ || is_bjp(r) || darkplaces_version(r);
}

static void choose_widths(struct reading *r)
{
    const unsigned dp = darkplaces_version(r);

    r->coord_size = 2;
    r->angle_size = 1;
    if (dp) {
        r->coord_size = dp >= 2 && dp <= 4 ? 2 : 4;
        r->angle_size = dp >= 5 ? 2 : 1;
    } else {
        if (r->flags & (1 << 4 | 1 << 7))
            r->coord_size = 4;
        else if (r->flags & 1 << 3)
            r->coord_size = 3;
        r->angle_size = r->flags & 1 << 2 ? 4 : r->flags & 1 << 1 ? 2 : 1;
    }
    if (r->fte & FTE_FLOATCOORDS) {
        r->coord_size = 4;
        r->angle_size = MAX(r->angle_size, 2);
    }
}

bool plays_everywhere(const struct reading *r)
{
    return !darkplaces_version(r) && !has_fte(r);
}

static bool is_fitzquake(const struct reading *r)
{
    return r->version == FITZQUAKE || r->version == RMQ;
}

/* QuakeSpasm and DarkPlaces play it, each with messages that the other stops at. */
static bool is_of_all(const struct reading *r)
{
    return r->version == PROTOCOL_15 && plays_everywhere(r);
}

/* --- The session --- */

static void take_version(struct reading *r)
{
    take_fte_extensions(r);
    r->version = (int32_t)take_long(r);
    r->flags = 0;
    if (!r->bad && !is_decoded(r))
        finding(r, "protocol %d", r->version);
    choose_widths(r);
}

static void take_serverinfo(struct reading *r)
{
    r->fte = r->fte2 = r->mvd1 = 0;
    g_byte_array_set_size(r->coarse, 0);
    take_fte_extensions(r);
    r->version = (int32_t)take_long(r);
    if (!r->bad && !is_decoded(r)) {
        finding(r, "protocol %d", r->version);
        r->bad = true;
        return;
    }
    r->flags = r->version == RMQ ? take_long(r) : 0;
    choose_widths(r);
    if (r->fte2 & FTE2_PREDINFO)
        take_shape(r, "g");
    r->limited = plays_everywhere(r);
    r->clients = (uint8_t)take_byte(r);
    take_shape(r, "bs");
    r->models = take_names(r);
    r->statics = 0;
    if (!r->clients || !r->models || r->models > LISTED || take_names(r) > LISTED)
        finding(r, "a level that engines do not load");
}

/* DarkPlaces' servers say who they are before svc_serverinfo: sv_main.c, SV_SendServerinfo. */
static void take_print(struct reading *r)
{
    g_autoptr(GString) text = take_text(r);

    if (g_str_has_prefix(text->str, "\nServer: "))
        r->darkplaces = true;
}

static void take_disconnect(struct reading *r)
{
    if (darkplaces_version(r) >= 8)
        take_shape(r, "s");
}

static void take_time(struct reading *r)
{
    take_shape(r, r->fte2 & FTE2_PREDINFO ? "lw" : "l");
}

/* --- Entities --- */

static unsigned baseline_flags(const struct reading *r)
{
    return is_bjp(r) ? 1 : 0;
}

/* `looks`: color map and skin; engines use only color maps of what may move. */
static void take_baseline(struct reading *r, const char *looks, unsigned flags)
{
    take_shape(r, flags & 1 ? "w" : "m");
    take_shape(r, flags & 2 ? "w" : "b");
    take_shape(r, looks);
    take_shapes(r, "ca", 3);
    skip(r, (flags & 4 ? 1 : 0) + (flags & 8 ? 1 : 0));
}

static void take_spawnbaseline(struct reading *r)
{
    take_shape(r, "e");
    take_baseline(r, "vb", baseline_flags(r));
}

/* Of QuakeSpasm, and of DarkPlaces, which does not play its protocols. */
static void take_static(struct reading *r, unsigned flags)
{
    take_baseline(r, "bb", flags);
    take_another_static(r, is_fitzquake(r) ? 4096 : 1024);
}

static void take_spawnstatic(struct reading *r)
{
    take_static(r, baseline_flags(r));
}

static void take_spawnbaseline2(struct reading *r)
{
    r->bad |= is_of_all(r);
    take_shape(r, "e");
    take_baseline(r, "vb", take_byte(r));
}

static void take_spawnstatic2(struct reading *r)
{
    r->bad |= is_of_all(r);
    take_static(r, take_byte(r));
}

/* FTE's, or the one that should never appear. */
static void take_static_update(struct reading *r)
{
    if (r->fte2 & FTE2_REPLACEMENTDELTAS)
        take_fte_update(r);
    else
        r->bad = true;
}

static uint32_t take_update_flags(struct reading *r, uint32_t flags)
{
    const bool extends = r->version == FITZQUAKE || r->version == RMQ ||
                         (has_darkplaces(r) && r->version != NEHAHRA);

    if (flags & 1)
        flags |= take_byte(r) << 8;
    if (extends && flags & 1 << 15)
        flags |= take_byte(r) << 16;
    if (extends && flags & 1 << 23)
        flags |= take_byte(r) << 24;
    return flags;
}

static void take_update_rest(struct reading *r, uint32_t flags)
{
    static const uint32_t fitzquake = 0x1f0000, darkplaces = 0x7e0000;
    uint32_t bytes = 0;

    if (r->version == FITZQUAKE || r->version == RMQ)
        bytes = flags & fitzquake;
    else if (has_darkplaces(r) && r->version != NEHAHRA)
        bytes = flags & (darkplaces | 0x0c000000);
    else if (flags & 1 << 15)
        skip(r, take_long(r) == 0x40000000 ? 8 : 4);
    skip(r, __builtin_popcount(bytes));
}

static void take_update(struct reading *r)
{
    const uint32_t flags = take_update_flags(r, r->data[r->pos - 1]);

    r->bad |= is_of_all(r) && flags & 1 << 15;
    if (r->pos + 1 < r->size && !r->data[r->pos] && !(flags & 1 << 14 && r->data[r->pos + 1]))
        finding(r, "an update of the world");
    take_shape(r, flags & 1 << 14 ? "e" : "b");
    if (flags & 1 << 10)
        take_shape(r, is_bjp(r) ? "w" : flags & 1 << 18 ? "b" : "m");
    take_shape(r, flags & 1 << 6 ? "b" : "");
    take_shape(r, flags & 1 << 11 ? "v" : "");
    skip(r, (flags >> 12 & 1) + (flags >> 13 & 1));
    for (unsigned axis = 0; axis < 3; axis++) {
        static const uint32_t angle[] = {1 << 8, 1 << 4, 1 << 9};

        take_shape(r, flags & 2u << axis ? "c" : "");
        take_shape(r, flags & angle[axis] ? "a" : "");
    }
    take_update_rest(r, flags);
}

/* --- Sounds and effects --- */

static void take_any_sound(struct reading *r, bool large)
{
    uint32_t flags = take_byte(r);

    if (plays_everywhere(r) && flags & (r->version == PROTOCOL_15 ? 0xf8 : 0xe0))
        r->bad = true;
    if (flags & 4 && has_fte(r))
        flags |= (uint32_t)take_fte_varint(r) << 8;
    skip(r, (flags & 1) + (flags >> 1 & 1));
    if (has_fte(r))
        skip(r, (flags & 0x80 ? 1 : 0) + (flags & 0x40 ? 2 : 0) + (flags & 0x100 ? 6 : 0));
    skip(r, flags & 0x20 && has_darkplaces(r) ? 2 : 0);
    take_shape(r, flags & 8 ? "eb" : "w");
    skip(r, large || flags & 0x10 || r->version == BJP + 1 || r->version == BJP3 ? 2 : 1);
    take_shape(r, "C");
}

static void take_sound(struct reading *r)
{
    take_any_sound(r, false);
}

static bool is_wide_static_sound(const struct reading *r)
{
    if (r->version == BJP)
        return r->darkplaces && r->pos + 1 < r->size && !r->data[r->pos + 1];
    return r->version == BJP + 1 || (r->version == BJP3 && r->darkplaces);
}

static void take_static_sound(struct reading *r)
{
    take_shape(r, "C");
    skip(r, is_wide_static_sound(r) ? 2 : 1);
    skip(r, 2);
}

static void take_static_sound2(struct reading *r)
{
    r->bad |= is_of_all(r);
    take_shape(r, "C");
    if (r->fte2 & FTE2_LERPTIME)
        take_uleb128(r);
    else
        skip(r, 2);
    skip(r, 2);
}

/* FitzQuake's. */
static void take_flash(struct reading *r)
{
    r->bad |= is_of_all(r);
}

static void take_fog(struct reading *r)
{
    take_flash(r);
    take_shape(r, "bbbbw");
}

static void take_temp_entity(struct reading *r)
{
    const uint32_t at = r->pos;

    take_quake_temp_entity(r);
    r->bad |= plays_everywhere(r) && (is_of_all(r) || is_fitzquake(r)) && r->data[at] > TEMPORARY;
    if (!r->bad && r->data[at] == 12 && !r->data[r->pos - 1])
        finding(r, "an explosion of no color");
}

/* Of the number's only meaning to the engines that play it. */
static void take_known(struct reading *r, const char *shape)
{
    r->bad |= plays_everywhere(r);
    take_shape(r, shape);
}

/* --- Numbers with two meanings: each engine plays what has one --- */

static void take_50(struct reading *r)
{
    take_known(r, "l");
    skip(r, take_word(r));
}

static void take_51(struct reading *r)
{
    take_known(r, "w");
}

static void take_52(struct reading *r)
{
    take_known(r, "Cxbbb");
}

static void take_54(struct reading *r)
{
    const unsigned version = darkplaces_version(r);

    if (version >= 1 && version <= 3)
        take_any_sound(r, true);
    else
        take_shape(r, "wf");
}

static void take_55(struct reading *r)
{
    take_shape(r, "e");
    take_baseline(r, "vb", 3);
}

static void take_56(struct reading *r)
{
    r->bad |= plays_everywhere(r);
    take_static(r, 3);
}

static void take_updates(struct reading *r)
{
    skip(r, r->fte2 & FTE2_PREDINFO ? 2 : 0);
    take_fte_updates(r);
}

static const char *const shapes[256] = {
    [1] = "",      [3] = "3l",  [5] = "e",   [10] = "A",      [12] = "6s",    [13] = "un",
    [14] = "uw",   [16] = "w",  [17] = "ub", [18] = "Cbbbbb", [19] = "bbC",   [24] = "b",
    [25] = "b",    [26] = "s",  [27] = "",   [28] = "",       [30] = "",      [31] = "s",
    [32] = "bb",   [33] = "",   [34] = "s",  [37] = "f",      [53] = "Cwwbb", [60] = "ewCC",
    [61] = "wCCw", [62] = "wC", [78] = "bs", [79] = "bl",     [85] = "www"};

static message_reader *const readers[256] = {
    /* The last is all above it, too. */
    [2] = take_disconnect,
    [4] = take_version,
    [6] = take_sound,
    [7] = take_time,
    [8] = take_print,
    [9] = take_stufftext,
    [11] = take_serverinfo,
    [15] = take_clientdata,
    [20] = take_spawnstatic,
    [21] = take_static_update,
    [22] = take_spawnbaseline,
    [23] = take_temp_entity,
    [29] = take_static_sound,
    [40] = take_flash,
    [41] = take_fog,
    [42] = take_spawnbaseline2,
    [43] = take_spawnstatic2,
    [44] = take_static_sound2,
    [50] = take_50,
    [51] = take_51,
    [52] = take_52,
    [54] = take_54,
    [55] = take_55,
    [56] = take_56,
    [57] = take_darkplaces_entities,
    [58] = take_fte_unsized_entities,
    [59] = take_static_sound2,
    [66] = take_fte_baseline,
    [84] = take_fte_voice,
    [86] = take_updates,
    [90] = take_fte_sized,
    [91] = take_fte_sized,
    [92] = take_fte_mod_entities,
    [93] = take_fte_angle_base,
    [128] = take_update};

/* QuakeSpasm cl_demo.c CL_PlayDemo_f and CL_GetMessage. */
static void read_dem(struct reading *r, const uint8_t *demo, size_t size)
{
    struct reading file = {.data = demo, .size = (uint32_t)size};

    while (!file.bad && take_byte(&file) != '\n')
        ;
    while (!file.bad && file.pos < file.size) {
        const uint32_t length = take_long(&file);

        skip(&file, 12);
        r->block++;
        if (!file.bad && length <= file.size - file.pos)
            take_messages(r, file.data + file.pos, length);
        skip(&file, length);
    }
    if (file.bad)
        finding(r, "the file is not whole");
}

const struct game engine_dem = {engines, needed, shapes, readers, 66, 128, read_dem};
