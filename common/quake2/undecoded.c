/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Protocols that are known, and not decoded: what they say stays unread, to the end of the session.
 * Source: PROTOCOL.md, section 16.
 */
#include "common/quake2/constants.h"
#include "common/quake2/decode.h"

bool q2_pass_over(struct qs_decoder *d)
{
    struct q2_session *session = q2_session_of(d->session);
    char *version;

    if (!session->undecodable)
        return false;
    version = q2_version_text(session);
    qs_note(d, QS_NOTE_PROTOCOL_UNDECODED, d->in.pos, qs_reader_left(&d->in),
            "Protocol %s is not decoded", version);
    g_free(version);
    qs_undecoded_to(d, d->in.limit);
    return true;
}
