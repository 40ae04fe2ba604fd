/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of Quake's protocols a session speaks, with whose messages, and how it writes numbers
 * (PROTOCOL.md, section 7).
 */
#ifndef NQ_VARIANT_H
#define NQ_VARIANT_H

#include "common/quake/constants.h"
#include "common/quake/session.h"

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

/* Whether there is a decoder for the protocol. */
bool nq_is_decoded(uint32_t version);

/* Sets how the session's protocol writes coordinates and angles. */
void nq_set_formats(struct qs_decoder *d);

/* Whether the session's protocol is not decoded; then the rest of the source is reported so. */
bool nq_pass_over(struct qs_decoder *d);

/*
 * Where the capture began in a game: chooses the first protocol with which `read` can read what is
 * left of the source, that of the last message before others.
 */
void nq_assume_protocol(struct qs_decoder *d, void (*read)(struct qs_decoder *d));

#endif
