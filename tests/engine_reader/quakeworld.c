/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QWD and MVD. Sources: qwd-format, section 5; ezquake cl_parse.c, cl_ents.c, cl_demo.c; fteqw
 * cl_parse.c, cl_ents.c; mvdsv sv_demo.c.
 */
#include "tests/engine_reader/message.h"

#define FTE_SCALE 0x02u
#define FTE_TRANS 0x08u
#define FTE_FATNESS 0x100u
#define FTE_HULLSIZE 0x800u
#define FTE_ENTITYDBL 0x2000u
#define FTE_FLOATCOORDS 0x8000u
#define FTE_COLOURMOD 0x80000u
#define FTE_SPLITSCREEN 0x100000u
#define FTE_HEXEN2 0x200000u
#define FTE_SPAWNSTATIC2 0x400000u
#define FTE_CHUNKEDDOWNLOADS 0x20000000u
#define FTE_DPFLAGS 0x80000000u
#define FTE_MOREFLAGS (FTE_SCALE | FTE_TRANS | FTE_FATNESS | FTE_HULLSIZE)
#define FTE_EVENMORE                                                                               \
    (FTE_SCALE | FTE_TRANS | FTE_FATNESS | FTE_HEXEN2 | FTE_COLOURMOD | FTE_DPFLAGS | 0x7000u)
#define FTE2_REPLACEMENTDELTAS 0x08u
#define FTE2_MAXPLAYERS 0x10u
#define FTE2_VRINPUTS 0x200u
#define FTE2_LERPTIME 0x400u
#define MVD1_FLOATCOORDS 0x01u
#define MVD1_HIGHLAGTELEPORT 0x02u
#define MVD1_HIDDEN 0x20u
#define MVD1_WEAPONPREDICTION 0x80u

enum { SVC_DISCONNECT = 2, STYLE_DEFINED = 0x100 };

static const char *const needed[] = {"fullserverinfo", "skins", "changing",
                                     "reconnect",      "bf",    NULL};

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
    take_fte_extensions(r);
    r->version = (int32_t)take_long(r);
    if (r->version < 24 || r->version > 28) {
        r->bad = true;
        return;
    }
    r->coord_size = r->fte & FTE_FLOATCOORDS ? 4 : 2;
    r->angle_size = r->fte & FTE_FLOATCOORDS ? 2 : 1;
    take_shape(r, "ls");
    take_seats(r);
    take_shape(r, "s");
    if (r->version >= 25)
        take_shapes(r, "l", 10);
}

/* Names up to an empty one. */
static void take_names(struct reading *r)
{
    bool more = true;

    while (more && !r->bad && r->pos < r->size) {
        GString *name = take_text(r);

        more = name->len;
        g_string_free(name, TRUE);
    }
}

/* In parts, but in the oldest protocols; engines begin with the newest. */
static void take_list(struct reading *r)
{
    const bool whole = r->version && r->version < 26;

    skip(r, whole ? 0 : 1);
    take_names(r);
    skip(r, whole ? 0 : 1);
}

static void take_long_list(struct reading *r)
{
    skip(r, 2);
    take_names(r);
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

/* --- Players --- */

static void take_usercmd(struct reading *r)
{
    const uint32_t bits = take_byte(r);

    for (unsigned i = 0; i < 8; i++)
        if (bits & 1u << i)
            skip(r, i == 5 || i == 6 ? 1 : 2);
    skip(r, 1);
}

static void take_server_playerinfo(struct reading *r, uint32_t flags)
{
    skip(r, 1);
    for (unsigned i = 0; i < 3; i++)
        take_shape(r, flags & 1u << i ? "c" : "");
    for (unsigned i = 3; i < 6; i++)
        take_shape(r, flags & 1u << i ? "w" : "");
    skip(r, (flags >> 11 & 1) + (flags >> 7 & 1) + (flags >> 6 & 1) + (flags >> 10 & 1));
}

static void take_weapon_prediction(struct reading *r)
{
    if (take_byte(r))
        skip(r, 1 + 2 + 3 * 4 + 7);
}

static void take_player_looks(struct reading *r, uint32_t flags, uint32_t more)
{
    skip(r, (more & 1 && r->fte & FTE_SCALE ? 1 : 0) + (more & 2 && r->fte & FTE_TRANS ? 1 : 0) +
                (more & 4 && r->fte & FTE_FATNESS ? 1 : 0) +
                (flags & 0x4000 && r->fte & FTE_HULLSIZE ? 1 : 0) +
                (more & 8 && r->fte & FTE_COLOURMOD ? 3 : 0));
}

static void take_client_playerinfo(struct reading *r, uint32_t flags)
{
    const uint32_t more = r->fte & FTE_MOREFLAGS && flags & 0x8000 ? take_byte(r) : 0;

    skip(r, 3u * (r->mvd1 & MVD1_FLOATCOORDS ? 4 : r->coord_size) + 1);
    skip(r, flags & 0x01 ? 1 : 0);
    if (flags & 0x02)
        take_usercmd(r);
    skip(r, (flags & 0x04 ? 2 : 0) + (flags & 0x08 ? 2 : 0) + (flags & 0x10 ? 2 : 0));
    skip(r, (flags >> 5 & 1) + (flags >> 6 & 1) + (flags >> 7 & 1) + (flags >> 8 & 1));
    if (flags & 0x100 && r->mvd1 & MVD1_WEAPONPREDICTION)
        take_weapon_prediction(r);
    take_player_looks(r, flags, more);
}

static void take_playerinfo(struct reading *r)
{
    uint32_t flags;

    skip(r, 1);
    flags = take_word(r);
    if (r->mvd)
        take_server_playerinfo(r, flags);
    else
        take_client_playerinfo(r, flags);
}

/* --- Entities --- */

static uint32_t take_more_bits(struct reading *r)
{
    uint32_t bits = take_byte(r);

    if (bits & 0x80 && r->fte & FTE_EVENMORE) {
        bits |= take_byte(r) << 8;
        if (bits & 0x8000)
            bits |= take_byte(r) << 16;
    }
    return bits;
}

static void take_entity_place(struct reading *r, uint32_t word, uint32_t more)
{
    const uint8_t coord = r->mvd1 & MVD1_FLOATCOORDS ? 4 : r->coord_size;

    skip(r, word & 0x0200 ? coord : 0);
    skip(r, more & 0x01 ? r->angle_size : 0);
    skip(r, word & 0x0400 ? coord : 0);
    skip(r, word & 0x1000 ? r->angle_size : 0);
    skip(r, word & 0x0800 ? coord : 0);
    skip(r, more & 0x02 ? r->angle_size : 0);
}

static void take_entity_extras(struct reading *r, uint32_t more)
{
    const uint32_t yet = more >> 16;

    skip(r, (more & 0x100 && r->fte & FTE_SCALE ? 1 : 0) +
                (more & 0x200 && r->fte & FTE_TRANS ? 1 : 0) +
                (more & 0x400 && r->fte & FTE_FATNESS ? 1 : 0));
    if (r->fte & FTE_HEXEN2)
        skip(r, (yet & 1) + (yet >> 1 & 1));
    if (r->fte & FTE_COLOURMOD)
        skip(r, yet & 4 ? 3 : 0);
    skip(r,
         (yet & 8 ? 1 : 0) + (yet & 0x10 ? 4 : 0) + (yet & 0x20 ? 10 : 0) + (yet & 0x40 ? 1 : 0));
}

static void take_delta(struct reading *r, uint32_t word)
{
    uint32_t more = 0;

    if (word & 0x8000 && (!(word & 0x4000) || r->fte & FTE_ENTITYDBL))
        more = take_more_bits(r);
    if (word & 0x4000)
        return;
    if (more & 0x04)
        skip(r, 1);
    else if (more & 0x800)
        skip(r, 2);
    skip(r, (word >> 13 & 1) + (more >> 3 & 1) + (more >> 4 & 1) + (more >> 5 & 1));
    take_entity_place(r, word, more);
    take_entity_extras(r, more);
}

static void take_entities(struct reading *r)
{
    uint32_t word;

    while (!r->bad && (word = take_word(r)))
        take_delta(r, word);
}

static void take_delta_entities(struct reading *r)
{
    skip(r, 1);
    take_entities(r);
}

static void take_static(struct reading *r)
{
    if (r->fte2 & FTE2_REPLACEMENTDELTAS)
        take_fte_update(r);
    else if (r->fte & FTE_SPAWNSTATIC2)
        take_delta(r, take_word(r));
    else
        r->bad = true;
}

static void take_baseline(struct reading *r)
{
    if (r->fte2 & FTE2_REPLACEMENTDELTAS)
        take_fte_baseline(r);
    else
        take_static(r);
}

static void take_nails(struct reading *r)
{
    skip(r, 6 * take_byte(r));
}

static void take_nails2(struct reading *r)
{
    skip(r, 7 * take_byte(r));
}

static void take_projectiles(struct reading *r)
{
    uint32_t word;

    skip(r, 4);
    while (!r->bad && (word = take_word(r)))
        if (!(word & 0x8000)) {
            const uint32_t flags = take_word(r);

            take_shape(r, flags & 0x0200 ? "llllll" : "");
            take_shape(r, flags & 0x01 ? "A" : "");
            take_shape(r, flags & 0x04 ? "ww" : "");
            take_shape(r, flags & 0x0800 ? "b" : "");
        }
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

static void take_coloured_style(struct reading *r)
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

/* Client with CSQC: the mod's own, of unknown length. Others: Qizmo's speech. */
static void take_qizmo_voice(struct reading *r)
{
    if (r->fte || r->fte2)
        r->bad = true;
    else
        skip(r, 34);
}

static const struct message_row rows[256] = {
    [1] = {"", NULL},
    [2] = {NULL, take_disconnect},
    [3] = {"bb", NULL},
    [5] = {"e", NULL},
    [6] = {NULL, take_sound},
    [7] = {"l", NULL},
    [8] = {"bs", NULL},
    [9] = {NULL, take_stufftext},
    [10] = {NULL, take_setangle},
    [11] = {NULL, take_serverdata},
    [12] = {"bs", NULL},
    [14] = {"bw", NULL},
    [16] = {"w", NULL},
    [18] = {"Cbbbbb", NULL},
    [19] = {"bbC", NULL},
    [20] = {"bbbbcacaca", NULL},
    [21] = {NULL, take_static},
    [22] = {"ebbbbcacaca", NULL},
    [23] = {NULL, take_temp_entity},
    [24] = {"b", NULL},
    [25] = {NULL, take_counted},
    [26] = {"s", NULL},
    [27] = {"", NULL},
    [28] = {"", NULL},
    [29] = {"Cbbb", NULL},
    [30] = {"CA", NULL},
    [31] = {"s", NULL},
    [32] = {"b", NULL},
    [33] = {"", NULL},
    [34] = {"", NULL},
    [35] = {"", NULL},
    [36] = {"bw", NULL},
    [37] = {"bl", NULL},
    [38] = {"bl", NULL},
    [39] = {"w", NULL},
    [40] = {"bls", NULL},
    [41] = {NULL, take_download},
    [42] = {NULL, take_playerinfo},
    [43] = {NULL, take_nails},
    [44] = {"b", NULL},
    [45] = {NULL, take_list},
    [46] = {NULL, take_list},
    [47] = {NULL, take_entities},
    [48] = {NULL, take_delta_entities},
    [49] = {"l", NULL},
    [50] = {"l", NULL},
    [51] = {"bss", NULL},
    [52] = {"ss", NULL},
    [53] = {"bb", NULL},
    [54] = {NULL, take_nails2},
    [55] = {NULL, take_fte_sound},
    [56] = {NULL, take_long_list},
    [57] = {NULL, take_coloured_style},
    [60] = {NULL, take_long_list},
    [63] = {"Cllllllwbb", NULL},
    [64] = {"Cbbbwbb", NULL},
    [65] = {"Cbwbb", NULL},
    [66] = {NULL, take_baseline},
    [67] = {NULL, take_custom_effect},
    [68] = {"b", NULL},
    [69] = {"bssww", NULL},
    [70] = {"s", NULL},
    [71] = {"sbww", NULL},
    [72] = {"ss", NULL},
    [74] = {"Cbbbb", NULL},
    [75] = {"Cwwbb", NULL},
    [77] = {"ws", NULL},
    [78] = {"bs", NULL},
    [79] = {"bl", NULL},
    [80] = {"ewCC", NULL},
    [81] = {"wCCw", NULL},
    [82] = {"wC", NULL},
    [83] = {NULL, take_qizmo_voice},
    [84] = {NULL, take_fte_voice},
    [85] = {"www", NULL},
    [86] = {NULL, take_fte_updates},
    [88] = {NULL, take_counted},
    [89] = {NULL, take_info_blob},
    [90] = {NULL, take_fte_sized},
    [91] = {NULL, take_fte_sized},
    [92] = {NULL, take_fte_mod_entities},
    [93] = {NULL, take_fte_angle_base},
    [94] = {NULL, take_static_sound},
    [100] = {NULL, take_projectiles},
};

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

const struct game engine_qwd = {engines, needed, rows, 55, 83, read_qwd};
const struct game engine_mvd = {engines, needed, rows, 55, 83, read_mvd};
