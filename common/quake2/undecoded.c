/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Protocols that are known, and not decoded: what they say stays unread, to the end of the session.
 * Source: PROTOCOL.md, section 15.
 */
#include "common/quake2/constants.h"
#include "common/quake2/decode.h"

/*
 * The test release (3.00) numbers its messages in a way that is not known. What begins a level
 * betrays it: some number and then the version.
 */
static bool begins_test_release(const struct qs_decoder *d)
{
    const uint32_t left = qs_reader_left(&d->in);

    return !d->session->version && d->direction != QS_C2S && left > 4 &&
           qs_le32(d->in.data + d->in.pos + 1) == Q2_PROTOCOL_TEST_RELEASE;
}

bool q2_pass_over(struct qs_decoder *d)
{
    struct q2_session *session = q2_session_of(d->session);
    char *version;

    if (begins_test_release(d))
        q2_session_set_version(session, Q2_PROTOCOL_TEST_RELEASE);
    if (!session->undecodable)
        return false;
    version = q2_version_text(session);
    qs_note(d, QS_NOTE_PROTOCOL_UNDECODED, d->in.pos, qs_reader_left(&d->in),
            "Protocol %s is not decoded", version);
    g_free(version);
    qs_undecoded(d);
    return true;
}
