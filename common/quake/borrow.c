/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session that is lent what its level began with: PROTOCOL.md, section 9. */
#include "common/quake/dialect.h"
#include "common/quake/session.h"

void nq_session_borrow(struct nq_session *session, const struct nq_session *lender)
{
    struct nq_session own = *session;

    nq_session_copy(&session->base, &lender->base);
    session->base.server = own.base.server;
    session->base.connection = own.base.connection;
    session->base.level = own.base.level + 1;
    session->base.disconnected = own.base.disconnected;
    session->sign_on_lost = 0;
    session->sign_on_lent = true;
    session->base.to_server = own.base.to_server;
    session->base.to_client = own.base.to_client;
    session->frames = own.frames;
    session->to_server = own.to_server;
    session->to_client = own.to_client;
    session->darkplaces_client =
        own.darkplaces_client || nq_darkplaces_version(session); /* others do not speak these */
    /* What is left in `own` is no longer held. */
    own.to_server.pending = own.to_client.pending = (struct qs_fragments){0};
    nq_session_clear(&own.base);
}
