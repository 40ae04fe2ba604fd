/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The life of a QuakeWorld session, and queries of it. */
#ifndef QW_SESSION_H
#define QW_SESSION_H

#include "common/core/infostring.h"
#include "common/quakeworld/quakeworld.h"

/* For the protocol record; `game` is what of FTE's extensions is QuakeWorld's own. */
void qw_session_init(struct qw_session *session, const struct fte_game *game);
void qw_session_copy(struct qs_session *to, const struct qs_session *from);
void qw_session_clear(struct qs_session *session);
void qw_session_forget_packet(struct qs_session *session);
bool qw_session_shares(const struct qs_session *a, const struct qs_session *b);
void qw_session_describe(const struct qs_session *session, struct qs_description *description);

/* A connection begins; a level begins. */
void qw_session_connect(struct qw_session *session);
void qw_session_begin_level(struct qw_session *session);
/* A level begins without a known svc_serverdata: the extensions stay. */
void qw_session_go_on(struct qw_session *session);
/* The session joins a level late and gets a donor's sign-on: it has the donor's state from now on,
 * except for its own player; the extensions of FTE are those of `agreed`. */
void qw_session_borrow(struct qw_session *session, const struct qw_session *lender,
                       const struct fte_session *agreed);
void qw_set_userinfo_value(struct qw_session *session, uint32_t player, struct qs_view key,
                           struct qs_view value);
/* The name in the user info of `player`; the empty view when it is not known. */
struct qs_view qw_player_name(const struct qw_session *session, uint32_t player);

#endif
