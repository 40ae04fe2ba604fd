/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sessions of conversations: they begin with a packet, follow those that come, may be left out
 * where too many go on (crowd.h), and end. Those that may still be lent a sign-on wait behind that.
 */
#ifndef QS_SESSIONS_LIFE_H
#define QS_SESSIONS_LIFE_H

#include "common/sessions/conversation.h"
#include "common/sessions/sessions.h"

/* The packet that was just decoded may end a session, or begin one. A demo is one session. */
void qs_life_packet(struct qs_sessions *sessions, struct qs_conversation *conversation,
                    const struct qs_packet *packet);

/*
 * Where sessions are wanted as soon as they are over: ends that of a conversation whose end was
 * seen; nothing of what may still come is in its demo. Streams go on, behind the end of a game.
 */
void qs_life_end_if_left(struct qs_sessions *sessions, struct qs_conversation *conversation);

/*
 * A session that has shown to be one is not to end for the sake of those that have not; where there
 * is no room for it, it is left out. `now`: the packet's time.
 */
void qs_life_raise(struct qs_sessions *sessions, struct qs_conversation *conversation, int64_t now);

/* The conversation's session, which it must have, is over. */
void qs_life_end(struct qs_sessions *sessions, struct qs_conversation *conversation,
                 enum qs_session_end why);

/* There is no more input: ends those that wait. */
void qs_life_end_waiting(struct qs_sessions *sessions);

#endif
