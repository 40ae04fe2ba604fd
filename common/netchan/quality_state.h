/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of a path, private to quality.c and quality_figures.c. Times are in microseconds. */
#ifndef QS_NETCHAN_QUALITY_STATE_H
#define QS_NETCHAN_QUALITY_STATE_H

#include <glib.h>
#include <stdint.h>

#include "common/netchan/histogram.h"
#include "common/netchan/quality.h"

/* --- What one end sends ---------------------------------------------------------------------- */

enum {
    QS_PATH_SENT_MAX = 128, /* datagrams that an acknowledgement may still be for */
    QS_PATH_EARLY_MAX = 64
};

struct qs_path_sent {
    uint32_t time; /* modulo 2^32; where it was seen last */
    uint32_t ack_id, number;
    uint32_t record; /* the caller's */
    bool copied;     /* it was seen at a second place, too */
    bool acknowledged;
};

/* A copy that came before its datagram, which the order stage still holds. */
struct qs_path_copy {
    uint32_t number, time;
};

/* From the capture to the receiver of the datagrams, and back with its acknowledgement. */
struct qs_half_path {
    bool started;
    bool named;               /* its receiver acknowledges each datagram by name */
    uint32_t index, newest;   /* of the last datagram acknowledged; of the last packet's */
    uint32_t acked_id;        /* the last one */
    uint32_t burst;           /* lost in a row, at most */
    uint32_t sample;          /* the round trip that the last packet ended; 0: none */
    bool learned, near;       /* what follows is known; the receiver is next to the capture */
    int64_t unread_max, late; /* times until a datagram is read, and acknowledged: the usual */
    /* Bounds of the round trip; the middle of those that are close together; times after which
     * datagrams that arrived were not acknowledged. */
    struct qs_histogram high, low, middle, unread, passed;
};

struct qs_path_sender {
    struct qs_path_end_counts counts;
    uint32_t duplicates;
    bool may_be_copies;                           /* some duplicates may be the capture's */
    uint32_t last;                                /* number that was accepted */
    uint32_t gap, gap_from, gap_to;               /* the last gap; acknowledgements around it */
    uint32_t gap_acknowledged, next_acknowledged; /* not captured: in the gap, behind the last */
    uint32_t gap_until;                           /* number of the packet behind the last gap */
    uint32_t burst;                               /* missing in a row, at most */
    uint32_t copied, copied_acknowledged;         /* of `sent`, those seen at two places */
    uint32_t copied_from;                         /* the first of these */
    double acknowledged_before;                   /* the first of these was copied */
    double lag;                                   /* from the first place to the second, the sum */
    struct qs_path_copy early[QS_PATH_EARLY_MAX]; /* a ring */
    uint32_t early_count;                         /* so far */
    int64_t begin, times[3];                      /* of the first; of the last, the newest first */
    struct qs_path_sent sent[QS_PATH_SENT_MAX];   /* a ring */
    uint32_t count;                               /* of all that were sent */
    struct qs_half_path half;
};

/* Whether most datagrams were captured twice. Networks repeat a few at most, and two places of
 * which each lacks a fifth have two thirds. */
static inline bool qs_path_has_two_places(const struct qs_path_sender *sender)
{
    return sender->copied > sender->count / 2;
}

/* QuakeWorld's numbers so far: those of the client, and the server's answers. */
struct qs_path_answers {
    double asked, captured, missing, not_captured, choked;
};

/* Indices of senders: direction - QS_C2S. */
enum { QS_CLIENT, QS_SERVER };

struct qs_path_history {
    struct qs_path_sender senders[2];
    uint32_t first_loss;                       /* number of the first datagram with a loss, or 0 */
    struct qs_path_answers counted_from;       /* when the loss began to count */
    uint32_t frame, frame_number, frame_acked; /* of the last update; of its datagram */
    struct qs_path_game_counts counts;
    uint32_t unread[QS_PATH_SENT_MAX]; /* records of those that the last packet shows to be lost */
    unsigned unread_count;
};

struct qs_path {
    const struct qs_path_rules *rules; /* NULL: unknown */
    uint64_t packets[QS_S2C + 1];
    bool accepted[QS_S2C + 1];
    bool same_host;
    struct qs_path_history *history; /* NULL until both ends have sent something */
};

static inline struct qs_path_answers qs_path_answers_of(const struct qs_path_history *history)
{
    const struct qs_path_end_counts *client = &history->senders[QS_CLIENT].counts,
                                    *server = &history->senders[QS_SERVER].counts;

    return (struct qs_path_answers){client->accepted + client->missing,
                                    server->accepted + server->late, server->missing,
                                    server->not_captured, history->counts.choked};
}

/* Whether the end that receives what `sender` sends is next to the capture. */
bool qs_path_is_near(const struct qs_path *path, unsigned sender);

/* The loss to the client that QuakeWorld's client reports, in percent, or below 0: it is not known.
 */
double qs_path_reported_loss(const struct qs_path *path);

#endif
