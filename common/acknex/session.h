/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Acknex, the engine of 3D GameStudio: the protocol record, and what a session knows. Source:
 * acknex-protocol, the manual's description. PROTOCOL.md documents what the manual leaves
 * open.
 */
#ifndef ACKNEX_SESSION_H
#define ACKNEX_SESSION_H

#include "common/core/decode.h"
#include "common/core/protocol.h"
#include "common/core/session.h"
#include "common/core/containers.h"

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
bool acknex_session_shares(const struct qs_session *a, const struct qs_session *b);
void acknex_session_describe(const struct qs_session *session, struct qs_description *description);

/* A client joins: what was known of an earlier connection ends. It asks again for the same
 * connection as long as the server has not answered (svc_info). */
void acknex_session_join(struct acknex_session *session, struct qs_view player);

/* The client has loaded a level: entities of another level end. */
void acknex_session_begin_level(struct acknex_session *session, struct qs_view level);

/* Numbers of the protocol's options. */
enum acknex_option { ACKNEX_POS_RESOLUTION, ACKNEX_ANGLE_BYTE_ORDER, ACKNEX_OPTION_COUNT };

/* How a CPosition is sent: the engine's variable of the same name. */
enum acknex_pos_resolution {
    ACKNEX_POS_PACKED, /* three bytes a coordinate, 1/128 quant */
    ACKNEX_POS_FIXED   /* four bytes, 1/1024 quant */
};

enum acknex_angle_byte_order {
    ACKNEX_ANGLE_BIG_ENDIAN, /* as the document's worked example has it */
    ACKNEX_ANGLE_INTEL       /* as its definition of a Short has it */
};

/* Strict enough to select the protocol on any port when the user asks for it; see the source. */
bool acknex_recognize(const struct qs_protocol *protocol, const struct qs_packet *packet);

/* Whether it can be read to its end in neither direction. */
bool acknex_is_foreign(const struct qs_protocol *protocol, const struct qs_packet *packet);

extern const struct qs_protocol acknex_protocol;

#endif
