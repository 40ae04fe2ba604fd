/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The comments on packets of a capture that was made of a demo: what of the demo each carries (see
 * common/demo/parts.h).
 */
#ifndef QS_SESSIONS_COMMENTS_H
#define QS_SESSIONS_COMMENTS_H

#include <stdint.h>

#include "common/core/reader.h"

struct qs_comments;

struct qs_comments *qs_comments_new(void);
void qs_comments_free(struct qs_comments *comments);

/* Sets that of packet `number`, from 1; an empty one is none. */
void qs_comments_set(struct qs_comments *comments, uint64_t number, struct qs_view comment);

/* Of a packet, by its number in the file from 1; NULL: there is none. `comments` may be NULL. */
const char *qs_comments_find(const struct qs_comments *comments, uint64_t number);

/* Whether any packet has one. */
bool qs_comments_has_any(const struct qs_comments *comments);

#endif
