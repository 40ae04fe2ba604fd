/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets that are kept to be read again: a few in memory, more in a temporary file that has no
 * name.
 */
#ifndef QS_SESSIONS_PACKET_BUFFER_H
#define QS_SESSIONS_PACKET_BUFFER_H

#include <stdbool.h>

#include "common/core/packet.h"

struct qs_packet_buffer;

struct qs_packet_buffer *qs_packet_buffer_new(void);
void qs_packet_buffer_free(struct qs_packet_buffer *buffer);

/*
 * Keeps a copy of a packet of `file`, an interned text. False if neither this one nor a later one
 * can be kept: see qs_packet_buffer_error().
 */
bool qs_packet_buffer_add(struct qs_packet_buffer *buffer, const char *file,
                          const struct qs_packet *packet);

/* Returns why packets are not kept any more, or NULL. */
const char *qs_packet_buffer_error(const struct qs_packet_buffer *buffer);

/* Starts reading at the first packet. Nothing may be added after that. */
void qs_packet_buffer_rewind(struct qs_packet_buffer *buffer);

/* Reads the next packet, valid until the next call. False at the end. */
bool qs_packet_buffer_next(struct qs_packet_buffer *buffer, const char **file,
                           struct qs_packet *packet);

#endif
