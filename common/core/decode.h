/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The decoder: reads values from a packet, emits them to a sink, and updates the session.
 *
 * A parse function reads like its specification, one call for each value, in wire order:
 *
 *     static void read_damage(struct qs_decoder *d)
 *     {
 *         qs_u8(d, QW_DAMAGE_ARMOR);
 *         qs_u8(d, QW_DAMAGE_HEALTH);
 *         qs_coord3(d, QW_DAMAGE_ORIGIN);
 *     }
 *
 * The function's name is the wire format; the field's row says how to show the value. Without a
 * sink the calls only read.
 */
#ifndef QS_CORE_DECODE_H
#define QS_CORE_DECODE_H

#include "common/core/decoder.h"
#include "common/core/emit.h"
#include "common/core/findings.h"
#include "common/core/values.h"

/* Initializes a decoder; `protocol` must not change later. Free it with qs_decoder_clear(). */
void qs_decoder_init(struct qs_decoder *decoder, const struct qs_protocol *protocol);
void qs_decoder_clear(struct qs_decoder *decoder);

/*
 * Decodes one packet for `sink` (may be NULL) and updates `session`. The findings are valid until
 * the next decode; some point into the packet's bytes, to which `session` keeps no reference.
 */
void qs_decode(struct qs_decoder *decoder, struct qs_session *session, struct qs_sink *sink,
               const struct qs_packet *packet);

/*
 * Like qs_decode() for one PDU of a stream (packet->pdu is not 0), in stream order. If the PDU has
 * framing, offsets of decoder->found.messages count in decoder->payload. Only for protocols that
 * have `decode_pdu`.
 */
void qs_decode_pdu(struct qs_decoder *decoder, struct qs_session *session, struct qs_sink *sink,
                   const struct qs_packet *pdu);

/*
 * Like qs_decode() for server messages without a packet header: a block of a demo file. Only for
 * protocols that have `decode_server_messages`.
 */
void qs_decode_server_messages(struct qs_decoder *decoder, struct qs_session *session,
                               struct qs_sink *sink, const struct qs_packet *block);

/*
 * Like qs_decode() for a block of a file with its framing, which `decode` reads. `offset` is the
 * block's offset in its file, from which sinks count. Offsets of decoder->found.messages count in
 * decoder->payload, the content of the frame.
 */
void qs_decode_block(struct qs_decoder *decoder, void (*decode)(struct qs_decoder *),
                     struct qs_session *session, struct qs_sink *sink,
                     const struct qs_packet *block, uint32_t offset);

/* Returns the number of problems of the last packet: notes that fail a check, and one for undecoded
 * bytes. */
uint32_t qs_decoder_problems(const struct qs_decoder *decoder);

/* --- Sources: joined fragments and inflated bytes, from which values of a packet are read */

/*
 * Makes later reads come from `data`, which must stay valid, until qs_pop_source(). Returns false,
 * without side effects, if sources are nested too deep.
 */
bool qs_push_source(struct qs_decoder *d, const char *title, const uint8_t *data, uint32_t size);
void qs_pop_source(struct qs_decoder *d);

/*
 * Ends the framing of a block or PDU: parse functions see the rest as a packet, the payload.
 * Offsets for sinks still count from the beginning of the block.
 */
void qs_enter_payload(struct qs_decoder *d);

/* Adds a note that the framing is malformed, and emits the rest of the block as undecoded. */
void qs_no_block(struct qs_decoder *d);

/* --- Messages */

struct qs_message_type {
    const char *name;                   /* "svc_playerinfo" */
    const char *brief;                  /* name in the summary, "playerinfo" */
    unsigned group;                     /* row of the group that contains its fields */
    void (*read)(struct qs_decoder *d); /* reads what follows the id; NULL: obsolete, unreadable */
};

/* The `read` of a message without fields. */
void qs_read_nothing(struct qs_decoder *d);

/* Returns the type of message `id`, or NULL if it is unknown. May depend on the session. */
typedef const struct qs_message_type *qs_message_lookup(const struct qs_decoder *d, uint32_t id);

/*
 * Reads messages to the end of the current source. Emits a group for each, with the id (row
 * `id_row`) and the fields of its `read`. Stops at the first message that is unknown, runs past the
 * end, or sets `stop`, and emits the rest as undecoded.
 */
void qs_read_messages(struct qs_decoder *d, unsigned id_row, qs_message_lookup *lookup);

/* Reads one message; a byte must be left. Returns true if another may follow. */
bool qs_read_message(struct qs_decoder *d, unsigned id_row, qs_message_lookup *lookup);

/* --- Trial decoding, to find out a packet's direction or protocol version */

/*
 * True if `read` finds no problem in the rest of the source, given `session`: the decoder's own, or
 * a variant that is to be tested. Changes nothing.
 */
bool qs_is_readable(const struct qs_decoder *d, const struct qs_session *session,
                    void (*read)(struct qs_decoder *));

/* Like qs_is_readable() for a whole packet, if it was sent in `direction`. */
bool qs_reads_as(const struct qs_decoder *d, const struct qs_session *session,
                 enum qs_direction direction, const struct qs_packet *packet,
                 void (*decode)(struct qs_decoder *));

/* Like qs_is_readable() for `bytes` outside of the source, such as joined fragments. */
bool qs_are_readable(const struct qs_decoder *d, const struct qs_session *session,
                     struct qs_view bytes, void (*read)(struct qs_decoder *));

/*
 * Returns the only direction in which the packet decodes without a problem, or QS_DIRECTION_UNKNOWN
 * if both or none do. Changes nothing.
 */
enum qs_direction qs_probe_direction(struct qs_decoder *d);

/*
 * True if the packet, sent in `direction`, decodes as messages without a problem in a new session.
 * `sink` may be NULL.
 */
bool qs_reads_alone(const struct qs_protocol *protocol, const struct qs_packet *packet,
                    enum qs_direction direction, struct qs_sink *sink);

/*
 * Like qs_reads_alone() in the direction that the server port implies, or in either direction if no
 * port or both ports are a server's. True also for a packet that the capture cut.
 */
bool qs_may_be_read(const struct qs_protocol *protocol, const struct qs_packet *packet);

/* Sets the current packet's direction and derives from it which end is the server, unless a level
 * has begun in the connection: engines ignore packets that contradict that. */
void qs_learn_direction(struct qs_decoder *d, enum qs_direction direction);

#endif
