/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State of a decoder. Parse functions read it and set what the current format determines; the core
 * sets everything else.
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

/* A message of a packet. */
struct qs_message {
    uint32_t offset; /* offset of the id in its source */
    uint32_t length; /* size, including the id */
    uint8_t id;
    uint8_t source;       /* nesting depth of its source; 0: the payload */
    bool is_unlisted : 1; /* it contains a number that its list lacks (QS_ROLE_LISTED) */
    const uint8_t *bytes; /* valid as long as its source */
};

enum { QS_MESSAGE_IDS = 256 }; /* an id is a byte */

enum { QS_SOURCES_MAX = 4, QS_REQUESTS_MAX = 8, QS_CREDENTIALS_MAX = 4 };

/* A request or response in a packet (findings.h). */
struct qs_requests {
    uint32_t asks,
        answers;  /* sets of QS_ASK_ bits; if neither is empty, clients ask and servers answer */
    uint32_t key; /* equal in a request and its response, if `keyed` */
    bool keyed;
};

/* Size of a user name: players' names are shorter; UTF-8 has up to four bytes a character. */
enum { QS_USER_CHARACTERS = 31, QS_USER_MAX = 4 * QS_USER_CHARACTERS + 1 };

/* A password in the packet, and its user. */
struct qs_credential {
    unsigned row;           /* row of the field that contains it */
    const char *purpose;    /* "rcon" */
    char user[QS_USER_MAX]; /* UTF-8; empty if unknown or too long */
};

/*
 * Announcement that a server continues on another port. The conversation between these two
 * addresses then has the same protocol, whatever its bytes look like, and a session of its own with
 * `server` as the server's address. Servers repeat the announcement: an existing session that is
 * not disconnected stays.
 */
struct qs_announcement {
    bool valid;
    struct qs_address server, client;
};

/* Facts in a packet about the path, for common/netchan/quality.h. In clients' packets: */
struct qs_path_facts {
    bool has_loss;
    uint8_t loss; /* percent of the client's last 256 packets without an answer, rounded down */
    /* Updates that it acknowledges by id: `acked_id`, and acked_id - n for each bit n; 0: none. */
    uint32_t acked_id;
    uint64_t acked_ids;
    /* In servers' packets: */
    uint32_t ack_id; /* id by which the client acknowledges this update; 0: none */
    uint32_t choked; /* number of updates before this one that the server reports as suppressed */
    uint32_t frame;  /* count of updates, including suppressed ones; 0: none */
    bool has_drop;
    bool drop; /* the client's datagrams since the last update were not all received */
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
    /* Returns the row that shows the value: `row`, or another one, which has no parts. Replaced
     * bytes of the value are valid until the next call. */
    const struct qs_field *(*value)(struct qs_redactor *redactor, const struct qs_decoder *d,
                                    const struct qs_field *row, struct qs_value *value);
    /* Returns the text for the summary, valid until the next call. */
    struct qs_view (*text)(struct qs_redactor *redactor, const struct qs_decoder *d,
                           struct qs_view text);
};

/* Findings of a decode in its packet, valid until the next decode. */
struct qs_found {
    enum qs_direction direction;
    bool connectionless;
    bool is_outside; /* of no session: connectionless, and the connection had ended before */
    bool accepted;   /* the receiver accepts this netchan packet: not stale, not a duplicate */
    uint32_t sequence, acknowledged; /* numbers of the netchan header, without the reliable bit */
    uint32_t fragment;  /* number of this fragment in its message, from 1 on; 0: no fragment */
    uint32_t fragments; /* number of the message's fragments in the last one; else 0 */
    struct qs_path_facts path;
    struct qs_requests requests[QS_REQUESTS_MAX];
    unsigned request_count;
    struct qs_credential credentials[QS_CREDENTIALS_MAX];
    unsigned credential_count;
    GArray *messages;                          /* struct qs_message */
    guint messages_room;                       /* allocated elements of the array */
    uint64_t message_ids[QS_MESSAGE_IDS / 64]; /* set of ids in `messages`; see qs_has_message() */
    GArray *entities;      /* struct qs_entity_update, in wire order, also of messages missing in
                              `messages` */
    GArray *player_events; /* struct qs_player_event */
    struct qs_announcement announced;
    struct qs_view map;            /* map in a server's status response; empty if absent */
    GArray *transfers;             /* struct qs_transfer: steps of file transfers */
    GString *summary;              /* one line, UTF-8; see emit.h */
    uint32_t notes[QS_NOTE_KINDS]; /* count of each kind */
    uint32_t undecoded;            /* number of undecoded bytes */
    uint32_t problems; /* number of notes that fail a check, plus one for undecoded bytes */
};

struct qs_decoder {
    /* Set by the caller of qs_decode(), may change between packets. */
    const struct qs_protocol *protocol;
    struct qs_session *session;
    struct qs_sink *sink;         /* or NULL */
    const uint32_t *options;      /* values of the protocol's options; NULL: the defaults */
    struct qs_redactor *redactor; /* or NULL */
    bool want_summary;            /* fill `summary` */
    GString *transcript;    /* receives texts if `want_summary` is set (see emit.h); or NULL */
    bool want_transfers;    /* fill `transfers` */
    unsigned want_entities; /* set of kinds for `entities` (QS_ENTITIES_*) */
    bool unchecked;         /* do not verify the checksums of moves */

    /* Valid during a decode. */
    const struct qs_packet *packet;
    struct qs_reader in;
    bool fields_wanted; /* the sink takes fields */
    bool values_wanted; /* the sink or the summary takes values */
    bool unlisted;      /* the current message is_unlisted: see struct qs_message */
    bool stop;          /* a message ended the message loop, with a note */
    bool probing;       /* this is a trial whose session is discarded */
    enum qs_coord_format coord_format;
    enum qs_angle_format angle_format;
    uint8_t id_mask;   /* bits of a message's first byte that are its id; usually all */
    uint8_t whole_id;  /* first byte that is an id with all its bits; 0: none */
    uint64_t inflated; /* size that the packet's compressed messages have requested so far */
    unsigned source_depth;
    struct qs_reader outer[QS_SOURCES_MAX];
    uint32_t origin;          /* offset of the payload's first byte for sinks */
    struct qs_packet payload; /* payload of a block or PDU: a packet or messages */

    struct qs_found found;
    struct qs_summary_parts *summary_parts; /* internal to summary.c */
};

static inline const struct qs_message *qs_message_at(const struct qs_decoder *d, guint index)
{
    return &g_array_index(d->found.messages, struct qs_message, index);
}

/* Returns the message's bytes, including its id. */
static inline struct qs_view qs_message_view(const struct qs_message *message)
{
    return (struct qs_view){message->bytes, message->length};
}

/* Returns the current message's first byte, with bits above its id. Call it before other reads. */
static inline uint8_t qs_message_byte(const struct qs_decoder *d)
{
    return d->in.data[d->in.pos - 1];
}

/* True if a message of the packet has the id. */
static inline bool qs_has_message(const struct qs_decoder *d, uint8_t id)
{
    return d->found.message_ids[id / 64] >> id % 64 & 1;
}

/* Returns the value of the protocol's option number `index`. */
static inline uint32_t qs_option(const struct qs_decoder *d, unsigned index)
{
    return d->options ? d->options[index] : d->protocol->options[index].standard;
}

#endif
