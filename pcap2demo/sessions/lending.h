/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sessions that lend their sign-on, and sessions that began before the capture did and borrow one
 * (common/demo/sign_on.h). Lenders are the other sessions of the input, and demos that the user
 * names.
 *
 * Each session keeps a lender, and tells it each packet. A session that turns out to be late is
 * held: its packets are kept until its end, or the end of the input where a lender may come later.
 * Then one is looked for, and the demo is rebuilt of the packets that were kept.
 */
#ifndef PCAP2DEMO_LENDING_H
#define PCAP2DEMO_LENDING_H

#include "common/demo/format.h"
#include "pcap2demo/capture/recording.h"

/* --- Lenders --------------------------------------------------------------------------------- */

/* Demos that the user names; struct lender, a level each. */
GPtrArray *lending_demos_new(void);

/* Adds the sign-ons of a demo. False: it has none, or its format lends none. */
bool lending_demos_add(GPtrArray *demos, struct recording *recording);

struct lending;

/* `demos` must live as long; NULL: there are none. */
struct lending *lending_new(GPtrArray *demos);
void lending_free(struct lending *lending);

/* Of one session, while it goes on. */
struct lender;

struct lender *lender_new(struct lending *lending, const struct qs_demo_format *format,
                          unsigned session);

/* A packet of the session; `server`: as far as that is known. */
void lender_packet(struct lender *lender, const struct qs_decoder *decoder,
                   const struct qs_packet *packet, const struct qs_address *server);

/* The session is over; what it had to lend stays. */
void lender_end(struct lending *lending, struct lender *lender);

/* Calls `take` with what each other session with the lender's server was told up to now, until that
 * returns false. */
void lender_peers(const struct lending *lending, const struct lender *lender, qs_peer_taker *take,
                  void *user);

/* --- Sessions that are held ------------------------------------------------------------------ */

struct held;

/*
 * The session `number` that `decoder` has just decoded is late, and its packets from this one on
 * are to be kept. It begins with what is known of it; `before`: with the numbers as they were
 * before the packet; NULL: with nothing, since the server's first packet is at hand.
 */
struct held *held_new(struct lending *lending, const struct qs_demo_format *format, unsigned number,
                      const struct qs_decoder *decoder, const struct qs_session *before,
                      int64_t now);
void held_free(struct held *held);

/* Keeps a packet, just decoded. */
void held_packet(struct held *held, const struct qs_decoder *decoder, const char *file,
                 const struct qs_packet *packet);

/* Why packets are missing that should have been kept, or NULL. */
const char *held_error(const struct held *held);

/* Who lends to a session. */
struct loan {
    struct qs_borrower *borrower; /* NULL: nobody */
    char *lender;                 /* "session 2", "dm4.dem" */
    char *refusals;               /* why the user's demos do not fit; or NULL */
};

/* The session is over; `state` is what is known of it. */
void held_end(struct held *held, const struct qs_session *state);

/* Looks for a lender. `server`: the session's. */
void held_find_lender(struct held *held, const struct qs_address *server, struct loan *loan);
void loan_clear(const struct held *held, struct loan *loan);

/*
 * Hears of the packets as they are decoded again. `begin`: with this session, which has what is
 * lent; `over`: what is known of it at last.
 */
struct held_listener {
    void (*begin)(struct held_listener *listener, struct qs_session *session);
    void (*packet)(struct held_listener *listener, const char *file,
                   const struct qs_decoder *decoder, const struct qs_packet *packet);
    void (*over)(struct held_listener *listener, const struct qs_session *state);
};

/* Decodes the packets again, with what is lent where `loan` has a lender. */
void held_replay(struct held *held, const struct loan *loan, struct held_listener *listener);

#endif
