/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readers of messages: each reads what follows the message's id. messages.def lists them. */
#ifndef NQ_DECODE_H
#define NQ_DECODE_H

#include "common/core/decode.h"
#include "common/netchan/seqinfo.h"
#include "common/quake/constants.h"
#include "common/quake/session.h"

/* Read all messages to the end of the current buffer. */
void nq_read_server_messages(struct qs_decoder *d);
void nq_read_client_messages(struct qs_decoder *d);

/* Reads what follows the id of svc_disconnect and clc_disconnect. */
void nq_read_reason(struct qs_decoder *d);

/* clientdata.c */
void nq_read_clientdata(struct qs_decoder *d);

/* server_messages.c */
void nq_read_downloaddata(struct qs_decoder *d);
/* Adds events for the downloads that console commands of the server begin or end. */
void nq_add_transfer_commands(struct qs_decoder *d, struct qs_view commands);

/* effects.c */
void nq_read_particle(struct qs_decoder *d);
void nq_read_fog(struct qs_decoder *d);
void nq_read_showlmp(struct qs_decoder *d);
void nq_read_effect(struct qs_decoder *d);
void nq_read_nehahra_fog(struct qs_decoder *d);
void nq_read_sound(struct qs_decoder *d);
void nq_read_spawnstaticsound(struct qs_decoder *d);
void nq_read_spawnstaticsound2(struct qs_decoder *d);
void nq_read_localsound(struct qs_decoder *d);
/* Reads svc_sound2 of DP1 to DP3: the sound's number has 16 bits. */
void nq_read_sound2(struct qs_decoder *d);

/* entities.c */
void nq_read_update(struct qs_decoder *d);
void nq_read_spawnstatic(struct qs_decoder *d);
void nq_read_spawnbaseline(struct qs_decoder *d);
/* Reads component `axis` of an update's origin; `row_x` is the row of its X. */
void nq_read_entity_origin(struct qs_decoder *d, unsigned row_x, unsigned axis,
                           struct qs_entity_update *update);
void nq_read_entity_yaw(struct qs_decoder *d, unsigned row, struct qs_entity_update *update);

/* Sets the model of an update and emits its name; the number was read at offset `at`. */
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

/* variant.c: Quake's part of FTE's extensions */
extern const struct fte_game nq_fte_game;
void nq_read_updateentities(struct qs_decoder *d);
void nq_read_fte_move(struct qs_decoder *d);

/* info.c */
/* Reads info strings of players and server in the server's commands, which begin at `offset`. */
void nq_read_info_commands(struct qs_decoder *d, struct qs_view commands, uint32_t offset);

/* connectionless.c: DarkPlaces' connectionless packets */
/* Reads a whole connectionless packet. */
void nq_read_connectionless(struct qs_decoder *d);
bool nq_is_connectionless(struct qs_view packet);
/* True if DarkPlaces sends the packet and no other game does. */
bool nq_is_darkplaces(struct qs_view packet);
/* True if the connectionless packet has a command that is known. */
bool nq_is_known_text(struct qs_view packet);

/* control.c: control packets, by which a client finds a server and connects */
/* Reads a whole control packet. */
void nq_read_control(struct qs_decoder *d);
/* recognize.c */
/* True if the bytes can only be a control packet. */
bool nq_is_control(struct qs_view packet);
/*
 * True if the bytes can only be a level's sign-on, or its first fragment. Servers with a socket for
 * each client send it from a port that only their accept announces, which a capture may lack.
 */
bool nq_is_sign_on(struct qs_view packet);

/* True if the messages begin a level: svc_serverinfo, possibly behind texts and commands. */
bool nq_begins_level(struct qs_view messages);
/* True if the packet cannot be one of the game. */
bool nq_is_foreign(const struct qs_protocol *protocol, const struct qs_packet *packet);

/* frame_acks.c: acknowledged frames of entities, which show what the capture lacks */
/* Registers the number of the server's frame that is being read. */
void nq_read_frame_number(struct qs_decoder *d, int32_t number);

/* Registers a frame if the server's message may have one that could not be read. */
void nq_assume_frame_number(struct qs_decoder *d);

/*
 * Registers the client's acknowledgement of a frame; its 4 bytes were read last. If the capture
 * lacks the frame, adds a note and counts it as not captured, but only after a later frame has
 * come: capture programs may write an acknowledgement before its frame.
 */
void nq_acknowledge_frame(struct qs_decoder *d, int32_t number);

/* variant.c and inline: the protocol of a session, its messages, and its formats of numbers
 * (PROTOCOL.md, section 7) */

/* True if the protocol has FitzQuake's additions. */
static inline bool nq_is_extended(const struct nq_session *session)
{
    return nq_version(session) == PROTOCOL_FITZQUAKE || nq_version(session) == PROTOCOL_RMQ;
}

/* True if client and server have agreed on extensions of FTE. */
static inline bool nq_has_fte(const struct nq_session *session)
{
    return session->ext.fte || session->ext.fte2;
}

/* True if the session has DarkPlaces' messages: in DarkPlaces' own protocols, and in any protocol
 * that its servers or FTE's speak. */
static inline bool nq_has_darkplaces(const struct nq_session *session)
{
    return session->darkplaces || nq_darkplaces_version(session) || nq_has_fte(session);
}

/* True for BJP's protocols, in which models have 16-bit numbers. */
static inline bool nq_is_bjp(const struct nq_session *session)
{
    return nq_version(session) >= PROTOCOL_BJP && nq_version(session) <= PROTOCOL_BJP3;
}

/* True if sounds have 16-bit numbers. */
static inline bool nq_has_wide_sounds(const struct nq_session *session)
{
    return nq_version(session) == PROTOCOL_BJP2 || nq_version(session) == PROTOCOL_BJP3;
}

/* True if the session has Nehahra's messages. DarkPlaces sends its own in the same protocols. */
static inline bool nq_has_nehahra(const struct nq_session *session)
{
    return (nq_is_bjp(session) || nq_version(session) == PROTOCOL_NEHAHRA_MOVIE) &&
           !session->darkplaces;
}

/* True if the protocol can be decoded. */
bool nq_is_decoded(uint32_t version);

/* Sets the formats of coordinates and angles by the session's protocol. */
void nq_set_formats(struct qs_decoder *d);

/* If the messages' protocol is not supported, reports them as undecoded and returns true. */
bool nq_pass_over(struct qs_decoder *d);

/*
 * Guesses the protocol if the capture has no svc_serverinfo: the first one with which `read` can
 * read the rest of the buffer, beginning with that of the last message.
 */
void nq_assume_protocol(struct qs_decoder *d, void (*read)(struct qs_decoder *d));

/* level.c: the level of a session, and what the capture lacks of its sign-on */
/* Records that the capture lacks part of the sign-on: a packet before the current one (`before`),
 * or part of the current one. `playable`: players can show the level without it. */
void nq_level_lose(struct qs_decoder *d, bool before, bool playable);
/* Handles `missing` fragments of the server's reliable messages before the packet, which the
 * capture lacks. */
void nq_level_miss(struct qs_decoder *d, uint32_t missing);
/*
 * Reads a command of the client. If it asks for a part of the sign-on, the client has the part
 * before. If the capture lacks that, the sign-on is in doubt until that or a later message comes.
 */
void nq_level_command(struct qs_decoder *d, struct qs_view command);
void nq_level_stufftext(struct qs_decoder *d, struct qs_view text);
/* Update the level by svc_signonnum and svc_time. */
void nq_level_stage(struct qs_decoder *d, uint8_t stage);
void nq_level_time(struct qs_decoder *d, float time);
/* Registers the svc_time that a move repeats: that of the newest message that the client has, which
 * the capture may lack. */
void nq_acknowledge_time(struct qs_decoder *d, float time);
/* Resolves a pending doubt, if the server's message that was just read allows it. */
void nq_level_clear_doubt(struct nq_session *session, bool reliable);

/* netchan.c: datagrams of a connection */
/* Reads a packet with data or an acknowledgement. */
void nq_read_datagram(struct qs_decoder *d);
/* True if the bytes can only be an unreliable message of a game. */
bool nq_is_game(struct qs_view packet);

/* Sets `seqinfo` to the datagram's numbers; for the protocol record. False if it has none. */
bool nq_seqinfo(const struct qs_session *session, const struct qs_packet *packet,
                struct qs_seqinfo *seqinfo);

#endif
