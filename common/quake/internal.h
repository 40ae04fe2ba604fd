/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of this folder share. */
#ifndef NQ_INTERNAL_H
#define NQ_INTERNAL_H

#include "common/core/decoder.h"
#include "common/fte/fte.h"
#include "common/quake/constants.h"
#include "common/quake/fields.h"
#include "common/quake/quake.h"

static inline struct nq_session *nq_session_of(const struct qs_decoder *d)
{
    return (struct nq_session *)d->session;
}

/* The protocol version to read by. */
static inline int32_t nq_version(const struct nq_session *session)
{
    return session->base.version ? session->base.version : session->assumed_version;
}

/* Has FitzQuake's additions. */
static inline bool nq_is_extended(const struct nq_session *session)
{
    return nq_version(session) == PROTOCOL_FITZQUAKE || nq_version(session) == PROTOCOL_RMQ;
}

/* Which of DarkPlaces' own protocols, 1 to 8; 0: another one. */
static inline unsigned nq_darkplaces_version(const struct nq_session *session)
{
    const int32_t version = nq_version(session);

    if (version >= PROTOCOL_DP3 && version <= PROTOCOL_DP8)
        return (unsigned)(version - PROTOCOL_DP3) + 3;
    if (version == PROTOCOL_DP1 || version == PROTOCOL_DP2)
        return (unsigned)(version - PROTOCOL_DP1) + 1;
    return 0;
}

/* Client and server have agreed on extensions of FTE. */
static inline bool nq_has_fte(const struct nq_session *session)
{
    return session->ext.fte || session->ext.fte2;
}

/* Has DarkPlaces' messages: its own protocols, and whatever protocol its servers and FTE's speak.
 */
static inline bool nq_has_darkplaces(const struct nq_session *session)
{
    return session->darkplaces || nq_darkplaces_version(session) || nq_has_fte(session);
}

/* BJP's: models have 16-bit numbers. */
static inline bool nq_is_bjp(const struct nq_session *session)
{
    return nq_version(session) >= PROTOCOL_BJP && nq_version(session) <= PROTOCOL_BJP3;
}

/* The same of sounds. */
static inline bool nq_has_wide_sounds(const struct nq_session *session)
{
    return nq_version(session) == PROTOCOL_BJP2 || nq_version(session) == PROTOCOL_BJP3;
}

/* Has Nehahra's messages. DarkPlaces has its own in these protocols. */
static inline bool nq_has_nehahra(const struct nq_session *session)
{
    return (nq_is_bjp(session) || nq_version(session) == PROTOCOL_NEHAHRA_MOVIE) &&
           !session->darkplaces;
}

/* quake.c */

/* A message as demos hold it, which its receiver was given. */
void nq_decode_delivered(struct qs_decoder *d);

/* A new connection begins in the conversation: nothing of the old one counts. */
void nq_begin_connection(struct nq_session *session);

/*
 * The server accepts a connection request in this conversation. While one is in progress that is a
 * repeated answer, or the client lost its state: the numbers that come will tell.
 */
void nq_accept_connection(struct nq_session *session);

/* control.c: the whole packet. */
void nq_read_control(struct qs_decoder *d);
/* Whether these bytes can only be a control packet. */
bool nq_is_control(struct qs_view packet);

/* connectionless.c: the whole packet. */
void nq_read_connectionless(struct qs_decoder *d);
bool nq_is_connectionless(struct qs_view packet);
/* The same of DarkPlaces' alone: other games do not send it. */
bool nq_is_darkplaces(struct qs_view packet);

/* demo.c: the whole block. */
void nq_decode_demo_block(struct qs_decoder *d);

/* datagram.c: a packet that carries data or acknowledges it. */
void nq_read_datagram(struct qs_decoder *d);
/* Whether these bytes can only be an unreliable message of a game. */
bool nq_is_game(struct qs_view packet);

/* server_messages.c, client_messages.c: all messages to the end of the source. */
void nq_read_server_messages(struct qs_decoder *d);
void nq_read_client_messages(struct qs_decoder *d);
/* Whether the session's protocol is not decoded; then the rest of the source is reported so. */
bool nq_pass_over(struct qs_decoder *d);
/*
 * Where the capture began in a game: chooses the first protocol with which `read` can read what is
 * left of the source, that of the last message before others.
 */
void nq_assume_protocol(struct qs_decoder *d, void (*read)(struct qs_decoder *d));
/* What svc_disconnect and clc_disconnect have behind their id. */
void nq_read_reason(struct qs_decoder *d);
/* Sets how the session's protocol writes coordinates and angles. */
void nq_set_formats(struct qs_decoder *d);

/* A generated field with the name that `table` has for `index`; it labels the group as well. */
void nq_name(struct qs_decoder *d, unsigned row, const struct qs_table *table, uint32_t index,
             uint32_t offset, uint32_t length);

/* entities.c: messages that describe entities, after the id. */
void nq_read_update(struct qs_decoder *d);
void nq_read_spawnstatic(struct qs_decoder *d);
void nq_read_spawnstatic2(struct qs_decoder *d);
void nq_read_spawnbaseline(struct qs_decoder *d);
void nq_read_spawnbaseline2(struct qs_decoder *d);
void nq_read_spawnstatic_large(struct qs_decoder *d);
void nq_read_spawnbaseline_large(struct qs_decoder *d);

/* entity_frames.c: the same of DarkPlaces. */
void nq_read_entities(struct qs_decoder *d);
void nq_read_csqcentities(struct qs_decoder *d);

/* download.c */
void nq_read_downloaddata(struct qs_decoder *d);
/* Tells of the downloads that begin or end with console commands of the server. */
void nq_add_transfer_commands(struct qs_decoder *d, struct qs_view commands);

/* fte.c: FTE's extensions as Quake has them. */
extern const struct fte_game nq_fte_game;
void nq_read_updateentities(struct qs_decoder *d);
void nq_read_fte_move(struct qs_decoder *d);
void nq_read_temp_entity_sized(struct qs_decoder *d);

/* clientdata.c */
void nq_read_clientdata(struct qs_decoder *d);

/* temp_entities.c */
void nq_read_temp_entity(struct qs_decoder *d);

#endif
