/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quality of the path between a client and its server, as one capture shows it: loss by direction,
 * late and duplicate datagrams, round trip, choke and throttle.
 *
 * The capture point divides the path into two halves. Sequence numbers that are missing
 * there were lost before it, never sent, or not captured; those that the receiver acknowledges were
 * not captured. Captured datagrams without an acknowledgement were lost behind it, or read together
 * with a later one. If the capture has two places, datagrams that were seen at only one of them
 * were lost between them; figures are of the time that both cover. So each loss has a lower and an
 * upper bound; the capture's own holes widen the distance. A figure is known if its bounds are
 * within QS_LOSS_BOUNDS, otherwise only the upper one is.
 *
 * Memory is constant: a few histograms, and the last datagrams of each direction.
 */
#ifndef QS_NETCHAN_QUALITY_H
#define QS_NETCHAN_QUALITY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/decoder.h"

/* Rules by which a game's engines number and acknowledge datagrams, from the protocol's record. */
struct qs_path_rules {
    /* The server's datagram n answers the client's n: numbers that it skips show nothing. */
    bool answers;
    /* The server acknowledges the client's datagrams. */
    bool server_acknowledges;
    /* Clients send before they read: a datagram acknowledges what was read after its
     * predecessor. */
    bool sends_first;
    /* The server reports how many updates its rate limit suppressed. */
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
#define QS_LOSS_BOUNDS 2.0 /* maximum distance of known bounds (percent) */

/* Reason why numbers are missing in a direction. */
enum qs_gap {
    QS_GAP_UNKNOWN,  /* skipped by the sender, or lost */
    QS_GAP_LOST,     /* lost on the path, or not captured */
    QS_GAP_THROTTLED /* skipped by the sender on purpose */
};

/* Figures are in percent or milliseconds, QS_QUALITY_UNKNOWN if the capture does not show them. */
struct qs_path_direction {
    uint64_t packets;       /* number of captured packets */
    bool packets_are_limit; /* some may be copies that the capture made */
    double loss;            /* lost part of what was sent */
    double loss_at_most;    /* upper bound, if `loss` is unknown */
    bool or_late;           /* `loss` may include late ones, which look lost behind the capture */
    uint64_t late;          /* overtaken: the path delivered them, the game dropped them */
    uint64_t duplicates;    /* delivered twice */
    double burst;           /* maximum number of datagrams lost in a row */
    double choke;           /* updates that the server's rate limit suppressed */
    double throttle;        /* numbers that the client skipped on purpose */
    enum qs_gap gaps;
};

struct qs_path_quality {
    enum qs_vantage vantage;
    bool two_vantages; /* captured at both ends: losses between them make no gap */
    double clocks;     /* clock difference of the two (s); if not 0, the figures are unknown */
    bool answers;      /* see struct qs_path_rules */
    struct qs_path_direction c2s, s2c;
    double round_trip_loss; /* upper bound, if the directions are not known separately */
    double unanswered;      /* part of the client's datagrams, if the server answers each one */
    double ping, ping_p95;  /* time on the path, without the ends' waiting for their next frame */
    double ping_game;       /* with that waiting, like the game's own figure */
    double jitter;          /* ping_p95 - ping */
    double not_captured;    /* packets on the path that the capture lacks; not lost */
};

/* Counts of the datagrams that one end sends. */
struct qs_path_end_counts {
    double accepted, late;
    double missing;                    /* missing numbers, without those that came late */
    double holes;                      /* numbers missing in holes of the capture */
    double single_gaps;                /* gaps of one or two numbers */
    double acknowledged, not_captured; /* acknowledged ones: captured, and not captured */
    double sample;                     /* accepted ones since the usual times are known */
    double judged, passed_over;        /* in `sample`: acknowledged; passed over by later ones */
    double lost;                       /* in `passed_over`: lost behind the capture */
};

/* Counts of the game's own reports on the path. */
struct qs_path_game_counts {
    double losses, loss_count, lossy; /* client's loss reports (percent): sum, number, number > 0 */
    double choked;                    /* updates that the server suppressed */
    /* Frames in which the server reports whether datagrams of the client are missing; frames in
     * which some are; numbers that the client sent meanwhile. */
    double drop_frames, drops, drop_numbers;
};

/* All counts up to a time. The difference of two is what was counted in between. */
struct qs_path_counts {
    struct qs_path_end_counts ends[2]; /* by direction - QS_C2S */
    struct qs_path_game_counts game;
};

/* Effects of the path that a packet shows. */
struct qs_path_event {
    uint32_t gap;           /* numbers missing before it */
    uint16_t choked;        /* choked ones of these, if the server answers each; else updates */
    uint32_t ping;          /* round trip that it ends (µs); 0: none */
    unsigned unread_count;  /* number of the other end's that were lost behind the capture */
    const uint32_t *unread; /* their records; valid until the next packet */
};

struct qs_path;

struct qs_path *qs_path_new(void);
/* NULL is allowed. */
void qs_path_free(struct qs_path *path);
/* Adds a packet of the session that was decoded; `record` is the caller's number for it. Fills
 * `event` with what is known so far. */
void qs_path_add_event(struct qs_path *path, const struct qs_decoder *d, uint32_t record,
                       struct qs_path_event *event);

/* Reasons of the gap before a packet, as far as they are known. */
struct qs_path_gap {
    uint16_t lost;      /* lost on the path, or not captured */
    uint16_t skipped;   /* skipped by the sender, or lost */
    uint16_t throttled; /* skipped by the client on purpose */
};
/* Returns the size of the gap in `event`, without choked packets, in the member for its reason as
 * judged by the quality so far. `event` is what qs_path_add_event() filled for the packet. */
struct qs_path_gap qs_path_gap_of(const struct qs_path *path, const struct qs_decoder *d,
                                  const struct qs_path_event *event);

/* Adds a second capture of datagram `number` of the direction's main stream, at `time` (ns). If
 * most have one, the capture has two places; otherwise the network duplicated them. `file_order`
 * is 0 if one capture file has both, otherwise its sign tells which file this is: the one with the
 * higher number (> 0), or the other one. */
void qs_path_add_copy(struct qs_path *path, enum qs_direction direction, uint32_t number,
                      int64_t time, int file_order);

/* Fills `quality` with what is known so far; all is unknown if `path` is NULL. */
void qs_path_quality(const struct qs_path *path, struct qs_path_quality *quality);

/* Returns the counts up to now. */
struct qs_path_counts qs_path_counts(const struct qs_path *path);

/* Fills `part` with the directions' packets, losses and choke between two times, for a path with
 * the quality `whole`. A loss is known or limited only if that of the whole is. */
void qs_path_part(const struct qs_path *path, const struct qs_path_quality *whole,
                  const struct qs_path_counts *from, const struct qs_path_counts *until,
                  struct qs_path_quality *part);

/* Returns the larger loss, or its upper bound, for sorting. */
double qs_path_worst(const struct qs_path_quality *quality);

/* Texts, to be freed. "1.9", "≤3.0" or "-", in percent; `ascii`: "<=3.0". */
char *qs_path_loss_text(const struct qs_path_direction *direction, bool ascii);
/* "ping 63.0 ms (p95 77.1), jitter 14.1 ms; captured near the server" */
char *qs_path_ping_text(const struct qs_path_quality *quality);
/* "8.2 % lost, longest burst 4 packets; 3 late" */
char *qs_path_direction_text(const struct qs_path_direction *direction, bool ascii);
/* Returns all of these in one line, for logs and events. */
char *qs_path_text(const struct qs_path_quality *quality, bool ascii);

#endif
