/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a decoder knows of the packet that it decodes. Parse functions read it, and change what the
 * format in force determines; all else is set by the core.
 */
#ifndef QS_CORE_DECODER_H
#define QS_CORE_DECODER_H

#include <glib.h>

#include "common/core/packet.h"
#include "common/core/protocol.h"
#include "common/core/reader.h"
#include "common/core/session.h"
#include "common/core/sink.h"
#include "common/dump/secret.h"
#include "common/netchan/exchange.h"

/* How the session in force writes coordinates and angles. */
enum qs_coord_format {
    QS_COORD_SHORT,  /* i16, 1/8 unit */
    QS_COORD_WHOLE,  /* i16, units */
    QS_COORD_24BIT,  /* i16 units, u8 1/255 unit */
    QS_COORD_INT32,  /* i32, 1/16 unit */
    QS_COORD_FLOAT32 /* float, units */
};

enum qs_angle_format {
    QS_ANGLE_BYTE,   /* i8, 360/256 degrees */
    QS_ANGLE_SHORT,  /* i16, 360/65536 degrees */
    QS_ANGLE_FLOAT32 /* float, degrees */
};

/* A message of the packet. */
struct qs_message {
    uint32_t offset; /* of its id, in its source */
    uint32_t length; /* with the id */
    uint16_t id;
    uint8_t source;    /* 0: the payload; else how many sources it is nested in */
    bool is_ambiguous; /* see qs_decoder.ambiguous */
};

enum { QS_MESSAGE_IDS = 256 }; /* an id is a byte */

enum { QS_SOURCES_MAX = 4, QS_EXCHANGES_MAX = 8, QS_SECRETS_MAX = 4 };

/*
 * A packet may announce that its server goes on from another port. The conversation between these
 * two addresses is then of the same protocol, whatever its bytes look like, and has a session of
 * its own, in which the end with the address `server` is the server. Servers repeat themselves: a
 * session that has begun and is not disconnected stays.
 */
struct qs_announcement {
    bool valid;
    struct qs_address server, client;
};

struct qs_decoder {
    /* Set by the caller of qs_decode(); may change between packets. */
    const struct qs_protocol *protocol;
    struct qs_session *session;
    struct qs_sink *sink;    /* or NULL */
    const uint32_t *options; /* one value for each of the protocol's options; NULL: the defaults */
    bool want_summary;       /* fill `summary` */
    GString *transcript;     /* with `want_summary`: is appended to (see transcript.h); or NULL */
    bool want_transfers;     /* fill `transfers` */
    bool unchecked;          /* nobody asks whether checksums of moves are right */

    /* Valid during a decode. */
    const struct qs_packet *packet;
    struct qs_reader in;
    bool fields_wanted; /* the sink takes fields */
    bool values_wanted; /* it does, or there is to be a summary */
    bool ambiguous;     /* of the message at hand: no engine should play it as it is; see text.h */
    bool stop;          /* a message asked that the message loop end, with a note given */
    bool probing;       /* a trial, whose session is thrown away */
    enum qs_coord_format coord_format;
    enum qs_angle_format angle_format;
    uint8_t id_mask;   /* the bits of a message's first byte that are its id; usually all */
    uint8_t whole_id;  /* a first byte that is an id with all its bits; 0: none is */
    uint64_t inflated; /* bytes that its compressed messages asked for so far */
    unsigned source_depth;
    struct qs_reader outer[QS_SOURCES_MAX];
    uint32_t origin;          /* offset of the payload's first byte, for sinks */
    struct qs_packet payload; /* of a block of a demo or stream: the packet or the messages in it */

    /* What came of the packet; valid until the next qs_decode(). */
    enum qs_direction direction;
    bool connectionless;
    bool handshake; /* connectionless: asks for a connection, or answers that */
    bool accepted;  /* a netchan packet that its receiver takes: not stale, not a duplicate */
    uint32_t sequence, acknowledged; /* of its netchan header, without the reliable bit */
    uint32_t lost;      /* numbers before it that never came, without those left out on purpose */
    uint32_t fragment;  /* of those that its message is joined of, from 1 on; 0: it has none */
    uint32_t fragments; /* where it is the last one: how many they are; else 0 */
    struct qs_exchange exchanges[QS_EXCHANGES_MAX];
    unsigned exchange_count;
    struct qs_secrecy secrecy;
    struct qs_secret secrets[QS_SECRETS_MAX];
    unsigned secret_count;
    GArray *messages;                          /* struct qs_message */
    guint messages_room;                       /* for message.c */
    uint64_t message_ids[QS_MESSAGE_IDS / 64]; /* of `messages`; see qs_has_message() */
    struct qs_announcement announced;
    GArray *transfers;             /* struct qs_transfer: steps of file transfers */
    GString *summary;              /* one line, UTF-8; see summary.h */
    uint32_t notes[QS_NOTE_KINDS]; /* how many of each */
    uint32_t undecoded;            /* bytes that nothing decoded */
    uint32_t problems;             /* notes that fail a check, and undecoded bytes as one */

    /* Of `summary`, before it is put together. */
    GArray *summary_items;  /* messages */
    unsigned summary_texts; /* how many of them have a text */
    GString *summary_remarks;
    bool transcript_line; /* the message at hand has a line in `transcript` */
};

/* Whether any of the packet's messages has the id. */
static inline bool qs_has_message(const struct qs_decoder *d, uint8_t id)
{
    return d->message_ids[id / 64] >> id % 64 & 1;
}

/* The value of the protocol's option number `index`. */
static inline uint32_t qs_option(const struct qs_decoder *d, unsigned index)
{
    return d->options ? d->options[index] : d->protocol->options[index].standard;
}

/* The life of a decoder, and the ways to decode a packet. */

/* `protocol` may not change later. Free what it holds with qs_decoder_clear(). */
void qs_decoder_init(struct qs_decoder *decoder, const struct qs_protocol *protocol);
void qs_decoder_clear(struct qs_decoder *decoder);

/*
 * Decodes one packet for `sink` (may be NULL) and updates `session`. The packet's bytes need to
 * live only as long as the call.
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
 * The same for server messages that stand alone, without a packet's header: a block of a demo file.
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

/* --- For the core */

/* Runs `decode` over `packet` with the session, sink and direction that the decoder has. */
void qs_decoder_run(struct qs_decoder *d, const struct qs_packet *packet,
                    void (*decode)(struct qs_decoder *));

/* Other ranges of bytes that a packet's values are read from: joined fragments, inflated bytes. */

/*
 * From here on reads come from `data`, until qs_pop_source(). Returns false, and reads on where it
 * was, when sources are nested too deep.
 */
bool qs_push_source(struct qs_decoder *d, const char *title, const uint8_t *data, uint32_t size);
void qs_pop_source(struct qs_decoder *d);

/*
 * The framing of a demo's or stream's block has been read: what is left of it is the payload, which
 * parse functions see as a packet. Sinks go on counting offsets from the beginning of the block.
 */
void qs_enter_payload(struct qs_decoder *d);

/* The framing cannot be read: that is noted, and nothing of the block is decoded. */
void qs_no_block(struct qs_decoder *d);

/* The message loop: which function reads a message, and what becomes of those that none can. */

struct qs_message_type {
    const char *name;                   /* "svc_playerinfo" */
    const char *brief;                  /* for the summary, "playerinfo" */
    unsigned group;                     /* the row under which its fields stand */
    void (*read)(struct qs_decoder *d); /* after the id; NULL: obsolete, nobody can read it */
};

/* Finds the type of message `id`, or NULL. May look at the session. */
typedef const struct qs_message_type *qs_message_lookup(const struct qs_decoder *d, uint32_t id);

/*
 * Reads messages to the end of the current source: for each a group, in it the id (row `id_row`)
 * and what its `read` reads. Ends at the first message that is unknown, runs past the end, or sets
 * `stop`; the rest is then reported as undecoded.
 */
void qs_read_messages(struct qs_decoder *d, unsigned id_row, qs_message_lookup *lookup);

/* The decoder's messages are those of a new packet from now on: none yet. */
void qs_forget_messages(struct qs_decoder *d);

/* Reads one of them; whether another may follow. */
bool qs_read_message(struct qs_decoder *d, unsigned id_row, qs_message_lookup *lookup);

#endif
