/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a session of Acknex knows, and its life. */
#ifndef ACKNEX_SESSION_H
#define ACKNEX_SESSION_H

#include "common/core/parse.h"
#include "common/core/session.h"
#include "common/core/table.h"

enum acknex_text {
    ACKNEX_TEXT_PLAYER = 1, /* CLS_JOIN */
    ACKNEX_TEXT_LEVEL       /* CLS_LEVEL */
};

/* All texts are as on the wire. Negative indices and those beyond a table's limit are not stored.
 */
struct acknex_session {
    struct qs_session base;
    struct qs_table texts;     /* enum acknex_text */
    struct qs_table requested; /* file names by identifier: of each CLS_CREATE without an answer */
    struct qs_table files;     /* file names by entity index */
    struct qs_table players;   /* names by index of the entity that the player's client created */

    int16_t updated; /* not knowledge: the entity that the update at hand is about */
};

static inline struct acknex_session *acknex_session_of(const struct qs_decoder *d)
{
    return (struct acknex_session *)d->session;
}

/* As the protocol record has them. */
void acknex_session_init(struct qs_session *session);
void acknex_session_copy(struct qs_session *to, const struct qs_session *from);
void acknex_session_clear(struct qs_session *session);
void acknex_session_forget_packet(struct qs_session *session);
bool acknex_session_shares(const struct qs_session *a, const struct qs_session *b);
void acknex_session_describe(const struct qs_session *session, struct qs_description *description);

/* A client joins: what was known of an earlier connection ends. */
void acknex_session_join(struct acknex_session *session, struct qs_view player);

/* The client has loaded a level: entities of another level end. */
void acknex_session_level(struct acknex_session *session, struct qs_view level);

#endif
