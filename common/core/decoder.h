/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of a decoder. Parse functions read it and set what the current format determines; the
 * core sets all else.
 */
#ifndef QS_CORE_DECODER_H
#define QS_CORE_DECODER_H

#include <glib.h>

#include "common/core/packet.h"
#include "common/core/protocol.h"
#include "common/core/reader.h"
#include "common/core/session.h"
#include "common/core/sink.h"

/* The session's encoding of coordinates and angles. */
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
    uint8_t source;       /* 0: the payload; else how many sources it is nested in */
    bool is_unlisted : 1; /* it names something by a number that the list does not have */
    const uint8_t *bytes; /* as long as its source is there */
};

enum { QS_MESSAGE_IDS = 256 }; /* an id is a byte */

enum { QS_SOURCES_MAX = 4, QS_REQUESTS_MAX = 8, QS_CREDENTIALS_MAX = 4 };

/* A packet's request or response (findings.h). */
struct qs_requests {
    uint32_t asks,
        answers;  /* sets of QS_ASK_ bits; where neither is empty, clients ask and servers answer */
    uint32_t key; /* equal in a request and its response, where `keyed` */
    bool keyed;
};

/* Players' names are shorter; UTF-8 has up to four bytes a character. */
enum { QS_USER_CHARACTERS = 31, QS_USER_MAX = 4 * QS_USER_CHARACTERS + 1 };

/* A password in the packet, and its user. */
struct qs_credential {
    unsigned row;           /* the field that has it */
    const char *purpose;    /* "rcon" */
    char user[QS_USER_MAX]; /* UTF-8; empty: unknown, or too long */
};

/*
 * A packet may announce that its server continues on another port. The conversation between these
 * two addresses then has the same protocol, whatever its bytes look like, and a session of its own
 * with `server` as the server's address. Servers repeat the announcement: a session that has begun
 * and is not disconnected stays.
 */
struct qs_announcement {
    bool valid;
    struct qs_address server, client;
};

/* What a packet tells of the path, for common/netchan/quality.h. Of the client's packets: */
struct qs_path_facts {
    bool has_loss;
    uint8_t loss; /* percent of its last 256 numbers that were not answered, rounded down */
    /* Updates that it acknowledges by name: `acked_id`, and bit n: acked_id - n; 0: none. */
    uint32_t acked_id;
    uint64_t acked_ids;
    /* Of the server's: */
    uint32_t ack_id; /* the name by which the client acknowledges the update; 0: none */
    uint32_t choked; /* updates that it says it suppressed before this one */
    uint32_t frame;  /* counts updates, suppressed ones, too; 0: none */
    bool has_drop;
    bool drop; /* datagrams of the client were missing since the last update */
};

struct qs_decoder;
struct qs_value;

/*
 * Sees values and texts before the sink and the summary, and may replace them. The filter that
 * hides passwords (common/dump/secret.h) begins with this struct.
 */
struct qs_redactor {
    /* Called before each packet. */
    void (*begin)(struct qs_redactor *redactor);
    /* Returns the row by which the value is shown: `row`, else it has no parts. Bytes of the value
     * are valid until the next call. */
    const struct qs_field *(*value)(struct qs_redactor *redactor, const struct qs_decoder *d,
                                    const struct qs_field *row, struct qs_value *value);
    /* A text of the summary; what is returned is valid until the next call. */
    struct qs_view (*text)(struct qs_redactor *redactor, const struct qs_decoder *d,
                           struct qs_view text);
};

/* What a decode finds in its packet; valid until the next qs_decode(). */
struct qs_found {
    enum qs_direction direction;
    bool connectionless;
    bool accepted; /* a netchan packet that its receiver takes: not stale, not a duplicate */
    uint32_t sequence, acknowledged; /* of its netchan header, without the reliable bit */
    uint32_t fragment;  /* of those that its message is joined of, from 1 on; 0: it has none */
    uint32_t fragments; /* where it is the last one: how many they are; else 0 */
    struct qs_path_facts path;
    struct qs_requests requests[QS_REQUESTS_MAX];
    unsigned request_count;
    struct qs_credential credentials[QS_CREDENTIALS_MAX];
    unsigned credential_count;
    GArray *messages;                          /* struct qs_message */
    guint messages_room;                       /* of the array */
    uint64_t message_ids[QS_MESSAGE_IDS / 64]; /* of `messages`; see qs_has_message() */
    GArray *entities; /* struct qs_entity_update, in wire order; of a message not in `messages`,
                         too */
    GArray *player_events; /* struct qs_player_event */
    struct qs_announcement announced;
    struct qs_view map;            /* of a server that tells its status; none: it does not */
    GArray *transfers;             /* struct qs_transfer: steps of file transfers */
    GString *summary;              /* one line, UTF-8; see summary.h */
    uint32_t notes[QS_NOTE_KINDS]; /* how many of each */
    uint32_t undecoded;            /* undecoded bytes */
    uint32_t problems;             /* notes that fail a check, and undecoded bytes as one */
};

struct qs_decoder {
    /* Set by the caller of qs_decode(); may change between packets. */
    const struct qs_protocol *protocol;
    struct qs_session *session;
    struct qs_sink *sink;    /* or NULL */
    const uint32_t *options; /* one value for each of the protocol's options; NULL: the defaults */
    struct qs_redactor *redactor; /* or NULL */
    bool want_summary;            /* fill `summary` */
    GString *transcript;          /* with `want_summary`: is appended to (see summary.h); or NULL */
    bool want_transfers;          /* fill `transfers` */
    unsigned want_entities;       /* QS_ENTITIES_*: which kinds go into `entities` */
    bool unchecked;               /* do not verify the checksums of moves */

    /* Valid during a decode. */
    const struct qs_packet *packet;
    struct qs_reader in;
    bool fields_wanted; /* the sink takes fields */
    bool values_wanted; /* it does, or there is to be a summary */
    bool unlisted;      /* current message: see qs_message.is_unlisted */
    bool stop;          /* a message ended the message loop, with a note */
    bool probing;       /* a trial: its session is discarded */
    enum qs_coord_format coord_format;
    enum qs_angle_format angle_format;
    uint8_t id_mask;   /* the bits of a message's first byte that are its id; usually all */
    uint8_t whole_id;  /* a first byte that is an id with all its bits; 0: none is */
    uint64_t inflated; /* bytes that its compressed messages asked for so far */
    unsigned source_depth;
    struct qs_reader outer[QS_SOURCES_MAX];
    uint32_t origin;          /* offset of the payload's first byte, for sinks */
    struct qs_packet payload; /* of a block of a demo or stream: the packet or the messages in it */

    struct qs_found found;
    struct qs_summary_parts *summary_parts; /* for summary.c */
};

static inline const struct qs_message *qs_message_at(const struct qs_decoder *d, guint index)
{
    return &g_array_index(d->found.messages, struct qs_message, index);
}

/* The message, id and all. */
static inline struct qs_view qs_message_view(const struct qs_message *message)
{
    return (struct qs_view){message->bytes, message->length};
}

/* The current message's first byte, with the bits above its id; its reader asks before it reads. */
static inline uint8_t qs_message_byte(const struct qs_decoder *d)
{
    return d->in.data[d->in.pos - 1];
}

/* Whether any of the packet's messages has the id. */
static inline bool qs_has_message(const struct qs_decoder *d, uint8_t id)
{
    return d->found.message_ids[id / 64] >> id % 64 & 1;
}

/* The value of the protocol's option number `index`. */
static inline uint32_t qs_option(const struct qs_decoder *d, unsigned index)
{
    return d->options ? d->options[index] : d->protocol->options[index].standard;
}

#endif
