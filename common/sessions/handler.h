/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What users of packets and sessions are told: by common/sessions/sessions.h, which runs both. */
#ifndef QS_SESSIONS_HANDLER_H
#define QS_SESSIONS_HANDLER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/parse.h"
#include "common/sessions/crowd.h"
#include "common/sessions/location.h"
#include "common/sessions/session.h"

/* A packet after its decode. */
struct qs_decoded_packet {
    struct qs_location location;
    const struct qs_packet *packet;
    const struct qs_decoder *decoder;
    const struct qs_client_session *session; /* NULL: it belongs to none */
    uint64_t conversation;                   /* its number, from 1 on */
};

/*
 * Who uses packets and sessions. Any function may be NULL. An implementation begins with this
 * struct.
 */
struct qs_sessions_handler {
    struct qs_sink *sink;   /* of every decode; or NULL */
    bool want_summary;      /* of the decoder */
    bool want_transfers;    /* of the decoder */
    bool unchecked;         /* of the decoder */
    struct qs_guard *guard; /* of the decoder; or NULL */
    bool want_rebuild;      /* run rebuilders */
    bool write_demos;       /* and keep what they write */
    bool as_captured;       /* packets come in the capture's order, even where that is not theirs */
    void (*packet)(struct qs_sessions_handler *handler, const struct qs_decoded_packet *decoded);
    /* No more packets of the conversation come; of one at least `packet` was told. */
    void (*conversation_over)(struct qs_sessions_handler *handler, uint64_t conversation,
                              const struct qs_protocol *protocol);
    /* A session turns out to be one: see qs_client_session_is_live(). The next ones come of such
     * sessions alone. */
    void (*session_begin)(struct qs_sessions_handler *handler,
                          const struct qs_client_session *session);
    /* It began before the input did; its demo needs a sign-on. */
    void (*session_late)(struct qs_sessions_handler *handler,
                         const struct qs_client_session *session);
    /* Its map is known; once a level. */
    void (*session_map)(struct qs_sessions_handler *handler,
                        const struct qs_client_session *session);
    /* A file of its demo is there, or cannot be: see `error`. */
    void (*demo_file)(struct qs_sessions_handler *handler, const struct qs_client_session *session,
                      const struct qs_session_demo_file *file);
    /* Of any session that is told of. */
    void (*session_end)(struct qs_sessions_handler *handler,
                        const struct qs_client_session *session);
    /* The session is over and will not be told of, by qs_client_session_end(). */
    void (*session_left_out)(struct qs_sessions_handler *handler,
                             const struct qs_client_session *session);
    /* Sessions of too little content to be told of one by one; once, where there are any. */
    void (*others)(struct qs_sessions_handler *handler, const struct qs_crowd_others *others);
};

#endif
