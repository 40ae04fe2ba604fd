/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a handler is told of a session as it goes on, each once: that it is one, that it began late,
 * its maps, the files of its demo, its end. Of a session that was not chosen it is told nothing.
 */
#ifndef QS_SESSIONS_NEWS_H
#define QS_SESSIONS_NEWS_H

#include "common/sessions/handler.h"

/* Whether something is new since the packet before. Mostly nothing is. */
static inline bool qs_news_are_there(const struct qs_client_session *session)
{
    return !session->begin_told || (!session->late_told && qs_client_session_waits(session)) ||
           (session->demo && qs_session_demo_files(session->demo)->len != session->files_told) ||
           (session->map && session->level_told != session->level + 1);
}

/* What is new, once the session has shown to be one. */
void qs_news_tell(struct qs_sessions_handler *handler, struct qs_client_session *session);

/* The same behind the last packet; files of its demo in any case. */
void qs_news_rest(struct qs_sessions_handler *handler, struct qs_client_session *session);

/* It is over. */
void qs_news_end(struct qs_sessions_handler *handler, const struct qs_client_session *session);

#endif
