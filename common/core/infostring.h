/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Info strings: `\key\value\key\value…`, as user info, server info and challenges carry them.
 * Source: qw28-protocol, "Info String". Keys and values are at most 63 bytes long; only the program
 * sets keys that begin with `*`; empty pairs and a missing last value occur.
 */
#ifndef QS_CORE_INFOSTRING_H
#define QS_CORE_INFOSTRING_H

#include <stdbool.h>

#include "common/core/reader.h"

enum { QS_INFO_PART_MAX = 63 };

struct qs_info_pair {
    struct qs_view key, value;
    uint32_t offset; /* of the pair's first byte (its backslash, where it has one) */
    uint32_t length;
    uint32_t key_offset, value_offset;
    bool has_value; /* false: the string ended behind the key */
};

/* Reads the pair of `info` at `*pos` and moves `*pos` behind it. False at the end. Offsets are
 * relative to `info`. */
bool qs_info_next(struct qs_view info, uint32_t *pos, struct qs_info_pair *pair);

/* The value of the first pair with `key`, or the empty view (data NULL) if there is none. */
struct qs_view qs_info_value(struct qs_view info, const char *key);

/* Whether the first pair with `key` has a value other than "0" and an empty text. */
bool qs_info_is_set(struct qs_view info, const char *key);

/* `info` with `key` set to `value`, as a new string (g_free() it). NULL: it would be longer than
 * `max` bytes; engines then keep the string that they have (Info_SetValueForStarKey). */
char *qs_info_set(struct qs_view info, struct qs_view key, struct qs_view value, uint32_t max);

/* The first pairs of `info`, as many as fit into `max` bytes. */
struct qs_view qs_info_cut(struct qs_view info, uint32_t max);

#endif
