/* SPDX-License-Identifier: GPL-2.0-or-later */
/* svc_clientdata: QuakeSpasm cl_parse.c CL_ParseClientdata; DarkPlaces cl_parse.c. */
#include "tests/engine_reader/message.h"

/* --- The player --- */

static uint32_t take_clientdata_flags(struct reading *r)
{
    uint32_t flags = take_word(r);

    if (flags & 1 << 15)
        flags |= take_byte(r) << 16;
    if (flags & 1 << 23)
        flags |= take_byte(r) << 24;
    return flags;
}

static void take_state(struct reading *r, uint32_t flags)
{
    skip(r, (flags >> 12 & 1) + (flags >> 13 & 1));
    skip(r, flags & 1 << 14 ? (is_bjp(r) ? 2 : 1) : 0);
    skip(r, 2 + 6);
}

static void take_quake_clientdata(struct reading *r, uint32_t flags)
{
    skip(r, __builtin_popcount(flags & 0xff) + 4);
    take_state(r, flags);
    skip(r, __builtin_popcount(flags & 0x037f0000));
}

static void take_darkplaces_clientdata(struct reading *r, uint32_t flags)
{
    const unsigned version = darkplaces_version(r);
    const unsigned kick = version >= 5 ? 4 : 2, velocity = version >= 5 ? 4 : 1;

    skip(r, (flags & 1) + (flags >> 1 & 1));
    for (unsigned axis = 0; axis < 3; axis++)
        skip(r, (flags & 4u << axis ? 2 : 0) + (flags & 0x10000u << axis ? kick : 0) +
                    (flags & 0x20u << axis ? velocity : 0));
    if (flags & 1 << 9 || version <= 5)
        skip(r, 4);
    if (version < 5)
        take_state(r, flags);
    else if (version == 5)
        skip(r, 2 * ((flags >> 12 & 1) + (flags >> 13 & 1) + (flags >> 14 & 1)) + 14);
    if (flags & 1 << 19)
        skip(r, version >= 2 && version <= 4 ? 1 : 2);
}

void take_clientdata(struct reading *r)
{
    const uint32_t flags = take_clientdata_flags(r);

    if (r->version == 15 && plays_everywhere(r) && flags & 1 << 15)
        r->bad = true;
    r->bad |= r->version != 15 && !darkplaces_version(r) && !(flags & 1 << 9);
    if (darkplaces_version(r))
        take_darkplaces_clientdata(r, flags);
    else
        take_quake_clientdata(r, flags);
}
