/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cuts what the two ends of a TCP connection send into the units of a protocol (see
 * qs_protocol.pdu_length). A unit that is not whole yet is held; no unit is longer than its
 * protocol allows.
 */
#ifndef QS_SESSIONS_STREAM_H
#define QS_SESSIONS_STREAM_H

#include <stdbool.h>

#include "common/core/protocol.h"

struct qs_stream;

struct qs_stream *qs_stream_new(const struct qs_protocol *protocol);
void qs_stream_free(struct qs_stream *stream);

/* Adds the next bytes of the end `bytes->from`. Those behind a hole have `missing`. */
void qs_stream_add(struct qs_stream *stream, const struct qs_packet *bytes);

/*
 * The next whole unit of what was added last; it depends on what those before it made of `session`.
 * Its data are valid until more is added.
 */
bool qs_stream_next(struct qs_stream *stream, const struct qs_session *session,
                    struct qs_packet *unit);

/*
 * What is left of a unit that `end` has begun, and will not be whole: with the wire_size that it
 * would have had at least. False: nothing is left.
 */
bool qs_stream_rest(struct qs_stream *stream, const struct qs_session *session, enum qs_end end,
                    struct qs_packet *unit);

#endif
