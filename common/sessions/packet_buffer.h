/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets that are kept to be read again: in memory as long as they are few, then in a temporary
 * file that has no name. Comments of packets are not kept.
 */
#ifndef QS_SESSIONS_PACKET_BUFFER_H
#define QS_SESSIONS_PACKET_BUFFER_H

#include <stdbool.h>

#include "common/core/packet.h"

struct qs_packet_buffer;

struct qs_packet_buffer *qs_packet_buffer_new(void);
void qs_packet_buffer_free(struct qs_packet_buffer *spool);

/*
 * Keeps a packet of `file`, an interned text. False: it cannot be kept, nor any further one; see
 * qs_packet_buffer_error().
 */
bool qs_packet_buffer_add(struct qs_packet_buffer *spool, const char *file,
                          const struct qs_packet *packet);

/* Why packets are not kept any more, or NULL. */
const char *qs_packet_buffer_error(const struct qs_packet_buffer *spool);

/* Reads again from the first packet on. Nothing can be added any more. */
void qs_packet_buffer_rewind(struct qs_packet_buffer *spool);

/* The next packet, valid until the one after it; false: there is none. */
bool qs_packet_buffer_next(struct qs_packet_buffer *spool, const char **file,
                           struct qs_packet *packet);

#endif
