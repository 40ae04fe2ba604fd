/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/news.h"

static void tell(struct qs_sessions_handler *handler, const struct qs_client_session *session,
                 void (*how)(struct qs_sessions_handler *handler,
                             const struct qs_client_session *session))
{
    if (session->chosen && how)
        how(handler, session);
}

static void tell_files(struct qs_sessions_handler *handler, struct qs_client_session *session)
{
    const GPtrArray *files = session->demo ? qs_session_demo_files(session->demo) : NULL;

    if (files && session->chosen && handler->demo_file)
        for (; session->files_told < files->len; session->files_told++)
            handler->demo_file(handler, session, g_ptr_array_index(files, session->files_told));
}

void qs_news_tell(struct qs_sessions_handler *handler, struct qs_client_session *session)
{
    if (!session->begin_told) {
        if (!qs_client_session_is_live(session))
            return;
        session->begin_told = true;
        tell(handler, session, handler->session_begin);
    }
    if (!session->late_told && qs_client_session_waits(session)) {
        session->late_told = true;
        tell(handler, session, handler->session_late);
    }
    tell_files(handler, session);
    if (session->map && session->level_told != session->level + 1) {
        session->level_told = session->level + 1;
        tell(handler, session, handler->session_map);
    }
}

void qs_news_rest(struct qs_sessions_handler *handler, struct qs_client_session *session)
{
    qs_news_tell(handler, session);
    tell_files(handler, session);
}

void qs_news_end(struct qs_sessions_handler *handler, const struct qs_client_session *session)
{
    tell(handler, session, handler->session_end);
}
