/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The quality of the path between a client and its server, as one capture shows it: loss by
 * direction, late and repeated datagrams, round trip, choke and throttle.
 *
 * The place of the capture cuts the path in two halves. Sequence numbers that are missing there
 * were lost before it, never sent, or not captured; those that the receiver acknowledges were not
 * captured. Of the datagrams that came by, those without an acknowledgement were lost behind it, or
 * read together with a later one. Where the capture has two places, what was seen at one of them
 * only was lost between them. So each loss has a lower and an upper bound, which the capture's own
 * holes move apart: a figure is known if its bounds are within QS_LOSS_BOUNDS, else only the upper
 * one is.
 *
 * Memory is constant: a few histograms, and the last datagrams of each direction.
 */
#ifndef QS_NETCHAN_QUALITY_H
#define QS_NETCHAN_QUALITY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/decoder.h"

/* How a game's engines number and acknowledge datagrams; of the protocol's record. */
struct qs_path_rules {
    /* The server's datagram n is the answer to the client's n: numbers that it skips say nothing.
     */
    bool answers;
    /* The server acknowledges the client's datagrams. */
    bool server_acknowledges;
    /* Clients send before they read: what a datagram acknowledges was read after the one before. */
    bool sends_first;
    /* The server says how many updates its rate limit suppressed. */
    bool chokes;
};

enum qs_vantage {
    QS_VANTAGE_UNKNOWN,
    QS_VANTAGE_CLIENT,
    QS_VANTAGE_SERVER,
    QS_VANTAGE_BOTH = QS_VANTAGE_CLIENT | QS_VANTAGE_SERVER /* one host, a LAN, or two captures */
};
const char *qs_vantage_name(enum qs_vantage vantage);

#define QS_QUALITY_UNKNOWN (-1.0)
#define QS_LOSS_BOUNDS 2.0 /* percent */

/* What numbers are that are missing in a direction. */
enum qs_gap {
    QS_GAP_UNKNOWN,  /* left out by the sender, or lost */
    QS_GAP_LOST,     /* on the path, or not captured */
    QS_GAP_THROTTLED /* left out by the sender on purpose */
};

/* Percents, and milliseconds; QS_QUALITY_UNKNOWN where the capture cannot tell. */
struct qs_path_direction {
    uint64_t packets;       /* that were captured */
    bool packets_are_limit; /* some of them may be copies that the capture made */
    double loss;            /* of what was sent */
    double loss_at_most;    /* where `loss` is not known, but limited */
    bool or_late;           /* that is behind the capture, where late ones look like lost ones */
    uint64_t late;          /* overtaken: the path delivered them, the game dropped them */
    uint64_t duplicates;    /* delivered twice */
    double burst;           /* datagrams lost in a row, at most */
    double choke;           /* updates that the server's rate limit suppressed */
    double throttle;        /* numbers that the client left out on purpose */
    enum qs_gap gaps;
};

struct qs_path_quality {
    enum qs_vantage vantage;
    bool two_places; /* the capture has both ends: what is lost between them has no gap */
    bool answers;    /* of the rules */
    struct qs_path_direction c2s, s2c;
    double round_trip_loss; /* at most; where the directions are not known apart */
    double unanswered;      /* of the client's datagrams, if the server answers each one */
    double ping, ping_p95;  /* of the path: without the ends' waiting for their next frame */
    double ping_game;       /* as the game's own figure has it, with that */
    double jitter;          /* ping_p95 - ping */
    double not_captured;    /* packets that came by and the capture lacks; no loss of the path */
};

/* What was counted of the datagrams that one end sends. */
struct qs_path_end_counts {
    double accepted, late;
    double missing;                    /* numbers, less those that came late */
    double holes;                      /* those missing where the capture has a hole */
    double single_gaps;                /* of one or two numbers */
    double acknowledged, not_captured; /* by the other end: captured ones, and others */
    double sample;                     /* accepted since the usual times are known; of these, */
    double judged, passed_over;        /* acknowledged; or only later ones were; */
    double lost;                       /* behind the capture, of those passed over */
};

/* What the game's messages report of the path. */
struct qs_path_game_counts {
    double losses, loss_count, lossy; /* percents of the client, rounded down: sum; all; > 0 */
    double choked;                    /* updates */
    /* Frames in which the server says whether datagrams of the client were missing; those where
     * some were; numbers that the client sent meanwhile. */
    double drop_frames, drops, drop_numbers;
};

/* All that was counted up to a time; less what was counted up to an earlier one: in between. */
struct qs_path_counts {
    struct qs_path_end_counts ends[2]; /* by direction less QS_C2S */
    struct qs_path_game_counts game;
};

/* What a packet shows of the path. */
struct qs_path_event {
    uint32_t gap;           /* numbers missing before it */
    uint16_t choked;        /* of them, if the server answers each datagram; else updates */
    uint32_t ping;          /* microseconds: a round trip that it ends; 0: none */
    unsigned unread_count;  /* datagrams of the other end that were lost behind the capture */
    const uint32_t *unread; /* their records; valid until the next packet */
};

struct qs_path;

struct qs_path *qs_path_new(void);
/* NULL: nothing. */
void qs_path_free(struct qs_path *path);
/* Adds a packet of the session that was decoded; `record` is the caller's name for it. Fills
 * `event` with what is known by now. */
void qs_path_add_event(struct qs_path *path, const struct qs_decoder *d, uint32_t record,
                       struct qs_path_event *event);

/* What the packet's gap is, by what is known now. */
struct qs_path_gap {
    uint16_t lost;      /* on the path, or not captured */
    uint16_t skipped;   /* not known */
    uint16_t throttled; /* left out by the client on purpose */
};
struct qs_path_gap qs_path_gap_of(const struct qs_path *path, const struct qs_decoder *d,
                                  const struct qs_path_event *event);

/* Adds that datagram `number` of the direction's main stream was captured again at `time`
 * (nanoseconds). If most are, the capture has two places; else the network repeated it. */
void qs_path_add_copy(struct qs_path *path, enum qs_direction direction, uint32_t number,
                      int64_t time);

/* Fills `quality` with what is known by now; of NULL nothing is. */
void qs_path_quality(const struct qs_path *path, struct qs_path_quality *quality);

/* What was counted up to now. */
struct qs_path_counts qs_path_counts(const struct qs_path *path);

/* Fills `part` with the directions' packets, losses and choke between two times, for a path whose
 * quality is `whole`: a loss is known if that of the whole is, and only limited if that is. */
void qs_path_part(const struct qs_path *path, const struct qs_path_quality *whole,
                  const struct qs_path_counts *from, const struct qs_path_counts *until,
                  struct qs_path_quality *part);

/* The worst that is known of the path, for sorting: the larger loss, or its limit. */
double qs_path_worst(const struct qs_path_quality *quality);

/* Texts, new. "1.9", "≤3.0" or "-", in percent; `ascii`: "<=3.0". */
char *qs_path_loss_text(const struct qs_path_direction *direction, bool ascii);
/* "ping 63.0 ms (p95 77.1), jitter 14.1 ms; captured near the server" */
char *qs_path_ping_text(const struct qs_path_quality *quality);
/* "8.2 % lost, longest burst 4 packets; 3 late" */
char *qs_path_direction_text(const struct qs_path_direction *direction, bool ascii);
/* All of it in one line, for logs and events. */
char *qs_path_text(const struct qs_path_quality *quality, bool ascii);

#endif
