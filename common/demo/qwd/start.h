/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A QWD demo that is being rebuilt: start.c begins it, rebuild.c adds the packets.
 */
#ifndef QS_DEMO_QWD_START_H
#define QS_DEMO_QWD_START_H

#include "common/demo/sanitize/filter_quakeworld.h"
#include "common/demo/qwd/blocks.h"
#include "common/demo/qwd/entities.h"
#include "common/demo/qwd/late_join.h"

/* A level that cannot be shown: the capture lacks part of its sign-on, and no donor has it. */
struct qwd_left_out {
    uint32_t level;  /* its number; 0: there is none */
    uint64_t packet; /* of the capture, before which the part was sent */
    char *map;       /* once known */
};

struct qwd_rebuild {
    struct qs_demo_writer *out;
    bool begun;    /* the demo is being written */
    bool ended;    /* the client has left */
    uint32_t next; /* number of the client's next packet */
    bool has_next;
    uint32_t incoming; /* number of the server's last packet in the demo */
    bool heard;        /* there is one */
    bool moved;        /* there is a move of the client */
    int64_t start;     /* capture time that is the demo's time 0 */
    float time;        /* of the last block */
    uint32_t not_captured;
    struct qwd_blocks blocks;
    struct qwd_entities entities;
    const struct qs_donor_match *match; /* until the demo begins; NULL: no donor */
    uint32_t lent_level;                /* number of the level with a donor's sign-on; 0: none */
    uint32_t lent_packets;              /* packets generated from it */
    bool late;                          /* a late join has been reported */
    struct qwd_left_out left_out;       /* the level at hand, if it is */
    bool shown;                         /* the demo has something to show */
    GByteArray *packet;                 /* scratch: a packet without omitted messages */
    struct filter_qw filter;
};

static inline const struct qw_session *qwd_session_of(const struct qs_decoder *decoder)
{
    return (const struct qw_session *)decoder->session;
}

/* Seconds since the demo's start. Capture times may decrease, demo times must not. */
float qwd_clock(struct qwd_rebuild *qwd, const struct qs_packet *packet);

/* qs_demo_rebuilder.lend of QWD. */
void qwd_join_late(void *state, const struct qs_donor_match *match, struct qs_session *session);

/* Whether the packet goes into the demo; begins or continues the demo with it if possible. */
bool qwd_ready(struct qwd_rebuild *qwd, const struct qs_decoder *decoder,
               const struct qs_packet *packet);

/* Reports the omitted level, if there is one. */
void qwd_say_left_out(struct qwd_rebuild *qwd);

#endif
