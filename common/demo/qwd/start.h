/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A QWD demo that is being rebuilt, for the files that do it: qwd_start.c begins it, qwd_rebuild.c
 * adds the packets.
 */
#ifndef QS_DEMO_QWD_START_H
#define QS_DEMO_QWD_START_H

#include "common/demo/sanitize/filter_quakeworld.h"
#include "common/demo/qwd/blocks.h"
#include "common/demo/qwd/entities.h"
#include "common/demo/qwd/late_join.h"

/* A level that cannot be shown: the capture lacks part of its sign-on, and nobody lends it. */
struct qwd_left_out {
    uint32_t level;  /* its number; 0: there is none */
    uint64_t packet; /* of the capture, before which the part was sent */
    char *map;       /* as soon as that is known */
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
    const struct qs_donor_match *match; /* until the demo begins; NULL: nothing is lent */
    uint32_t lent_level;                /* number of the level whose sign-on is lent; 0: none */
    uint32_t lent_packets;              /* that were made of it */
    bool late;                          /* so it was said */
    struct qwd_left_out left_out;       /* the level at hand, if it is */
    bool shown;                         /* players have something to show */
    GByteArray *packet;                 /* scratch: a packet without what is left out */
    struct filter_qw filter;
};

static inline const struct qw_session *qwd_session_of(const struct qs_decoder *decoder)
{
    return (const struct qw_session *)decoder->session;
}

/* Seconds since the demo's start. Captures may step back; players may not. */
float qwd_clock(struct qwd_rebuild *qwd, const struct qs_packet *packet);

/* qs_demo_rebuilder.lend of QWD. */
void qwd_join_late(void *state, const struct qs_donor_match *match, struct qs_session *session);

/* Whether the packet goes to the demo, which begins or goes on with it where it can. */
bool qwd_ready(struct qwd_rebuild *qwd, const struct qs_decoder *decoder,
               const struct qs_packet *packet);

/* Tells of the level that was left out, if there is one. */
void qwd_say_left_out(struct qwd_rebuild *qwd);

#endif
