/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QWD and MVD. Sources: qwd-format, section 5; ezquake cl_parse.c, cl_ents.c, cl_demo.c; fteqw
 * cl_parse.c, cl_ents.c; mvdsv sv_demo.c.
 */
#include "tests/engine_reader/message.h"

#define FTE_FLOATCOORDS 0x8000u
#define FTE_SPLITSCREEN 0x100000u
#define FTE2_MAXPLAYERS 0x10u
#define FTE2_VRINPUTS 0x200u
#define FTE2_LERPTIME 0x400u
#define MVD1_HIGHLAGTELEPORT 0x02u
#define MVD1_HIDDEN 0x20u

enum { STYLE_DEFINED = 0x100, FTE_CLIENTS = 255 };

/* Scale, fatness, hulls, several seats, Hexen II, DarkPlaces' flags; replacement deltas, more
 * players, inputs of VR, times: others pass over these bits, and read messages wrong. */
#define FTE_ALONE 0x80300902u
#define FTE2_ALONE 0x618u

static const char *const needed[] = {"fullserverinfo", "skins", "changing", "bf", NULL};

/* id common.c, MSG_ReadString; ezquake common.c: 255 is passed over; fteqw common.c. */
static const struct engine engines[] = {
    {"ezQuake", 2047, FF_PASSED_OVER, 0xff, CONSOLE_REMARKS | CONSOLE_MACROS},
    {"FTE", 65535, FF_KEPT, 0xff, CONSOLE_REMARKS | CONSOLE_MACROS | CONSOLE_COMMENTS | CONSOLE_CR},
    {"QuakeWorld", 2047, FF_ENDS, 0xff, CONSOLE_HIGH},
    {"DarkPlaces", 65535, FF_KEPT, 0xff,
     CONSOLE_CR | CONSOLE_ESCAPES | CONSOLE_COMMENTS | CONSOLE_MACROS},
    {0}};

/* --- The session --- */

static void take_seats(struct reading *r)
{
    if (r->mvd) {
        skip(r, (r->fte2 & FTE2_MAXPLAYERS ? 1 : 0) + 4);
    } else if (r->fte2 & FTE2_MAXPLAYERS) {
        skip(r, 1);
        skip(r, take_byte(r) & (r->fte2 & FTE2_VRINPUTS ? 0xff : 0x7f));
    } else {
        skip(r, 1);
        while (r->fte & FTE_SPLITSCREEN && !r->bad && take_byte(r) != 0x80)
            ;
    }
}

static void take_serverdata(struct reading *r)
{
    r->fte = r->fte2 = r->mvd1 = 0;
    r->vlen = false;
    take_fte_extensions(r);
    r->limited = !r->vlen;
    r->models = r->statics = 0;
    r->active = false;
    r->clients = r->vlen ? FTE_CLIENTS : 32;
    if ((r->fte & FTE_ALONE || r->fte2 & FTE2_ALONE) && !r->vlen)
        finding(r, "a svc_serverdata that others than FTE take for theirs");
    r->version = (int32_t)take_long(r);
    if (r->version < 24 || r->version > 28) {
        r->bad = true;
        return;
    }
    r->coord_size = r->fte & FTE_FLOATCOORDS ? 4 : 2;
    r->angle_size = r->fte & FTE_FLOATCOORDS ? 2 : 1;
    take_shape(r, "l");
    if (r->pos < r->size && !r->data[r->pos])
        finding(r, "no folder");
    take_shape(r, "g");
    take_seats(r);
    take_shape(r, "s");
    if (r->version >= 25)
        take_shapes(r, "l", 10);
}

/* At the end of a list in the game ezQuake forgets the models: cl_parse.c, CL_ParseSoundlist. */
static void add_names(struct reading *r, bool models, uint32_t first, uint32_t listed)
{
    const uint32_t end = first + take_names(r);

    if (r->limited && (r->active || (models && (first > r->models || !end)) || end > listed))
        finding(r, "a list at %u, behind %u models", first, r->models);
    if (models) /* a list that is sent again with less does not shorten the one before */
        r->models = MAX(r->models, end);
}

/* In parts, but in the oldest protocols; engines begin with the newest. */
static void take_list(struct reading *r)
{
    const bool whole = r->version && r->version < 26, models = r->data[r->pos - 1] == 45;

    add_names(r, models, whole ? 0 : take_byte(r), 255);
    skip(r, whole ? 0 : 1);
}

static void take_long_list(struct reading *r)
{
    const bool models = r->data[r->pos - 1] == 60;

    add_names(r, models, take_word(r), 1023);
    skip(r, 1);
}

/* MVD has the text of it, where there is one. */
static void take_disconnect(struct reading *r)
{
    if (r->mvd && r->pos < r->size)
        take_shape(r, "s");
}

static void take_setangle(struct reading *r)
{
    take_shape(r, r->mvd || r->mvd1 & MVD1_HIGHLAGTELEPORT ? "bA" : "A");
}

/* Players would write the file. */
static void take_download(struct reading *r)
{
    finding(r, "svc_download");
    r->bad = true;
}

/* ezquake cl_parse.c CL_SetStat; r_aliasmodel.c R_DrawViewModel. */
static void take_stat(struct reading *r)
{
    const bool wide = r->data[r->pos - 1] != 3, weapon = r->pos < r->size && r->data[r->pos] == 2;
    const uint32_t at = r->pos + 2;

    take_shape(r, weapon ? "3m" : "3b");
    if (wide && weapon && r->limited && at + 3 <= r->size && memcmp(r->data + at, "\0\0", 3) != 0)
        finding(r, "a weapon's model of 32 bits");
    skip(r, wide ? 3 : 0);
}

/* --- Effects --- */

static void take_sound(struct reading *r)
{
    const uint32_t word = take_word(r);

    skip(r, (word >> 15 & 1) + (word >> 14 & 1));
    take_shape(r, "bC");
}

/* What differs from Quake's. */
static void take_temp_entity(struct reading *r)
{
    static const char *const shapes[24] = {
        [2] = "bbC",  [12] = "bbC",  [13] = "bC",   [14] = "bC", [15] = "bC", [16] = "bCC",
        [17] = "bCC", [18] = "beCC", [19] = "bCbb", [20] = "bC", [21] = "bC"};
    const uint32_t type = r->pos < r->size ? r->data[r->pos] : 0;

    if (type > 13 && !r->fte && !r->fte2)
        r->bad = true;
    else if (type < G_N_ELEMENTS(shapes) && shapes[type])
        take_shape(r, shapes[type]);
    else
        take_quake_temp_entity(r);
}

static void define_effect(struct reading *r)
{
    const uint32_t effect = take_byte(r), style = take_byte(r);

    take_shape(r, "s");
    skip(r, style & 0x04 ? 4 : 0);
    if (style & 0x08)
        skip(r, style & 0x10 ? 8 : 5);
    r->styles[effect] = (uint16_t)(STYLE_DEFINED | style);
}

/* fteqw cl_tent.c CL_ParseCustomTEnt. */
static void take_custom_effect(struct reading *r)
{
    const uint32_t effect = take_byte(r);
    const uint32_t style = r->styles[effect];

    if (effect == 255) {
        define_effect(r);
        return;
    }
    if (!style) {
        r->bad = true;
        return;
    }
    if (style & 0x40 && take_word(r) & 0x8000)
        return;
    take_shape(r, style & 0x80 ? "CC" : "C");
    take_shape(r, style & 0x01 ? "b" : "");
    take_shape(r, style & 0x20 ? "C" : style & 0x02 ? "b" : "");
}

static void take_static_sound(struct reading *r)
{
    const uint32_t flags = take_byte(r);

    take_shape(r, "C");
    if (flags && r->fte2 & FTE2_LERPTIME)
        take_uleb128(r);
    else
        skip(r, flags ? 2 : 1);
    skip(r, 2);
}

static void take_colored_style(struct reading *r)
{
    uint32_t bits;

    skip(r, 1);
    bits = take_byte(r);
    skip(r, bits & 0x40 ? 1 : 0);
    if (bits & 0x80)
        skip(r, 2 * ((bits & 1) + (bits >> 1 & 1) + (bits >> 2 & 1)));
    take_shape(r, "s");
}

static void take_counted(struct reading *r)
{
    skip(r, take_byte(r));
}

static void take_info_blob(struct reading *r)
{
    take_shape(r, "bsl");
    skip(r, take_word(r));
}

static void take_spawnstatic(struct reading *r)
{
    if (r->data[r->pos - 1] == 21)
        take_qw_static(r);
    else
        take_shape(r, "mbbbcacaca");
    if (r->limited)
        take_another_static(r, 512); /* ezQuake 3.6 client.h, MAX_STATIC_ENTITIES */
}

static const char *const shapes[256] = {
    [1] = "",       [5] = "e",           [7] = "l",        [8] = "bs",     [12] = "6s",
    [14] = "uw",    [16] = "w",          [18] = "Cbbbbb",  [19] = "bbC",   [22] = "embbbcacaca",
    [24] = "b",     [26] = "s",          [27] = "",        [28] = "",      [29] = "Cbbb",
    [30] = "CA",    [31] = "s",          [32] = "b",       [33] = "",      [34] = "",
    [35] = "",      [36] = "uw",         [37] = "ul",      [39] = "e",     [40] = "uli",
    [44] = "b",     [49] = "l",          [50] = "l",       [51] = "uk",    [52] = "k",
    [53] = "ub",    [63] = "Cllllllwbb", [64] = "Cbbbwbb", [65] = "Cbwbb", [68] = "b",
    [69] = "bsfww", [70] = "s",          [72] = "sf",      [74] = "Cxbbb", [75] = "Cwwbb",
    [77] = "wf",    [78] = "bs",         [79] = "bl",      [80] = "ewCC",  [81] = "wCCw",
    [82] = "wC",    [85] = "www"};

static message_reader *const readers[256] = {
    [2] = take_disconnect,      [3] = take_stat,           [6] = take_sound,
    [9] = take_stufftext,       [10] = take_setangle,      [11] = take_serverdata,
    [20] = take_spawnstatic,    [21] = take_spawnstatic,   [23] = take_temp_entity,
    [25] = take_counted,        [38] = take_stat,          [41] = take_download,
    [42] = take_qw_playerinfo,  [43] = take_qw_nails,      [45] = take_list,
    [46] = take_list,           [47] = take_qw_entities,   [48] = take_qw_delta_entities,
    [54] = take_qw_nails2,      [55] = take_fte_sound,     [56] = take_long_list,
    [57] = take_colored_style,  [60] = take_long_list,     [62] = take_portal_state,
    [66] = take_qw_baseline,    [67] = take_custom_effect, [76] = take_fte_unsized_entities,
    [84] = take_fte_voice,      [86] = take_fte_updates,   [89] = take_info_blob,
    [90] = take_fte_sized,      [91] = take_fte_sized,     [92] = take_fte_mod_entities,
    [93] = take_fte_angle_base, [94] = take_static_sound,  [100] = take_qw_projectiles};

/* --- The files --- */

/* A cursor over the demo itself. */
static struct reading file_of(const uint8_t *demo, size_t size)
{
    return (struct reading){.data = demo, .size = (uint32_t)size};
}

/* Connectionless packets: the end, and what the handshake has; the others are commands. */
static void take_connectionless(struct reading *r, const uint8_t *data, uint32_t size)
{
    static const char harmless[] = "\2ncj";

    r->report->bytes += r->first ? size : 0;
    if (size <= 4 || !memchr(harmless, data[4], sizeof harmless - 1))
        finding(r, "a connectionless packet %u", size > 4 ? data[4] : 0);
}

static void take_packet(struct reading *r, const uint8_t *data, uint32_t size)
{
    static const uint8_t mark[4] = {0xff, 0xff, 0xff, 0xff};

    if (size >= sizeof mark && memcmp(data, mark, sizeof mark) == 0)
        take_connectionless(r, data, size);
    else if (size >= 8)
        take_messages(r, data + 8, size - 8);
}

/* ezquake cl_demo.c CL_GetDemoMessage. */
static void read_qwd(struct reading *r, const uint8_t *demo, size_t size)
{
    static const uint32_t sizes[] = {36, 0, 8};
    struct reading file = file_of(demo, size);

    while (!file.bad && file.pos < file.size) {
        uint32_t type, length;

        skip(&file, 4);
        type = take_byte(&file);
        length = type == 1                    ? take_long(&file)
                 : type < G_N_ELEMENTS(sizes) ? sizes[type]
                                              : UINT32_MAX;
        r->block++;
        if (!file.bad && length <= file.size - file.pos && type == 1)
            take_packet(r, file.data + file.pos, length);
        skip(&file, length);
    }
    if (file.bad)
        finding(r, "the file is not whole");
}

/* mvdsv sv_demo.c: blocks for nobody are hidden, where the server said so. */
static void read_mvd(struct reading *r, const uint8_t *demo, size_t size)
{
    struct reading file = file_of(demo, size);

    r->mvd = true;
    while (!file.bad && file.pos < file.size) {
        uint32_t type, players = 1, length;

        skip(&file, 1);
        type = take_byte(&file) & 7;
        if (type == 3)
            players = take_long(&file);
        length = type == 2 ? 8 : take_long(&file);
        r->block++;
        if (!file.bad && type != 2 && length <= file.size - file.pos &&
            !(type == 3 && !players && (r->mvd1 & MVD1_HIDDEN || !r->version)))
            take_messages(r, file.data + file.pos, length);
        skip(&file, length);
    }
    if (file.bad)
        finding(r, "the file is not whole");
}

const struct game engine_qwd = {engines, needed, shapes, readers, 55, 83, read_qwd};
const struct game engine_mvd = {engines, needed, shapes, readers, 55, 83, read_mvd};
