/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/crowded.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include "pcap2demo/output/message.h"

/* Of what the system has, or of what it allows the program, this part may be used. */
enum { MEMORY_PART = 2 };

/* Bytes that a session may come to need. */
enum { SESSION_MEMORY = 256 * 1024 };

static uint64_t memory_max(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    uint64_t max = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
    struct rlimit limit;

    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        max = MIN(max, (uint64_t)limit.rlim_cur);
    return max / MEMORY_PART;
}

/* 0 where the C library does not tell. */
static uint64_t memory_in_use(void)
{
#if defined __GLIBC__ && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    const struct mallinfo2 info = mallinfo2();

    return (uint64_t)info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

/* To find out takes long. Where there was room, so many sessions more do not fill it. */
enum { ASK_EVERY = 64 };

bool crowded_has_memory(guint live)
{
    static uint64_t max;
    static bool has_room;
    static unsigned asked;

    if (!max)
        max = memory_max();
    if (!has_room || asked++ % ASK_EVERY == 0)
        has_room = memory_in_use() < max;
    return has_room && (uint64_t)live * SESSION_MEMORY < max;
}

void crowded_report(const struct qs_session_limits *crowd)
{
    failure(EXIT_PROBLEMS, (struct qs_location){0},
            "too many sessions went on at once (--max-sessions %u, or memory): %" G_GUINT64_FORMAT
            " were ended early, %" G_GUINT64_FORMAT " left out",
            crowd->max, crowd->ended, crowd->left_out);
}
