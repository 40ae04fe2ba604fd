/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of Quake that engines of the same protocol read by different rules: bytes that one
 * engine reads as part of the message are the next messages to another. --sanitize leaves them out.
 *
 * That is in protocol 15, which all engines play, for numbers with two meanings in FitzQuake's, and
 * where FTE differs from others. Sessions with its extensions are refused by all who do not know
 * them.
 */
#ifndef QS_DEMO_SANITIZE_FILTER_QUAKE_H
#define QS_DEMO_SANITIZE_FILTER_QUAKE_H

#include "common/core/parse.h"
#include "common/quake/session.h"

/* Who plays messages, by the protocol at their place. */
enum nq_players {
    NQ_PLAYERS_ALIKE,       /* only engines that read all of them alike */
    NQ_PLAYERS_DARKPLACES5, /* DarkPlaces, and FTE that knows its protocol 5 */
    NQ_PLAYERS_DARKPLACES,  /* the same of other protocols */
    NQ_PLAYERS_LATER,       /* FitzQuake's heirs, or others that know a later protocol than 15 */
    NQ_PLAYERS_ALL
};

/* By the current protocol. */
enum nq_players nq_players_of(const struct nq_session *session);

/* Of all messages that were just decoded; where they may change the protocol, NQ_PLAYERS_ALL. */
enum nq_players nq_players_of_decoded(const struct qs_decoder *decoder);

/* Whether every engine finds the end of `message`, its number first, at the same place. */
bool nq_is_read_alike(enum nq_players players, struct qs_view message);

#endif
