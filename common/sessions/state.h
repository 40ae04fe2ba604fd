/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sessions.c and life.c share: all sessions and conversations that go on. */
#ifndef QS_SESSIONS_STATE_H
#define QS_SESSIONS_STATE_H

#include "common/sessions/conversation.h"
#include "common/sessions/crowd.h"
#include "common/sessions/late_join.h"
#include "common/sessions/sessions.h"
#include "common/sessions/nat_duplicates.h"
#include "common/sessions/heuristic.h"

struct qs_sessions {
    uint64_t conversations; /* that had a packet, so far */
    const struct qs_sessions_options *options;
    struct qs_sessions_handler *handler;
    struct qs_flow_table *flows;
    struct qs_heuristic *unclaimed;
    struct qs_nat_duplicates *twins;
    struct qs_conversation *demo; /* that is being read, or NULL */
    struct qs_decoder decoders[QS_PROTOCOLS_MAX];
    const char *file;                   /* of the packet at hand; interned */
    const char *stem;                   /* interned */
    const struct qs_comments *comments; /* of the packets at hand, or NULL */
    struct {
        int64_t last;     /* of the last datagram */
        int64_t furthest; /* of any */
    } clock;              /* nanoseconds; 0: there was none */
    struct qs_donors *donors;
    GQueue
        waiting; /* struct qs_client_session: over, and may yet be lent a sign-on; oldest first */
    struct qs_crowd crowd;
    struct qs_session_numbers numbering;
    bool keep;   /* unfinished demos at the end */
    bool ending; /* there is no more input */
};

static inline struct qs_decoder *qs_sessions_decoder(struct qs_sessions *sessions,
                                                     const struct qs_conversation *conversation)
{
    return &sessions->decoders[conversation->protocol];
}

#endif
