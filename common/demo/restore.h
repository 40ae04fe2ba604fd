/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Restores the demo that a capture was made of, byte for byte, from the pieces that its packets'
 * comments tell. Nothing is decoded, and nothing is left out: who sanitizes rebuilds.
 */
#ifndef QS_DEMO_RESTORE_H
#define QS_DEMO_RESTORE_H

#include "common/demo/writer.h"

struct qs_demo_restorer;

/* `comment` is that of the session's first packet; may be NULL. NULL: it was made of no demo. */
struct qs_demo_restorer *qs_demo_restorer_new(struct qs_demo_writer *out, const char *comment);
void qs_demo_restorer_free(struct qs_demo_restorer *restorer);

/* Takes the next packet of the session, or unit of its stream, with its comment or NULL. */
void qs_demo_restorer_packet(struct qs_demo_restorer *restorer, const struct qs_packet *packet,
                             const char *comment);

#endif
