/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The decoder: reads values off a packet, emits them to a sink, and keeps the session up to date.
 *
 * A parse function reads as its specification does, one call a value, in wire order:
 *
 *     static void read_damage(struct qs_decoder *d)
 *     {
 *         qs_u8(d, QW_DAMAGE_ARMOR);
 *         qs_u8(d, QW_DAMAGE_HEALTH);
 *         qs_coord3(d, QW_DAMAGE_ORIGIN);
 *     }
 *
 * The function's name is the wire format; the field's row says how to show it. Without a sink the
 * calls only read.
 */
#ifndef QS_CORE_DECODE_H
#define QS_CORE_DECODE_H

#include "common/core/decoder.h"
#include "common/core/emit.h"
#include "common/core/findings.h"
#include "common/core/values.h"

/* `protocol` must not change later. Free the contents with qs_decoder_clear(). */
void qs_decoder_init(struct qs_decoder *decoder, const struct qs_protocol *protocol);
void qs_decoder_clear(struct qs_decoder *decoder);

/*
 * Decodes one packet for `sink` (may be NULL) and updates `session`. Keeps no reference to the
 * packet's bytes.
 */
void qs_decode(struct qs_decoder *decoder, struct qs_session *session, struct qs_sink *sink,
               const struct qs_packet *packet);

/*
 * The same for one unit of a stream (packet->unit is not 0), in the stream's order. Messages in
 * `decoder->messages` count in `decoder->payload` where the unit frames them. Only for protocols
 * that have `decode_unit`.
 */
void qs_decode_unit(struct qs_decoder *decoder, struct qs_session *session, struct qs_sink *sink,
                    const struct qs_packet *unit);

/*
 * The same for server messages without a packet's header: a block of a demo file.
 * Only for protocols that have `decode_server_messages`.
 */
void qs_decode_server_messages(struct qs_decoder *decoder, struct qs_session *session,
                               struct qs_sink *sink, const struct qs_packet *block);

/*
 * The same for a block of a file, with its framing, which `decode` reads. `offset` is the block's
 * in its file, where sinks count from. Messages in `decoder->messages` count in what the framing
 * holds, `decoder->payload`.
 */
void qs_decode_block(struct qs_decoder *decoder, void (*decode)(struct qs_decoder *),
                     struct qs_session *session, struct qs_sink *sink,
                     const struct qs_packet *block, uint32_t offset);

/* Problems found in the last packet: notes that fail a check, and undecoded bytes. */
uint32_t qs_decoder_problems(const struct qs_decoder *decoder);

/* --- Sources: other ranges of bytes that a packet's values are read from: joined fragments,
 * inflated bytes */

/*
 * Makes later reads come from `data`, until qs_pop_source(). Returns false and changes nothing if
 * sources are nested too deep.
 */
bool qs_push_source(struct qs_decoder *d, const char *title, const uint8_t *data, uint32_t size);
void qs_pop_source(struct qs_decoder *d);

/*
 * Ends the framing of a demo's or stream's block: the rest is the payload, which parse functions
 * see as a packet. Offsets for sinks still count from the beginning of the block.
 */
void qs_enter_payload(struct qs_decoder *d);

/* The framing is malformed: adds a note; nothing of the block is decoded. */
void qs_no_block(struct qs_decoder *d);

/* --- Messages: the functions that read them, and messages without one */

struct qs_message_type {
    const char *name;                   /* "svc_playerinfo" */
    const char *brief;                  /* for the summary, "playerinfo" */
    unsigned group;                     /* the row under which its fields stand */
    void (*read)(struct qs_decoder *d); /* after the id; NULL: obsolete, unreadable */
};

/* The `read` of a message whose id is all of it. */
void qs_read_nothing(struct qs_decoder *d);

/* Finds the type of message `id`, or NULL. May look at the session. */
typedef const struct qs_message_type *qs_message_lookup(const struct qs_decoder *d, uint32_t id);

/*
 * Reads messages to the end of the current source. Emits a group for each, with the id (row
 * `id_row`) and the fields of its `read`. Ends at the first message that is unknown, runs past the
 * end, or sets `stop`, and reports the rest as undecoded.
 */
void qs_read_messages(struct qs_decoder *d, unsigned id_row, qs_message_lookup *lookup);

/* Reads one message; returns whether another may follow. */
bool qs_read_message(struct qs_decoder *d, unsigned id_row, qs_message_lookup *lookup);

/* --- Decoding on trial, to find out what a packet can be: who sent it, which version it has */

/*
 * Whether `read` finds no problem in what is left of the source, with what `session` knows:
 * the decoder's own, or one that differs from it in what is to be found out. Changes nothing.
 */
bool qs_is_readable(const struct qs_decoder *d, const struct qs_session *session,
                    void (*read)(struct qs_decoder *));

/* The same of a packet, from its first byte on, if it was sent in `direction`. */
bool qs_reads_as(const struct qs_decoder *d, const struct qs_session *session,
                 enum qs_direction direction, const struct qs_packet *packet,
                 void (*decode)(struct qs_decoder *));

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
