/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of a path, private to quality.c and quality_figures.c. Times are in microseconds. */
#ifndef QS_NETCHAN_QUALITY_STATE_H
#define QS_NETCHAN_QUALITY_STATE_H

#include <glib.h>
#include <stdint.h>

#include "common/netchan/histogram.h"
#include "common/netchan/quality.h"

/* --- State of a sender ----------------------------------------------------------------------- */

enum {
    QS_PATH_SENT_MAX = 128, /* latest datagrams that can be acknowledged */
    QS_PATH_EARLY_MAX = 64
};

struct qs_path_sent {
    uint32_t time; /* modulo 2^32; where it was seen last */
    uint32_t ack_id, number;
    uint32_t record; /* the caller's number */
    bool copied;     /* seen at a second place, too */
    bool acknowledged;
};

/* A copy that came before its datagram, which order.h still holds. */
struct qs_path_copy {
    uint32_t number, time;
    int file_order; /* see qs_path_add_copy() */
};

/* Upper and lower bounds of the round trip; middles of close bounds; times for which acknowledged
 * datagrams, and those before them, were not acknowledged. */
struct qs_path_times {
    struct qs_histogram high, low, middle, unread, passed;
};

/* Half path: from the capture to the receiver of datagrams, and back by its acknowledgements. */
struct qs_half_path {
    bool started;
    bool named;               /* the receiver acknowledges each datagram by name */
    uint32_t index, newest;   /* index of the last acknowledged one, of the last packet's newest */
    uint32_t acked_id;        /* last ack_id that was acknowledged */
    uint32_t burst;           /* maximum number of datagrams lost in a row */
    uint32_t sample;          /* round trip that the last packet ended; 0: none */
    bool learned, near;       /* the members below are known; the receiver is next to the capture */
    int64_t unread_max, late; /* usual times until a datagram is read, and acknowledged */
    struct qs_path_times times[2]; /* of datagrams seen at one place, and at two */
};

struct qs_path_sender {
    struct qs_path_end_counts counts;
    uint32_t duplicates;
    bool may_be_copies;             /* some duplicates may be copies that the capture made */
    uint32_t last;                  /* last number that was accepted */
    uint32_t gap, gap_from, gap_to; /* size of the last gap; ack_ids around it */
    uint32_t gap_acknowledged, next_acknowledged; /* not captured: in the gap, behind the last */
    uint32_t gap_until;                           /* number of the packet behind the last gap */
    uint32_t burst;                               /* maximum number of packets missing in a row */
    uint32_t copied, copied_acknowledged; /* datagrams seen at two places; of these, acknowledged */
    uint32_t repeated;                    /* of these, seen twice in one file */
    /* The first and the last of these; if there are any in another file, of those. */
    uint32_t copied_from, copied_until;
    struct qs_path_counts from, until; /* counts at their copies */
    double lag;                        /* sum of times from the first to the second place */
    uint32_t ahead, behind; /* clear leads of the higher file's clock, and of the other one's */
    struct qs_path_copy early[QS_PATH_EARLY_MAX]; /* ring buffer */
    uint32_t early_count;                         /* number of all early copies so far */
    int64_t begin, times[3]; /* times of the first datagram, and of the last, newest first */
    struct qs_path_sent sent[QS_PATH_SENT_MAX]; /* ring buffer */
    uint32_t count;                             /* number of all datagrams sent */
    uint32_t restarted; /* of these before the present level, whose ack_ids begin again */
    struct qs_half_path half;
};

/* True if most datagrams were captured twice. Networks duplicate a few at most, and two places that
 * each lack a fifth share two thirds. */
static inline bool qs_path_has_two_vantages(const struct qs_path_sender *sender)
{
    return sender->copied > sender->count / 2;
}

/* Returns the times of datagrams that were captured as often as most. */
static inline const struct qs_path_times *qs_path_times_of(const struct qs_path_sender *sender)
{
    return &sender->half.times[qs_path_has_two_vantages(sender)];
}

/* QuakeWorld's counts so far: numbers of the client, and the server's answers. */
struct qs_path_answers {
    double asked, captured, missing, not_captured, choked;
};

/* Index of a sender: direction - QS_C2S. */
enum { QS_CLIENT, QS_SERVER };

struct qs_path_history {
    struct qs_path_sender senders[2];
    uint32_t first_loss;                       /* number of the first datagram with a loss, or 0 */
    struct qs_path_answers counted_from;       /* state when the loss began to count */
    uint32_t frame, frame_number, frame_acked; /* the last update; numbers of its datagram */
    struct qs_path_game_counts counts;
    uint32_t unread[QS_PATH_SENT_MAX]; /* records of lost ones, as the last packet shows */
    unsigned unread_count;
};

struct qs_path {
    const struct qs_path_rules *rules; /* NULL if unknown */
    uint64_t packets[QS_S2C + 1];
    bool accepted[QS_S2C + 1];
    bool same_host;
    struct qs_path_history *history; /* NULL until both ends have sent numbered packets */
};

static inline struct qs_path_answers qs_path_answers_of(const struct qs_path_history *history)
{
    const struct qs_path_end_counts *client = &history->senders[QS_CLIENT].counts,
                                    *server = &history->senders[QS_SERVER].counts;

    return (struct qs_path_answers){client->accepted + client->missing,
                                    server->accepted + server->late, server->missing,
                                    server->not_captured, history->counts.choked};
}

/* True if the receiver of what `sender` sends is next to the capture. */
bool qs_path_is_near(const struct qs_path *path, unsigned sender);

/* Returns the loss to the client, in percent, as QuakeWorld's client reports it; or below 0. */
double qs_path_reported_loss(const struct qs_path *path);

#endif
