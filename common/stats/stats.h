/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics of a session: messages by type, bytes in each direction, and times until
 * acknowledgements. `pcap2demo --stats` and Wireshark's tables show the same statistics.
 */
#ifndef QS_STATS_STATS_H
#define QS_STATS_STATS_H

#include <glib.h>

#include "common/core/decode.h"
#include "common/netchan/links.h"

/* --- Messages of a packet: the outermost groups of its fields, including headers around them.
 * Joined and inflated messages count with their size after that. */

/* A message. */
struct qs_counted {
    const struct qs_field *group;
    const char *variant; /* name of its type if fields are counted ("TE_GUNSHOT"), or NULL */
    uint32_t bytes;
    bool flags; /* it has flags for the presence of other fields; set if fields are counted */
};

/* A field on the wire, in a message; flags only if they remove something. */
struct qs_counted_field {
    guint message; /* index of the message in `counted` */
    const struct qs_field *field;
};

struct qs_message_counter {
    struct qs_sink base;
    struct qs_sink *next; /* sink that receives everything as well; or NULL */
    GArray *counted;      /* struct qs_counted: messages of the last packet */
    GArray *fields;       /* struct qs_counted_field, in wire order; NULL: not wanted */
    bool has_position;    /* a field has a player's position; set if fields are counted */
    GArray *open;         /* struct qs_open_group */
    GArray *bases;        /* guint: number of groups that were open when each source began */
};

/* Initializes the counter, a sink. Free its contents with qs_message_counter_clear(). */
void qs_message_counter_init(struct qs_message_counter *counter, bool want_fields);
void qs_message_counter_clear(struct qs_message_counter *counter);

/* Resets the counter for the next packet. */
void qs_message_counter_begin(struct qs_message_counter *counter, struct qs_sink *next);

/* --- A session's statistics */

enum { QS_DIRECTIONS = QS_S2C + 1 };

/* Count of messages of one type that have a certain field or size. */
struct qs_share {
    uint64_t count;
    uint64_t packets, first, last; /* packets with them: how many, the first, the last */
};

/* Adds `count` more in this packet. */
void qs_share_add(struct qs_share *share, uint64_t count, uint64_t packet);

/* Messages of one type and direction. */
struct qs_type_count {
    const struct qs_field *group;
    const char *variant; /* interned or NULL: see struct qs_counted */
    enum qs_direction direction;
    uint64_t count, bytes;
    uint64_t packets, first, last; /* packets with them: how many, the first, the last */
    guint seconds;                 /* number of the session's seconds with such a message */
    int64_t last_second;
    /* Members that are set if fields are counted; else NULL or false: */
    GHashTable *fields; /* struct qs_share by field, which a message may contain several times */
    GHashTable *sizes;  /* struct qs_share by size in bytes */
    guint smallest;     /* smallest size in bytes */
    bool list;          /* a message has a field twice */
    bool text;          /* a message has a text or bytes */
    bool flags;         /* a message has flags for the presence of other fields */
};

struct qs_traffic {
    uint64_t packets, bytes; /* captured payload */
};

/* Times in nanoseconds. */
struct qs_times {
    uint64_t count;
    int64_t min, max, sum;
};

struct qs_tally {
    GHashTable *types[QS_DIRECTIONS]; /* struct qs_type_count by group and variant */
    struct qs_traffic traffic[QS_DIRECTIONS];
    /* Time from a packet to its acknowledgement, by the direction of the acknowledgement. In a
     * capture at the server, QS_C2S is the round trip to the client, and QS_S2C the server's
     * response time; in one at the client, the reverse. */
    struct qs_times rtt[QS_DIRECTIONS];
    GArray *seconds[QS_DIRECTIONS]; /* guint: packets in each second, one day at most, without
                                       connectionless packets; if fields are counted */
    bool begun;
    int64_t start, end; /* times of the first packet, and the last that is not connectionless */
};

/* Initializes an empty tally. Free its contents with qs_tally_clear(). */
void qs_tally_init(struct qs_tally *tally);
void qs_tally_clear(struct qs_tally *tally);

/* A decoded packet of the session. */
struct qs_tally_packet {
    const GArray *counted, *fields; /* see struct qs_message_counter; fields may be NULL */
    const struct qs_packet *packet;
    enum qs_direction direction;
    bool connectionless;
    int64_t ack_rtt; /* -1: none */
};
void qs_tally_add(struct qs_tally *tally, const struct qs_tally_packet *packet);

/* True if something moves in the packet: a list is longer than the shortest one of its type so far.
 * Lists of texts, such as a command's arguments, do not count. */
bool qs_tally_moves(const struct qs_tally *tally, const struct qs_tally_packet *packet);

/* True for a message of the game, or the header of its packets. */
bool qs_type_is_message(const struct qs_type_count *type);

/* Returns the types, those with most bytes first, then by name. The caller frees the array. */
GPtrArray *qs_tally_types(const struct qs_tally *tally);

double qs_tally_seconds(const struct qs_tally *tally);

void qs_times_add(struct qs_times *times, int64_t time);
/* Returns 0 without times. */
double qs_times_mean(const struct qs_times *times);

/* Returns `count` per second; 0 if `seconds` is 0. */
double qs_rate(uint64_t count, double seconds);

#endif
