/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session's statistics: messages by type, bytes in each direction, and the delay of
 * acknowledgements. `pcap2demo --stats` and Wireshark's tables show the same ones.
 */
#ifndef QS_STATS_STATS_H
#define QS_STATS_STATS_H

#include <glib.h>

#include "common/core/decode.h"
#include "common/netchan/links.h"

/* --- A packet's messages: the outermost groups of its fields, with the headers around them. What
 * was joined or inflated counts as it is then. */

/* A message. */
struct qs_counted {
    const struct qs_field *group;
    const char *variant; /* with fields: the name of its type ("TE_GUNSHOT"), or NULL */
    uint32_t bytes;
    bool flags; /* with fields: some of them show which others it has */
};

/* A field on the wire, of a message; flags only where they remove something. */
struct qs_counted_field {
    guint message; /* its index in `counted` */
    const struct qs_field *field;
};

struct qs_message_counter {
    struct qs_sink base;
    struct qs_sink *next; /* that is given all of it, too; or NULL */
    GArray *counted;      /* struct qs_counted: of the packet that was decoded last */
    GArray *fields;       /* struct qs_counted_field, in their order; NULL: not wanted */
    bool places_player;   /* with fields: a value shows where a player is */
    GArray *open;         /* struct qs_open_group */
    GArray *bases;        /* guint: groups that were open when each source began */
};

void qs_message_counter_init(struct qs_message_counter *counter, bool want_fields);
void qs_message_counter_clear(struct qs_message_counter *counter);

/* Another packet is decoded next. */
void qs_message_counter_begin(struct qs_message_counter *counter, struct qs_sink *next);

/* --- A session's statistics */

enum { QS_DIRECTIONS = QS_S2C + 1 };

/* Messages of one type that have a field, or a size. */
struct qs_share {
    uint64_t count;
    uint64_t packets, first, last; /* packets that hold them: their number, the first, the last */
};

/* More of them, in this packet. */
void qs_share_add(struct qs_share *share, uint64_t count, uint64_t packet);

/* Messages of one type, of one direction. */
struct qs_type_count {
    const struct qs_field *group;
    const char *variant; /* interned or NULL: see struct qs_counted */
    enum qs_direction direction;
    uint64_t count, bytes;
    uint64_t packets, first, last; /* packets that hold it: their number, the first, the last */
    guint seconds;                 /* of the session that have it */
    int64_t first_second, last_second;
    /* Where fields are counted, else NULL: */
    GHashTable *fields; /* struct qs_share by the field; a message may have it several times */
    GHashTable *sizes;  /* struct qs_share by the size in bytes */
    guint smallest;     /* size in bytes */
    bool list;          /* a message has a field twice */
    bool text;          /* or one of any size, */
    bool flags;         /* or flags that show which others it has */
};

struct qs_traffic {
    uint64_t packets, bytes; /* payload, as far as it was captured */
};

/* Nanoseconds. */
struct qs_times {
    uint64_t count;
    int64_t min, max, sum;
};

struct qs_tally {
    GHashTable *types[QS_DIRECTIONS]; /* struct qs_type_count by its group */
    struct qs_traffic traffic[QS_DIRECTIONS];
    /* From a packet to its acknowledgement, by the direction of the acknowledgement. Where the
     * capture was made at the server, QS_C2S is the way to the client and back; there the other
     * direction tells how long the server takes to answer, and the reverse. */
    struct qs_times rtt[QS_DIRECTIONS];
    GArray *seconds[QS_DIRECTIONS]; /* where fields are counted: guint, packets in each second; a
                                     * day at most, without those that are connectionless */
    bool begun;
    int64_t start, end; /* of the first packet, and of the last but what is connectionless */
};

void qs_tally_init(struct qs_tally *tally);
void qs_tally_clear(struct qs_tally *tally);

/* A packet of the session that was decoded. */
struct qs_tally_packet {
    const GArray *counted, *fields; /* see struct qs_message_counter; fields may be NULL */
    const struct qs_packet *packet;
    enum qs_direction direction;
    bool connectionless;
    int64_t ack_rtt; /* -1: none */
};
void qs_tally_add(struct qs_tally *tally, const struct qs_tally_packet *packet);

/* Whether a list of the packet is longer than the shortest of its type that was added. Lists of
 * texts do not count: the arguments of a command are one. */
bool qs_tally_moves(const struct qs_tally *tally, const struct qs_tally_packet *packet);

/* Whether it is one of the game's messages, or the header of its packets. */
bool qs_type_is_message(const struct qs_type_count *type);

/* struct qs_type_count *, new: the most bytes first, then by name. */
GPtrArray *qs_tally_types(const struct qs_tally *tally);

double qs_tally_seconds(const struct qs_tally *tally);

void qs_times_add(struct qs_times *times, int64_t time);
/* 0 where there is none. */
double qs_times_mean(const struct qs_times *times);

/* Per second; 0 in no time. */
double qs_rate(uint64_t count, double seconds);

#endif
