/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets that are kept to be read again: in memory as long as they are few, then in a temporary
 * file that has no name. Comments of packets are not kept.
 */
#ifndef QS_SESSIONS_SPOOL_H
#define QS_SESSIONS_SPOOL_H

#include <stdbool.h>

#include "common/core/packet.h"

struct qs_spool;

struct qs_spool *qs_spool_new(void);
void qs_spool_free(struct qs_spool *spool);

/*
 * Keeps a packet of `file`, an interned text. False: it cannot be kept, nor any further one; see
 * qs_spool_error().
 */
bool qs_spool_add(struct qs_spool *spool, const char *file, const struct qs_packet *packet);

/* Why packets are not kept any more, or NULL. */
const char *qs_spool_error(const struct qs_spool *spool);

/* Reads again from the first packet on. Nothing can be added any more. */
void qs_spool_rewind(struct qs_spool *spool);

/* The next packet, valid until the one after it; false: there is none. */
bool qs_spool_next(struct qs_spool *spool, const char **file, struct qs_packet *packet);

#endif
