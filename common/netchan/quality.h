/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The quality of the line between a client and its server, as one capture shows it: loss by
 * direction, late and repeated datagrams, round trip, choke and throttle.
 *
 * The place of the capture cuts the line in two legs. Numbers that are missing were lost before
 * that place, or never sent; what was captured and never acknowledged was lost behind it, or
 * answered together with a later one. So some figures cannot be known from some places: these are
 * QS_LINE_UNKNOWN, never 0.
 *
 * Memory is constant: a few histograms, and the last numbers of each direction.
 */
#ifndef QS_NETCHAN_QUALITY_H
#define QS_NETCHAN_QUALITY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/decoder.h"

/* How a game's engines number and acknowledge datagrams; of the protocol's record. */
struct qs_line_rules {
    /* The server's datagram n is the answer to the client's n: numbers that it skips say nothing.
     */
    bool answers;
    /* The server acknowledges the client's datagrams. */
    bool server_acknowledges;
    /* Clients send before they read: what a datagram acknowledges was read after the one before. */
    bool sends_first;
    /* Clients may leave out numbers on purpose, at regular distances. */
    bool skips_regularly;
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

#define QS_LINE_UNKNOWN (-1.0)

/* What numbers are that are missing in a direction. */
enum qs_gap {
    QS_GAP_UNKNOWN,  /* left out by the sender, or lost */
    QS_GAP_LOST,     /* by the line, or not captured */
    QS_GAP_THROTTLED /* left out by the sender on purpose */
};

/* Percents, and milliseconds; QS_LINE_UNKNOWN where the capture cannot tell. */
struct qs_line_direction {
    uint64_t packets;    /* that were captured */
    double loss;         /* of what was sent */
    double loss_at_most; /* where `loss` is not known, but limited */
    bool or_late;        /* that is behind the capture, where late ones look like lost ones */
    uint64_t late;       /* overtaken: the line delivered them, the game dropped them */
    uint64_t duplicates; /* delivered twice */
    double burst;        /* datagrams lost in a row, at most */
    double choke;        /* updates that the server's rate limit suppressed */
    double throttle;     /* numbers that the client left out on purpose */
    enum qs_gap gaps;
};

struct qs_line {
    enum qs_vantage vantage;
    struct qs_line_direction c2s, s2c;
    double round_trip_loss; /* where the directions are not known apart; merged answers included */
    double ping, ping_p95;  /* of the line: without the ends' waiting for their next frame */
    double ping_game;       /* as the game's own figure has it, with that */
    double jitter;          /* ping_p95 - ping */
    double not_captured;    /* packets that came by and the capture lacks; no loss of the line */
};

/* Numbers missing before a packet, by what they are. */
struct qs_line_gap {
    uint16_t lost;    /* by the line, or not captured */
    uint16_t skipped; /* not known */
    uint16_t choked, throttled;
};

struct qs_quality;

struct qs_quality *qs_quality_new(void);
/* NULL: nothing. */
void qs_quality_free(struct qs_quality *quality);
/* A packet of the session was decoded. */
void qs_quality_add(struct qs_quality *quality, const struct qs_decoder *d);
/* The same, and returns what is missing before the packet, as far as it is known by now. */
struct qs_line_gap qs_quality_add_gap(struct qs_quality *quality, const struct qs_decoder *d);

/*
 * Datagram `number` of the direction's main stream, which was added before, came by a second place
 * of the capture at `time` (nanoseconds): the capture was made on both sides of a part of the line.
 */
void qs_quality_copy(struct qs_quality *quality, enum qs_direction direction, uint32_t number,
                     int64_t time);

/* What is known by now; of NULL nothing is. */
void qs_quality_line(const struct qs_quality *quality, struct qs_line *line);

/* The worst that is known of the line, for sorting: the larger loss, or its limit. */
double qs_line_worst(const struct qs_line *line);

/* Texts, new. "1.9", "≤3.0" or "-", in percent; `ascii`: "<=3.0". */
char *qs_line_loss_text(const struct qs_line_direction *direction, bool ascii);
/* "ping 63.0 ms (p95 77.1), jitter 14.1 ms; captured near the server" */
char *qs_line_ping_text(const struct qs_line *line);
/* "8.2 % lost, longest burst 4 packets; 3 late" */
char *qs_line_direction_text(const struct qs_line_direction *direction, bool ascii);
/* All of it in one line, for logs and events. */
char *qs_line_text(const struct qs_line *line, bool ascii);

#endif
