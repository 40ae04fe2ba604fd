/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sessions that lend their sign-on, and sessions that began before the capture did and borrow one
 * (common/demo/late_join/sign_on.h). Lenders are the other sessions of the input, and demos that
 * the user names.
 *
 * Each session keeps a lender, and tells it each packet. A session that turns out to be late is
 * held: its packets are kept until its end, or the end of the input where a lender may come later.
 * Then one is looked for, and the demo is rebuilt of the packets that were kept.
 */
#ifndef QS_SESSIONS_LENDING_H
#define QS_SESSIONS_LENDING_H

#include "common/demo/format.h"
#include "common/sessions/demo_input.h"

/* --- Lenders --------------------------------------------------------------------------------- */

/* Demos that the user names; struct qs_lender, a level each. */
GPtrArray *qs_lending_demos_new(void);

/* Adds the sign-ons of a demo. False: it has none, or its format lends none. */
bool qs_lending_demos_add(GPtrArray *demos, struct qs_demo_input *recording);

struct qs_lending;

/* `demos` must live as long; NULL: there are none. */
struct qs_lending *qs_lending_new(GPtrArray *demos);
void qs_lending_free(struct qs_lending *lending);

/* Of one session, while it goes on. */
struct qs_lender;

struct qs_lender *qs_lender_new(struct qs_lending *lending, const struct qs_demo_format *format,
                                unsigned session);

/* A packet of the session; `server`: as far as that is known. */
void qs_lender_packet(struct qs_lender *lender, const struct qs_decoder *decoder,
                      const struct qs_packet *packet, const struct qs_address *server);

/* The session is over; what it had to lend stays. */
void qs_lender_end(struct qs_lending *lending, struct qs_lender *lender);

/* Calls `take` with what each other session with the lender's server was told up to now, until that
 * returns false. */
void qs_lender_peers(const struct qs_lending *lending, const struct qs_lender *lender,
                     qs_peer_taker *take, void *user);

/* --- Sessions that are held ------------------------------------------------------------------ */

struct qs_held;

/*
 * The session `number` that `decoder` has just decoded is late, and its packets from this one on
 * are to be kept. It begins with what is known of it; `before`: with the numbers as they were
 * before the packet; NULL: with nothing, since the server's first packet is at hand.
 */
struct qs_held *qs_held_new(struct qs_lending *lending, const struct qs_demo_format *format,
                            unsigned number, const struct qs_decoder *decoder,
                            const struct qs_session *before, int64_t now);
void qs_held_free(struct qs_held *held);

/* Keeps a packet, just decoded. */
void qs_held_packet(struct qs_held *held, const struct qs_decoder *decoder, const char *file,
                    const struct qs_packet *packet);

/* Why packets are missing that should have been kept, or NULL. */
const char *qs_held_error(const struct qs_held *held);

/* Who lends to a session. */
struct qs_loan {
    struct qs_borrower *borrower; /* NULL: nobody */
    char *lender;                 /* "session 2", "dm4.dem" */
    char *refusals;               /* why the user's demos do not fit; or NULL */
    bool unproven;                /* only the user says that the lender was on the same map */
};

/* The session is over; `state` is what is known of it. */
void qs_held_end(struct qs_held *held, const struct qs_session *state);

/* The time of the first packet that is held. */
int64_t qs_held_since(const struct qs_held *held);

/* Looks for a lender. `server`: the session's. */
void qs_held_find_lender(struct qs_held *held, const struct qs_address *server,
                         struct qs_loan *loan);
void qs_loan_clear(const struct qs_held *held, struct qs_loan *loan);

/*
 * Hears of the packets as they are decoded again. `begin`: with this session, which has what is
 * lent; `over`: what is known of it at last.
 */
struct qs_held_listener {
    void (*begin)(struct qs_held_listener *listener, struct qs_session *session);
    void (*packet)(struct qs_held_listener *listener, const char *file,
                   const struct qs_decoder *decoder, const struct qs_packet *packet);
    void (*over)(struct qs_held_listener *listener, const struct qs_session *state);
};

/* Decodes the packets again, with what is lent where `loan` has a lender. */
void qs_held_replay(struct qs_held *held, const struct qs_loan *loan,
                    struct qs_held_listener *listener);

#endif
