/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Info strings: `\key\value\key\value…`, as user info, server info and challenges carry them.
 * Source: qw28-protocol, "Info String". Keys and values are at most 63 bytes long; keys beginning
 * with `*` are set by the engine only; empty pairs and a missing last value occur.
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

/* The next pair of `info` at `*pos`, which moves behind it. False at the end. Offsets count in
 * `info`. */
bool qs_info_next(struct qs_view info, uint32_t *pos, struct qs_info_pair *pair);

/* The value of `key`, or the empty view (data NULL) when it is not there. The first one counts. */
struct qs_view qs_info_value(struct qs_view info, const char *key);

/*
 * Whether an engine does more with this pair of a server's info than show it or play by it. FTE
 * fetches files that it lacks from sv_dlURL, also while it plays a demo (cl_parse.c,
 * CL_CheckOrEnqueDownloadFile). Of MVDSV 0.30 ezQuake believes few extensions, and reads messages
 * without them (cl_parse.c, CL_PEXT_Fix).
 */
bool qs_info_is_obeyed(struct qs_view key, struct qs_view value);

/* `info` with `key` set to `value`, as a new string (g_free() it). */
char *qs_info_set(struct qs_view info, struct qs_view key, struct qs_view value);

#endif
