/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How QuakeWorld's sessions lend and borrow sign-ons (common/quakeworld/PROTOCOL.md, section 9). */
#ifndef QS_DEMO_QWD_LEND_H
#define QS_DEMO_QWD_LEND_H

#include "common/demo/qwd/told.h"
#include "common/demo/late_join/sign_on.h"
#include "common/quakeworld/quakeworld.h"

extern const struct qs_demo_lending qwd_lending;

/* --- Lenders --- */

static inline const struct qwd_told *qwd_told_of(const struct qs_sign_on *sign_on)
{
    return (const struct qwd_told *)sign_on->extra;
}

/* qs_demo_lending.tell of QuakeWorld. */
void qwd_tell(struct qs_sign_on *sign_on, const struct qs_decoder *decoder);

/* Reads the player, the flags and the origin of a svc_playerinfo, whose body it is. */
struct qwd_place {
    uint8_t player;
    uint16_t flags;
    float origin[3];
};
bool qwd_read_place(struct qs_view body, const struct fte_session *agreed, struct qwd_place *place);

/* Whether the packet just decoded is of a level, or of its sign-on behind svc_serverdata. */
bool qwd_needs_level(const struct qs_decoder *decoder);

/* A message of the packet just decoded, id and all. */
struct qs_view qwd_message_view(const struct qs_decoder *decoder, guint index);

/* --- The sign-on in the dialect of another session (qwd_translate.c) --- */

/* What a session is told differently from its lender. */
struct qwd_dialect {
    uint32_t fte, fte2, mvd1; /* the extensions agreed on */
    uint8_t player;
    bool spectator;
};

/* Why no sign-on of the one can be told in the other; NULL: it can. */
const char *qwd_untranslatable(const struct qwd_dialect *from, const struct qwd_dialect *to);

/* Appends the message; nothing where the other dialect cannot tell it. */
void qwd_translate(GByteArray *out, const struct qwd_dialect *from, const struct qwd_dialect *to,
                   struct qs_view message);

/* Behind the id of svc_serverdata: passes the pairs that tell the extensions, and vlen's data. */
void qwd_skip_pairs(struct qs_reader *in);

struct qw_delta_format qwd_format_of(const struct qwd_dialect *dialect);

/* --- What a borrower is given --- */

/* Calls `add` for each message of what is lent, in order, with the number of its block. */
typedef void qwd_add_lent(void *user, uint32_t block, struct qs_view message);
void qwd_lent_messages(const struct qs_borrower *borrower, qwd_add_lent *add, void *user);

/* The entities that were in view before the first update. */
const struct qw_states *qwd_lent_states(const struct qs_borrower *borrower);

/* The same with FTE's replacement deltas: appends what stands behind the time of an update. False:
 * the session has none. */
bool qwd_lent_updates(const struct qs_borrower *borrower, GByteArray *out);

/* Why the session needs a sign-on, as words; `map`: that it is on, or NULL. New. */
char *qwd_lent_because(const struct qs_borrower *borrower, const char *map);

/* Packets before the first update that updates count from; uint32_t, ascending. */
const GArray *qwd_lent_bases(const struct qs_borrower *borrower);

#endif
