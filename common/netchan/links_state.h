/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State of a conversation's links, private to links.c and links_acknowledgements.c. */
#ifndef QS_NETCHAN_LINKS_STATE_H
#define QS_NETCHAN_LINKS_STATE_H

#include <glib.h>

#include "common/core/findings.h"
#include "common/core/containers.h"
#include "common/netchan/quality.h"
#include "common/netchan/seqinfo.h"

enum {
    QS_SENT_MAX = 256,            /* latest numbers of an end that can be acknowledged */
    QS_PENDING_REQUESTS_MAX = 64, /* latest requests that can be answered */
    QS_TENTHS = 10                /* parts of the second over which rates are measured */
};

/* Record of a packet. Records are numbered from 1; 0: none. */
struct qs_link_record {
    int64_t time;
    uint32_t packet; /* packet number modulo 2^32: captures are shorter */
    uint32_t acks, acked_by;
    uint32_t rate;
    uint32_t extra; /* number of its struct qs_link_extra; 0: none */
    uint16_t ping;  /* tenths of a millisecond; 0: unknown */
    bool has_rate;
    bool sent_again; /* the time to its acknowledgement is unknown */
};

/* Further links, which some packets have. */
struct qs_link_extra {
    uint32_t message, again; /* number of its reliable message; record of the next packet with it */
    uint32_t confirms;       /* number of the reliable message */
    uint32_t whole;          /* record of the packet that completes its message */
    uint16_t fragment, fragments;
    uint16_t lost, skipped, choked, throttled; /* in the order of QS_LINK_LOST and the following */
    uint32_t lost_in;                          /* record of the packet that shows it */
    uint32_t response_in, response_to, download; /* records */
    uint8_t kind;                                /* kind of the request */
    bool first_response;
};

struct qs_link_message {
    uint32_t first, last, confirmed; /* records; 0: none */
};

struct qs_link_sent {
    uint32_t ack_id, record;
};

/* Ring of the datagrams that an end has sent in one stream. */
struct qs_link_stream {
    struct qs_link_sent sent[QS_SENT_MAX];
    uint32_t count; /* number of all so far */
};

/* State of what one end sends. */
struct qs_link_direction {
    struct qs_link_stream *streams[QS_STREAMS]; /* NULL if nothing was sent */
    uint32_t message;                           /* number of the last reliable message; 0: none */
    uint32_t message_ack_id;                    /* ack_id of the last packet with it */
    bool pending;                               /* the message is not confirmed, but may be */
    bool pending_known, pending_toggle; /* the receiver's bit before the message, if known */
    bool known, toggle;                 /* the receiver's present bit, if known */
    uint32_t toggle_ack_id;             /* ack_id of the receiver's last packet with a bit */
    GArray *parts;                      /* uint32_t: records of the message's fragments so far */
    int64_t tenth;                      /* latest tenth of a second */
    uint32_t bytes[QS_TENTHS];
};

struct qs_link_request {
    struct qs_requests requests;
    uint32_t record;
    enum qs_end from;
    bool answered;
};

struct qs_links {
    struct qs_chunks records, extras, messages;
    struct qs_link_direction directions[QS_END_UNKNOWN]; /* by the end that sends */
    struct qs_link_request requests[QS_PENDING_REQUESTS_MAX];
    uint32_t request_count; /* number of all so far */
    struct qs_request_count counts[QS_REQUEST_KINDS];
    uint32_t connection;
    struct qs_path *path; /* path of this connection; NULL if few packets are kept */
    GArray *qualities;    /* struct qs_path_quality of earlier connections */
    uint32_t download;    /* record of the latest command that names a file; 0: none */
};

static inline struct qs_link_record *qs_link_record(const struct qs_links *links, uint32_t number)
{
    return qs_chunks_at(&links->records, number);
}

static inline struct qs_link_message *qs_link_message(const struct qs_links *links, uint32_t number)
{
    return qs_chunks_at(&links->messages, number);
}

/* Returns the time between two times (ns), which may wrap around. */
static inline int64_t qs_link_elapsed(int64_t since, int64_t until)
{
    return (int64_t)((uint64_t)until - (uint64_t)since);
}

/* Returns the record's extra, and adds it if there is none. Valid until another one is added. */
static inline struct qs_link_extra *qs_link_extra(struct qs_links *links, uint32_t record)
{
    struct qs_link_record *owner = qs_link_record(links, record);

    if (!owner->extra && owner->packet) {
        qs_chunks_add(&links->extras);
        owner->extra = links->extras.count;
    }
    return qs_chunks_at(&links->extras, owner->extra);
}

/* Adds the acknowledgement and the reliable message of the packet with the number `record`. */
void qs_links_acknowledge(struct qs_links *links, const struct qs_decoder *d, uint32_t record,
                          const struct qs_seqinfo *seqinfo);

/* Resets the state for a new connection. `fresh`: its first packet has come. */
void qs_links_restart(struct qs_links *links, bool fresh);

#endif
