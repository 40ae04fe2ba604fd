/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes are runs: how many bytes are the same before it, how many differ, and these bytes. */
#include "plugin/snapshots.h"

#include <string.h>

enum {
    LEAP = 16,    /* bytes that are compared at once: most have not changed */
    RUN_HEAD = 2, /* bytes */
    RUN_MAX = UINT8_MAX
};

/* The next byte from `at` on that differs, or `end`. */
static size_t find_change(const uint8_t *one, const uint8_t *other, size_t at, size_t end)
{
    while (at + LEAP <= end && !memcmp(one + at, other + at, LEAP))
        at += LEAP;
    while (at < end && one[at] == other[at])
        at++;
    return at;
}

int snapshot_compare(const struct qs_protocol *protocol, const struct qs_session *whole,
                     const struct qs_session *session, uint8_t changes[SNAPSHOT_CHANGES_MAX])
{
    const uint8_t *before = (const uint8_t *)whole, *now = (const uint8_t *)session;
    const size_t end = protocol->session_size;
    size_t last = 0, size = 0;

    for (size_t at; (at = find_change(before, now, last, end)) < end;) {
        const size_t start = at = MIN(at, last + RUN_MAX);

        while (at < end && before[at] != now[at] && at - start < RUN_MAX)
            at++;
        if (size + RUN_HEAD + (at - start) > SNAPSHOT_CHANGES_MAX)
            return -1;
        changes[size++] = (uint8_t)(start - last);
        changes[size++] = (uint8_t)(at - start);
        memcpy(changes + size, now + start, at - start);
        size += at - start;
        last = at;
    }
    return (int)size;
}

void snapshot_restore(const struct qs_protocol *protocol, const struct qs_session *whole,
                      const uint8_t *changes, unsigned size, struct qs_session *to)
{
    const uint8_t *end = changes + size;
    uint8_t *at = (uint8_t *)to;

    protocol->session_copy(to, whole);
    while (changes < end) {
        at += changes[0];
        memcpy(at, changes + RUN_HEAD, changes[1]);
        at += changes[1];
        changes += RUN_HEAD + changes[1];
    }
}
