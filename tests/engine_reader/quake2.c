/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DM2: protocols up to 34, and 3434 to 3436 with extended limits. Sources: dm2-format, section 3;
 * id cl_parse.c, cl_ents.c, common.c; Q2PRO client/parse.c, common/msg.c, client/demo.c; yquake2
 * cl_parse.c. Protocols 35 and 36 are no demo's.
 */
#include "tests/engine_reader/message.h"

#include <string.h>

enum { VANILLA = 34, EXTENDED = 3434, EXTENDED_LAST = 3436, OLDEST = 25, SWAPPED_LAST = 31 };

static const char *const needed[] = {"play", "precache", NULL};

/* id common.c, MSG_ReadString; yquake2 movemsg.c, MSG_ReadString; Q2PRO msg.c and parse.c. */
static const struct engine engines[] = {
    {"yquake2", 2047, FF_KEPT, 0xff, CONSOLE_MACROS},
    {"Quake2", 2047, FF_ENDS, 0xff, CONSOLE_HIGH | CONSOLE_MACROS},
    {"Q2PRO", 65535, FF_KEPT, 0x1f, CONSOLE_MACROS},
    {"FTE", 65535, FF_KEPT, 0xff, CONSOLE_REMARKS | CONSOLE_MACROS | CONSOLE_COMMENTS | CONSOLE_CR},
    {0}};

/* 1 where it is set. */
static unsigned bit(uint64_t bits, unsigned number)
{
    return bits >> number & 1;
}

static bool is_extended(const struct reading *r)
{
    return r->version >= EXTENDED;
}

static bool has_long_coordinates(const struct reading *r)
{
    return r->version > EXTENDED;
}

/* A third byte where the lowest bit is set. */
static void take_coordinates(struct reading *r, unsigned count)
{
    while (count-- && !r->bad)
        if (take_word(r) & 1 && has_long_coordinates(r))
            skip(r, 1);
}

/* --- The session --- */

static void take_serverdata(struct reading *r)
{
    r->version = (int32_t)take_long(r);
    if ((r->version < OLDEST || r->version > VANILLA) &&
        (r->version < EXTENDED || r->version > EXTENDED_LAST)) {
        finding(r, "protocol %d", r->version);
        r->bad = true;
        return;
    }
    take_shape(r, "lbgws");
    r->begun = -1;
    r->has_map = false;
}

/* Q2PRO: the map, and parts of it. */
static bool is_odd_model(const struct reading *r, uint32_t index, const char *name)
{
    if (is_extended(r) || index < 33 || index >= 288)
        return false;
    return !name[0] || (index == 33 && !g_str_has_prefix(name, "maps/")) ||
           (name[0] == '*' && g_ascii_strtoll(name + 1, NULL, 10) - 1 >= index - 33u);
}

/* All but the last, which only the game knows, may have names of files; a player's own name may be
 * anything. What fills its room goes on in the next one: id cl_parse.c, CL_ParseConfigString. */
static void take_configstring(struct reading *r)
{
    const uint32_t general = is_extended(r) ? 13118 : 1568, index = take_word(r);
    g_autoptr(GString) text = take_text(r);
    const char *skin = index < general && index >= general - 256 ? strchr(text->str, '\\') : NULL;
    const uint32_t at = (index - r->string) * 64;

    r->has_map |= index == (is_extended(r) ? 63 : 33);
    if (index >= general + 512 || is_odd_model(r, index, text->str))
        finding(r, "config string %u", index);
    g_string_truncate(r->strings, index >= r->string && at <= r->strings->len ? at : 0);
    if (!r->strings->len)
        r->string = index;
    g_string_append(r->strings, text->str);
    if ((index < general || text->len >= 64) && leads_out(skin ? skin : r->strings->str)) {
        finding(r, "config string %u: %s", index, r->strings->str);
        g_string_truncate(r->strings, 0);
    }
}

static void take_ending(struct reading *r)
{
    finding(r, "message %u", r->data[r->pos - 1]);
    r->bad = true;
}

static void take_inventory(struct reading *r)
{
    skip(r, 2 * 256);
}

/* --- Entities --- */

static uint64_t take_mask(struct reading *r)
{
    uint64_t bits = take_byte(r);

    for (unsigned shift = 8; shift < 32 && bits >> (shift - 1) & 1; shift += 8)
        bits |= (uint64_t)take_byte(r) << shift;
    if (is_extended(r) && bit(bits, 31))
        bits |= (uint64_t)take_byte(r) << 32;
    return bits;
}

/* The lower bit stands for one byte, the upper one for two, both for four. */
static void take_sized(struct reading *r, uint64_t bits, unsigned low, unsigned high)
{
    skip(r, (int64_t[]){0, 1, 2, 4}[bit(bits, low) | bit(bits, high) << 1]);
}

static void take_looks(struct reading *r, uint64_t bits)
{
    const int count = __builtin_popcountll(bits & 0x700800);

    skip(r, count * (is_extended(r) && bit(bits, 28) ? 2 : 1));
    skip(r, bit(bits, 4) + 2 * bit(bits, 17));
    take_sized(r, bits, 16, 25);
    take_sized(r, bits, 14, 19);
    take_sized(r, bits, 12, 18);
}

static void take_place(struct reading *r, uint64_t bits)
{
    const unsigned angles = bit(bits, 10) + bit(bits, 2) + bit(bits, 3);

    take_coordinates(r, bit(bits, 0) + bit(bits, 1) + bit(bits, 9));
    skip(r, angles * (is_extended(r) && bit(bits, 13) ? 2 : 1));
    if (bit(bits, 24))
        take_coordinates(r, 3);
}

static void take_entity_sound(struct reading *r)
{
    uint32_t word;

    if (!is_extended(r)) {
        skip(r, 1);
        return;
    }
    word = take_word(r);
    skip(r, bit(word, 14) + bit(word, 15));
}

static void take_entity(struct reading *r, uint64_t bits)
{
    take_looks(r, bits);
    take_place(r, bits);
    if (bit(bits, 26))
        take_entity_sound(r);
    skip(r, bit(bits, 5));
    skip(r, bit(bits, 27) ? (is_extended(r) ? 4 : 2) : 0);
    if (!is_extended(r))
        return;
    take_sized(r, bits, 29, 33);
    skip(r, bit(bits, 30) + bit(bits, 32));
}

static uint32_t take_number(struct reading *r, uint64_t bits)
{
    return bit(bits, 8) ? take_word(r) : take_byte(r);
}

static void take_baseline(struct reading *r)
{
    const uint64_t bits = take_mask(r);
    const uint32_t number = take_number(r, bits);

    if (!is_extended(r) && (number >= 1024 || bits >> 28))
        finding(r, "baseline %u", number);
    take_entity(r, bits);
}

static void take_entities(struct reading *r)
{
    while (!r->bad) {
        const uint64_t bits = take_mask(r);

        if (!take_number(r, bits))
            return;
        if (!bit(bits, 6))
            take_entity(r, bits);
        else if (r->full)
            finding(r, "a removal from nothing");
    }
}

/* --- Frames --- */

static void take_frame(struct reading *r)
{
    const int64_t number = (int32_t)take_long(r);

    r->full = (int32_t)take_long(r) <= 0;
    if (r->begun < 0)
        r->begun = number;
    if (!r->has_map || number < 0 || number < r->begun || number - r->begun > INT32_MAX / 100)
        finding(r, "frame %d", (int32_t)number);
    skip(r, r->version == 26 ? 0 : 1);
    skip(r, take_byte(r));
}

static void take_fog(struct reading *r)
{
    const uint32_t bits = take_byte(r);

    skip(r, 3 * bit(bits, 0) + 4 * bit(bits, 1) + 2 * bit(bits, 2) + 2 * bit(bits, 3) +
                3 * bit(bits, 4) + 3 * bit(bits, 5));
    take_coordinates(r, bit(bits, 6) + bit(bits, 7));
}

static void take_stats(struct reading *r)
{
    uint64_t bits = 0;

    if (has_long_coordinates(r)) {
        uint32_t byte = 0x80;

        for (unsigned shift = 0; shift < 64 && byte & 0x80; shift += 7) {
            byte = take_byte(r);
            bits |= (uint64_t)(byte & 0x7f) << shift;
        }
    } else {
        bits = take_long(r);
    }
    skip(r, 2 * __builtin_popcountll(bits));
}

static void take_blend(struct reading *r)
{
    if (has_long_coordinates(r))
        skip(r, __builtin_popcount(take_byte(r)));
    else
        skip(r, 4);
}

static void take_movement(struct reading *r, uint32_t bits)
{
    const unsigned word = has_long_coordinates(r) ? 2 : 1;

    skip(r, bit(bits, 0));
    take_coordinates(r, 3 * bit(bits, 1) + 3 * bit(bits, 2));
    skip(r, word * bit(bits, 3) + word * bit(bits, 4));
    skip(r, 2 * bit(bits, 5) + 6 * bit(bits, 6));
}

static void take_player(struct reading *r)
{
    uint32_t bits = take_word(r);

    if (r->version == EXTENDED_LAST && bits & 0x8000)
        bits |= take_byte(r) << 16;
    take_movement(r, bits);
    skip(r, 3 * bit(bits, 7) + 6 * bit(bits, 8) + 3 * bit(bits, 9));
    skip(r, bits & 0x1000 ? (is_extended(r) ? 2 : 1) : 0);
    skip(r, bits & 0x2000 ? 7 : 0);
    if (bits & 0x400)
        take_blend(r);
    if (bits & 0x10000)
        take_fog(r);
    if (bit(bits, 11) ? !take_byte(r) : r->full)
        finding(r, "no field of view");
    skip(r, bit(bits, 14));
    take_stats(r);
}

/* --- Effects --- */

static void take_sound(struct reading *r)
{
    const uint32_t flags = take_byte(r);

    r->bad |= flags & 0x80;
    skip(r, is_extended(r) && flags & 0x20 ? 2 : 1);
    skip(r, bit(flags, 0) + bit(flags, 1) + bit(flags, 4));
    if (flags & 8 && take_word(r) >> 3 >= 1024 && !is_extended(r))
        finding(r, "a sound of no entity");
    if (flags & 4)
        take_coordinates(r, 3);
}

static void take_flash(struct reading *r)
{
    const bool weapon = r->data[r->pos - 1] == 1;
    const uint32_t entity = take_word(r), flash = take_byte(r) & 0x7f;

    if (!entity || (!is_extended(r) && entity >= 1024))
        finding(r, "a flash of entity %u", entity);
    if (weapon && (flash > 39 || flash == 15 || (flash > 18 && flash < 30)))
        finding(r, "flash %u", flash);
}

/* P a position, b a byte (a direction, too), w a word. */
static void take_parts(struct reading *r, const char *parts)
{
    for (; *parts; parts++) {
        if (*parts == 'P')
            take_coordinates(r, 3);
        else
            skip(r, *parts == 'w' ? 2 : 1);
    }
}

/* A steam that lasts has a number and a duration. */
static void take_steam(struct reading *r)
{
    const uint32_t number = take_word(r);

    take_parts(r, "bPbbw");
    skip(r, number != 0xffff ? 4 : 0);
}

static void take_temp_entity(struct reading *r)
{
    static const char *const shapes[] = {
        "Pb",   "Pb", "Pb",   "PP",   "Pb",   "P",   "P",   "P",    "P",   "Pb",       "bPbb",
        "PP",   "Pb", "Pb",   "Pb",   "bPbb", "wPP", "P",   "P",    "wPP", "P",        "P",
        "P",    "PP", "wPPP", "bPbb", "Pb",   "PP",  "P",   "bPbb", "Pb",  "PP",       NULL,
        "wwPP", "PP", "P",    "Pw",   "PPb",  "wPP", "wPP", NULL,   "PP",  "Pb",       "Pb",
        "Pb",   "P",  "Pb",   "P",    "P",    "P",   "wP",  "P",    "P",   "P",        "P",
        "Pb",   "Pb", "PP",   "Pb",   "wPP",  "wb",  "wPP", "P",    "P",   [128] = "w"};
    const uint32_t type = take_byte(r);

    if (type == 40)
        take_steam(r);
    else if (r->version <= SWAPPED_LAST && (type == 26 || type == 27))
        take_parts(r, type == 26 ? "PP" : "Pb");
    else if (type < (is_extended(r) ? G_N_ELEMENTS(shapes) : 56) && shapes[type])
        take_parts(r, shapes[type]);
    else
        r->bad = true;
}

static const char *const shapes[256] = {[4] = "p", [6] = "", [10] = "bs", [15] = "s"};

static message_reader *const readers[256] = {

    [1] = take_flash,       [2] = take_flash,         [3] = take_temp_entity, [5] = take_inventory,
    [7] = take_ending,      [8] = take_ending,        [9] = take_sound,       [11] = take_stufftext,
    [12] = take_serverdata, [13] = take_configstring, [14] = take_baseline,   [16] = take_ending,
    [17] = take_player,     [18] = take_entities,     [20] = take_frame};

static void read_dm2(struct reading *r, const uint8_t *demo, size_t size)
{
    struct reading file = {.data = demo, .size = (uint32_t)size};

    while (!file.bad && file.pos < file.size) {
        const uint32_t length = take_long(&file);

        if (length == UINT32_MAX)
            break;
        r->block++;
        if (!file.bad && length <= file.size - file.pos)
            take_messages(r, file.data + file.pos, length);
        skip(&file, length);
    }
    if (file.bad)
        finding(r, "the file is not whole");
}

const struct game engine_dm2 = {engines, needed, shapes, readers, 0, 0, read_dm2};
