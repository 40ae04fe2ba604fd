/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/session.h"

void qs_session_init(struct qs_session *session)
{
    *session = (struct qs_session){.server = QS_END_UNKNOWN};
}

void qs_session_connect(struct qs_session *session)
{
    *session =
        (struct qs_session){.server = session->server, .connection = session->connection + 1};
}

bool qs_session_from_server(const struct qs_session *session, const struct qs_packet *packet)
{
    return session->server != QS_END_UNKNOWN && session->server == packet->from;
}
