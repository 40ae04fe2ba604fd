/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What lending.c, held.c and loan.c know of each other: see lending.h. */
#ifndef PCAP2DEMO_HELD_H
#define PCAP2DEMO_HELD_H

#include "pcap2demo/sessions/lending.h"
#include "pcap2demo/sessions/spool.h"

/* So many lenders of one kind are tried, and remembered. */
enum { LENDER_TRIES_MAX = 8 };

struct lender {
    GPtrArray *live; /* where it is while it goes on and can lend; NULL: nowhere */
    bool listed;     /* it is there */
    GPtrArray *over; /* where levels go that are over */
    guint over_max;
    const struct qs_demo_format *format;
    struct qs_address server; /* of a demo: none */
    unsigned session;         /* 0: it is a demo */
    char *name;
    struct qs_sign_on *sign_on;
    uint32_t level;
    int64_t since, until; /* the level lasted, as far as it was seen */
};

struct lending {
    GPtrArray *live;  /* struct lender, owned by their sessions: those that could lend once */
    GPtrArray *over;  /* struct lender: levels that are over */
    GPtrArray *demos; /* struct lender, of the caller; or NULL */
};

void lender_free(gpointer lender);
struct lender *lender_copy(const struct lender *lender);
bool lender_can_lend(const struct lender *lender);

struct held {
    struct lending *lending;
    const struct qs_demo_format *format;
    struct qs_session *session; /* before the first packet that was kept */
    struct qs_session *known;   /* at last; NULL: it goes on */
    const uint32_t *options;    /* of the decoder */
    struct spool *spool;
    unsigned number;      /* of the session */
    uint32_t level;       /* that lacks its beginning */
    int64_t since, until; /* it lasted, as far as it was seen */
    bool level_over;
    GPtrArray *lenders;   /* struct lender: as they were when the session turned out to be late */
    unsigned from_server; /* packets since then, as far as they matter */
};

/* How kept packets are decoded: calls `begin`, `packet` until that has enough, then `over`. */
struct held_decode {
    struct qs_borrower *borrower; /* or NULL */
    struct qs_sink *sink;
    bool (*packet)(void *user, const char *file, const struct qs_decoder *decoder,
                   const struct qs_packet *packet);
    void (*begin)(void *user, struct qs_session *session);    /* or NULL */
    void (*over)(void *user, const struct qs_session *state); /* or NULL */
    void *user;
};

/* Decodes the packets again. */
void held_decode(struct held *held, const struct held_decode *how);

#endif
