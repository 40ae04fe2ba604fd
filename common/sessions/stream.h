/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Divides what the two ends of a TCP connection send into the PDUs of a protocol (see
 * qs_protocol.pdu_length). Holds an incomplete PDU, whose length the protocol limits.
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
 * Returns the next complete PDU of the bytes added last; false if there is none. Decode it before
 * the next call, which depends on `session`. Its data is valid until more is added.
 */
bool qs_stream_next(struct qs_stream *stream, const struct qs_session *session,
                    struct qs_packet *pdu);

/*
 * Returns the rest of an incomplete PDU of `end`; its wire_size is the least that the complete one
 * has. False if nothing is left.
 */
bool qs_stream_rest(struct qs_stream *stream, const struct qs_session *session, enum qs_end end,
                    struct qs_packet *pdu);

#endif
