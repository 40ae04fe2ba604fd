/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The readers of messages: each reads what stands behind its id. messages.def lists them. */
#ifndef NQ_DECODE_H
#define NQ_DECODE_H

#include "common/core/decode.h"
#include "common/netchan/seqinfo.h"
#include "common/quake/constants.h"
#include "common/quake/session.h"

/* All messages to the end of the source. */
void nq_read_server_messages(struct qs_decoder *d);
void nq_read_client_messages(struct qs_decoder *d);

/* What svc_disconnect and clc_disconnect have behind their id. */
void nq_read_reason(struct qs_decoder *d);

/* clientdata.c */
void nq_read_clientdata(struct qs_decoder *d);

/* server_messages.c */
void nq_read_downloaddata(struct qs_decoder *d);
/* Adds the downloads that begin or end with console commands of the server. */
void nq_add_transfer_commands(struct qs_decoder *d, struct qs_view commands);

/* effects.c */
void nq_read_particle(struct qs_decoder *d);
void nq_read_fog(struct qs_decoder *d);
void nq_read_showlmp(struct qs_decoder *d);
void nq_read_effect(struct qs_decoder *d);
void nq_read_nehahra_fog(struct qs_decoder *d);

/* entities.c */
void nq_read_update(struct qs_decoder *d);
void nq_read_spawnstatic(struct qs_decoder *d);
void nq_read_spawnbaseline(struct qs_decoder *d);
/* Component `axis` of an update's origin; `row_x` is the row of its X. */
void nq_read_entity_origin(struct qs_decoder *d, unsigned row_x, unsigned axis,
                           struct qs_entity_update *update);
void nq_read_entity_yaw(struct qs_decoder *d, unsigned row, struct qs_entity_update *update);

/* Sets an update's model, which was read from `at` on, and emits its name. */
static inline void nq_set_entity_model(struct qs_decoder *d, unsigned name_row, uint32_t model,
                                       uint32_t at, uint32_t length,
                                       struct qs_entity_update *update)
{
    qs_emit_name(d, name_row, &nq_session_of(d)->models, model, at, length);
    update->model = (uint16_t)model;
    update->has |= QS_ENTITY_MODEL;
}

/* darkplaces_entities.c */
void nq_read_entities(struct qs_decoder *d);
void nq_read_csqcentities(struct qs_decoder *d);

/* variant.c: what FTE's extensions have of Quake's own */
extern const struct fte_game nq_fte_game;
void nq_read_updateentities(struct qs_decoder *d);
void nq_read_fte_move(struct qs_decoder *d);

/* info.c */
/* The info strings of players and the server in console commands of the server. */
void nq_read_info_commands(struct qs_decoder *d, struct qs_view commands, uint32_t offset);

void nq_read_sound(struct qs_decoder *d);
void nq_read_spawnstaticsound(struct qs_decoder *d);
void nq_read_spawnstaticsound2(struct qs_decoder *d);
void nq_read_localsound(struct qs_decoder *d);
/* DP1 to DP3: the number has 16 bits. */
void nq_read_sound2(struct qs_decoder *d);

/* connectionless.c: DarkPlaces' connectionless packets */
/* The whole packet. */
void nq_read_connectionless(struct qs_decoder *d);
bool nq_is_connectionless(struct qs_view packet);
/* Whether it is one of DarkPlaces' alone: other games do not send it. */
bool nq_is_darkplaces(struct qs_view packet);
/* Whether it has a command that is known. */
bool nq_is_known_text(struct qs_view packet);

/* control.c: control packets, by which a client finds a server and connects */
/* The whole packet. */
void nq_read_control(struct qs_decoder *d);
/* recognize.c */
/* Whether these bytes can only be a control packet. */
bool nq_is_control(struct qs_view packet);
/*
 * Whether they can only be a level's sign-on, or its first fragment. Servers that open a socket for
 * each client send it from a port that only their accept tells, which a capture may lack.
 */
bool nq_is_sign_on(struct qs_view packet);

/* Whether server messages begin a level: svc_serverinfo, perhaps behind texts and commands. */
bool nq_begins_level(struct qs_view messages);
/* Whether they cannot be a packet of the game at all. */
bool nq_is_foreign(const struct qs_protocol *protocol, const struct qs_packet *packet);

/* frame_acks.c: frames that clients acknowledge: the capture may lack one that was received */
/* The server's frame of this number is being read. */
void nq_read_frame_number(struct qs_decoder *d, int32_t number);

/* A message of the server may have had a frame where it could not be read. */
void nq_assume_frame_number(struct qs_decoder *d);

/*
 * The client acknowledges the frame in the field of 4 bytes before the read position. What the
 * capture lacks is noted, and counted as not captured, once a later frame has come: recorders may
 * write the acknowledgement first.
 */
void nq_acknowledge_frame(struct qs_decoder *d, int32_t number);

/* Which of Quake's protocols the session speaks, with whose messages, and how it writes numbers
 * (PROTOCOL.md, section 7): variant.c, and */

/* Has FitzQuake's additions. */
static inline bool nq_is_extended(const struct nq_session *session)
{
    return nq_version(session) == PROTOCOL_FITZQUAKE || nq_version(session) == PROTOCOL_RMQ;
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

/* level.c: which level a session is in, and what the capture lacks of its sign-on */
/* The current packet shows that part of the sign-on was not captured: sent before it, or the packet
 * itself. */
void nq_level_lose(struct qs_decoder *d, bool before, bool playable);
/* So many fragments of the server's reliable messages before the packet were not captured. */
void nq_level_miss(struct qs_decoder *d, uint32_t missing);
/*
 * A command of the client's: of those that ask for a part of the sign-on each has the part before.
 * Where that was not seen, it is in doubt, until it comes or something else does.
 */
void nq_level_command(struct qs_decoder *d, struct qs_view command);
void nq_level_stufftext(struct qs_decoder *d, struct qs_view text);
/* svc_signonnum and svc_time. */
void nq_level_stage(struct qs_decoder *d, uint8_t stage);
void nq_level_time(struct qs_decoder *d, float time);
/* A move repeats the svc_time of the newest message that the client has: the capture may lack it.
 */
void nq_acknowledge_time(struct qs_decoder *d, float time);
/* The server's message that was just read settles a doubt, if there is one and it can. */
void nq_level_clear_doubt(struct nq_session *session, bool reliable);

/* netchan.c: the datagrams of a connection */
/* A packet that carries data or acknowledges it. */
void nq_read_datagram(struct qs_decoder *d);
/* Whether these bytes can only be an unreliable message of a game. */
bool nq_is_game(struct qs_view packet);

/* Where a datagram stands in its conversation; for the protocol record. */
bool nq_seqinfo(const struct qs_session *session, const struct qs_packet *packet,
                struct qs_seqinfo *seqinfo);

#endif
