/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets that are kept to be read again: in memory as long as they are few, then in a temporary
 * file that has no name. Comments of packets are not kept.
 */
#ifndef PCAP2DEMO_SPOOL_H
#define PCAP2DEMO_SPOOL_H

#include <stdbool.h>

#include "common/core/packet.h"

struct spool;

struct spool *spool_new(void);
void spool_free(struct spool *spool);

/*
 * Keeps a packet of `file`, an interned text. False: it cannot be kept, nor any further one; see
 * spool_error().
 */
bool spool_add(struct spool *spool, const char *file, const struct qs_packet *packet);

/* Why packets are not kept any more, or NULL. */
const char *spool_error(const struct spool *spool);

/* Reads again from the first packet on. Nothing can be added any more. */
void spool_rewind(struct spool *spool);

/* The next packet, valid until the one after it; false: there is none. */
bool spool_next(struct spool *spool, const char **file, struct qs_packet *packet);

#endif
