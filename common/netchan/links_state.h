/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of a conversation, private to links.c and links_acknowledgements.c. */
#ifndef QS_NETCHAN_LINKS_STATE_H
#define QS_NETCHAN_LINKS_STATE_H

#include <glib.h>

#include "common/core/findings.h"
#include "common/core/containers.h"
#include "common/netchan/quality.h"
#include "common/netchan/seqinfo.h"

enum {
    QS_SENT_MAX = 256,            /* numbers that an acknowledgement may still be for */
    QS_PENDING_REQUESTS_MAX = 64, /* requests that a response may still be for */
    QS_TENTHS = 10                /* of a second, in which rates are counted */
};

/* What every packet has. Records are named by their number, from 1 on; 0: none. */
struct qs_link_record {
    int64_t time;
    uint32_t packet; /* number, without what is above 32 bits: captures are shorter */
    uint32_t acks, acked_by;
    uint32_t rate;
    uint32_t extra; /* number of its extra; 0: it has none */
    uint16_t ping;  /* tenths of a millisecond; 0: unknown */
    bool has_rate;
    bool sent_again; /* the time to its acknowledgement says nothing */
};

/* What some have. */
struct qs_link_extra {
    uint32_t message, again; /* reliable message; record of its next sending */
    uint32_t confirms;       /* reliable message */
    uint32_t whole;          /* record */
    uint16_t fragment, fragments;
    uint16_t lost, skipped, choked, throttled;   /* as QS_LINK_*, in their order */
    uint32_t lost_in;                            /* record */
    uint32_t response_in, response_to, download; /* records */
    uint8_t kind;                                /* of the response */
    bool first_response;
};

struct qs_link_message {
    uint32_t first, last, confirmed; /* records */
};

struct qs_link_sent {
    uint32_t mark, record;
};

/* A stream of one end's numbers: a ring. */
struct qs_link_stream {
    struct qs_link_sent sent[QS_SENT_MAX];
    uint32_t count; /* of all that came */
};

/* What one end sends. */
struct qs_link_way {
    struct qs_link_stream *streams[QS_STREAMS]; /* NULL: nothing was sent there */
    uint32_t message;                           /* the last reliable one; 0: none */
    uint32_t message_mark;                      /* of its last sending */
    bool pending;                               /* it is not confirmed, and may yet be */
    bool pending_known, pending_toggle;         /* the receiver's bit before it */
    bool known, toggle;                         /* the receiver's bit now */
    uint32_t toggle_mark;                       /* of the receiver's packet that had it last */
    GArray *parts;                              /* uint32_t: records of the fragments so far */
    int64_t tenth;                              /* the newest one */
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
    struct qs_link_way ways[QS_END_UNKNOWN]; /* by the end that sends */
    struct qs_link_request requests[QS_PENDING_REQUESTS_MAX];
    uint32_t request_count; /* of all that came */
    struct qs_request_count counts[QS_REQUEST_KINDS];
    uint32_t connection;
    struct qs_path *path; /* of this connection; NULL where few packets are kept */
    GArray *qualities;    /* struct qs_path_quality: of the connections before */
    uint32_t download;    /* record of the command that named the file; 0: none */
};

static inline struct qs_link_record *qs_link_record(const struct qs_links *links, uint32_t number)
{
    return qs_chunks_at(&links->records, number);
}

static inline struct qs_link_message *qs_link_message(const struct qs_links *links, uint32_t number)
{
    return qs_chunks_at(&links->messages, number);
}

/* Nanoseconds, of whatever clocks: they wrap around. */
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

/* A packet whose record is `record` and whose seqinfo is known: what it acknowledges, and what of
 * it may be acknowledged. */
void qs_links_acknowledge(struct qs_links *links, const struct qs_decoder *d, uint32_t record,
                          const struct qs_seqinfo *seqinfo);

/* What was of the connection that is over. `fresh`: of the new one the first packet has come. */
void qs_links_restart(struct qs_links *links, bool fresh);

#endif
