/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What lending.c, held.c and loan.c know of each other: see lending.h. */
#ifndef QS_SESSIONS_HELD_H
#define QS_SESSIONS_HELD_H

#include "common/sessions/lending.h"
#include "common/sessions/spool.h"

/* So many lenders of one kind are tried, and remembered. */
enum { QS_LENDER_TRIES_MAX = 8 };

struct qs_lender {
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

struct qs_lending {
    GPtrArray *live;  /* struct qs_lender, owned by their sessions: those that could lend once */
    GPtrArray *over;  /* struct qs_lender: levels that are over */
    GPtrArray *demos; /* struct qs_lender, of the caller; or NULL */
};

void qs_lender_free(gpointer lender);
struct qs_lender *qs_lender_copy(const struct qs_lender *lender);
bool qs_lender_can_lend(const struct qs_lender *lender);

/*
 * A server may have several addresses, and many servers share one: the address only tells who is
 * tried first.
 */
bool qs_lender_is_of_server(const struct qs_lender *lender, const struct qs_address *server);

struct qs_held {
    struct qs_lending *lending;
    const struct qs_demo_format *format;
    struct qs_session *session; /* before the first packet that was kept */
    struct qs_session *known;   /* at last; NULL: it goes on */
    const uint32_t *options;    /* of the decoder */
    struct qs_spool *spool;
    unsigned number;      /* of the session */
    uint32_t level;       /* that lacks its beginning */
    int64_t since, until; /* it lasted, as far as it was seen */
    bool level_over;
    GPtrArray *lenders; /* struct qs_lender: as they were when the session turned out to be late */
    unsigned from_server; /* packets since then, as far as they matter */
};

/* How kept packets are decoded: calls `begin`, `packet` until that has enough, then `over`. */
struct qs_held_decode {
    struct qs_borrower *borrower; /* or NULL */
    struct qs_sink *sink;
    bool (*packet)(void *user, const char *file, const struct qs_decoder *decoder,
                   const struct qs_packet *packet);
    void (*begin)(void *user, struct qs_session *session);    /* or NULL */
    void (*over)(void *user, const struct qs_session *state); /* or NULL */
    void *user;
};

/* Decodes the packets again. */
void qs_held_decode(struct qs_held *held, const struct qs_held_decode *how);

#endif
