/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decoding on trial, to find out what a packet can be: who sent it, which version it has. */
#ifndef QS_CORE_TRIAL_H
#define QS_CORE_TRIAL_H

#include "common/core/decoder.h"

/*
 * Whether `read` finds no problem in what is left of the source, with what `session` knows:
 * the decoder's own, or one that differs from it in what is to be found out. Changes nothing.
 */
bool qs_is_readable(const struct qs_decoder *d, const struct qs_session *session,
                    void (*read)(struct qs_decoder *));

/* The same of `bytes`, which the source need not have: of fragments that were joined. */
bool qs_are_readable(const struct qs_decoder *d, const struct qs_session *session,
                     struct qs_view bytes, void (*read)(struct qs_decoder *));

/*
 * Returns the one direction in which the packet decodes without a problem; unknown when that is
 * both or neither. Changes nothing.
 */
enum qs_direction qs_probe_direction(struct qs_decoder *d);

/*
 * Whether the packet, with nothing known of its conversation, decodes as messages without a
 * problem, as sent in `direction`. `sink` may be NULL.
 */
bool qs_reads_alone(const struct qs_protocol *protocol, const struct qs_packet *packet,
                    enum qs_direction direction, struct qs_sink *sink);

/*
 * The same in the direction of its ports, or in either if they are no server's. True also for a
 * packet that the capture cut.
 */
bool qs_may_be_read(const struct qs_protocol *protocol, const struct qs_packet *packet);

/* Records who is the server, from the direction of the packet at hand. */
void qs_learn_direction(struct qs_decoder *d, enum qs_direction direction);

#endif
