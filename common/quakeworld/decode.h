/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations shared by all readers of QuakeWorld, and readers of messages.def that are defined in
 * other files than the table. */
#ifndef QW_DECODE_H
#define QW_DECODE_H

#include "common/core/decode.h"
#include "common/core/text.h"
#include "common/fte/fte.h"
#include "common/quakeworld/constants.h"
#include "common/quakeworld/session.h"

const struct qs_message_type *qw_client_message(const struct qs_decoder *d, uint32_t id);
const struct qs_message_type *qw_server_message(const struct qs_decoder *d, uint32_t id);

/* entities.c */
void qw_read_playerinfo(struct qs_decoder *d);
void qw_read_nails(struct qs_decoder *d);
void qw_read_nails2(struct qs_decoder *d);
void qw_read_packetentities(struct qs_decoder *d);
void qw_read_deltapacketentities(struct qs_decoder *d);
void qw_read_spawnstatic2(struct qs_decoder *d);
void qw_read_spawnbaseline2(struct qs_decoder *d);
void qw_read_packetsprojectiles(struct qs_decoder *d);

/* entities.c: effects that the server defines */
void qw_read_customtempent(struct qs_decoder *d);

/* precache.c; the short variants are FTE's, with 16-bit indices */
void qw_read_modellist(struct qs_decoder *d);
void qw_read_soundlist(struct qs_decoder *d);
void qw_read_modellistshort(struct qs_decoder *d);
void qw_read_soundlistshort(struct qs_decoder *d);

/* fte.c: Returns the type of FTE's server message `id`, or NULL if no extension allows it. */
const struct qs_message_type *qw_extension_message(const struct qs_decoder *d, uint32_t id);

/* Reads svcfte_brushedit and clcfte_brushedit, which have the same layout. */
void qw_read_brushedit(struct qs_decoder *d);

/* usercmd.c */
/* Reads a command as a delta from `cmd`, and stores the absolute command in `cmd`. */
void qw_read_usercmd(struct qs_decoder *d, struct qw_usercmd *cmd);
/* Reads angles in degrees, moves, buttons and impulse, in the form that demos use. */
void qw_read_whole_usercmd(struct qs_decoder *d);

/* mvd.c */
void qw_read_mvd_weapon(struct qs_decoder *d);
void qw_read_mvd_debug(struct qs_decoder *d);

/* --- Shared by all readers --- */

static inline struct qw_session *qw_session_of(const struct qs_decoder *d)
{
    return (struct qw_session *)d->session;
}

/* Returns the agreed protocol version, or the latest one if the capture lacks it. */
static inline int32_t qw_version(const struct qs_decoder *d)
{
    return d->session->version ? d->session->version : QW_PROTOCOL_LAST;
}

/* connectionless.c: packets with the prefix ff ff ff ff, and the texts without it */
bool qw_is_digits(struct qs_view text); /* true if not empty, and only digits */
/* True for a letter followed by a number. */
bool qw_begins_number(struct qs_view text);
bool qw_is_connectionless(const struct qs_decoder *d);
void qw_decode_connectionless(struct qs_decoder *d);
/* True if `text`, the packet after its mark, has a known command. */
bool qw_is_known_oob(struct qs_view text);
bool qw_is_bare_text(const struct qs_packet *packet);
void qw_decode_bare_text(struct qs_decoder *d);

/* netchan.c: packets with sequence numbers */
void qw_decode_netchan(struct qs_decoder *d);
/* Like qw_decode_netchan(), for demos, which have only the plain header. */
void qw_decode_plain_netchan(struct qs_decoder *d);
bool qw_seqinfo(const struct qs_session *session, const struct qs_packet *packet,
                struct qs_seqinfo *seqinfo);

/* level.c: whether the capture has a level's complete sign-on */
/* Handles a command of the client. */
void qw_level_command(struct qs_decoder *d, struct qs_view text);

/* Handle the server's messages: svc_stufftext; svc_serverdata with its count; the start and the end
 * of a list that begins at index `first`. `next`: index of the list's next part, or 0. */
void qw_level_stufftext(struct qs_decoder *d, struct qs_view text);
void qw_level_serverdata(struct qs_decoder *d, int32_t count);
void qw_level_list_begins(struct qs_decoder *d, uint32_t first);
void qw_level_list(struct qs_decoder *d, bool models, uint32_t first, uint32_t next);

/* Handles a packet of either end, before its messages are read. `skipped`: numbers missing before
 * it; `others`: numbers of the other end missing since the previous packet. */
void qw_level_before_messages(struct qs_decoder *d, uint32_t skipped, uint32_t others);

/* Handles a packet after all of its messages. `burst`: result of qs_note_gap(); `was_pending`: true
 * if a request had no answer before the packet. */
void qw_level_after_messages(struct qs_decoder *d, bool reliable, bool burst, bool was_pending);

/* qtv.c: streams over TCP; see struct qs_protocol */
bool qw_recognize_stream(struct qs_view start);
uint32_t qw_pdu_length(const struct qs_session *session, const struct qs_packet *start,
                       uint32_t seen);
void qw_decode_pdu(struct qs_decoder *d);

/* command.c: console commands in texts, and info strings */
/* Emits the pairs of an info string that begins at `offset`. */
void qw_emit_info(struct qs_decoder *d, struct qs_view info, uint32_t offset);
/* Emits the commands in `text`, which begins at `offset`: words, info strings, meanings. */
void qw_emit_commands(struct qs_decoder *d, struct qs_view text, uint32_t offset);
/* Reads a client's text of commands, and adds it to the title. Returns the text. */
struct qs_view qw_read_commands(struct qs_decoder *d, unsigned id);

/* Emits the flags of ZQuake's extensions if `key` is *z_ext. `value` begins at `offset`. */
void qw_emit_z_ext(struct qs_decoder *d, struct qs_view key, struct qs_view value, uint32_t offset);

/* names.c: numbers of players, models and sounds, and their names in the session */
/* Reads a u8 that is the number of a player or model, and emits the name as a generated field. */
uint8_t qw_read_player(struct qs_decoder *d, unsigned id);
void qw_read_model(struct qs_decoder *d, unsigned id);
/* Emits the name of the player whose number is in the `length` bytes just read. */
void qw_emit_player_name(struct qs_decoder *d, uint32_t player, uint32_t length);
/* Emits the name of the entity just read if it is a player; entities from 1 on are the players. */
void qw_emit_entity_name(struct qs_decoder *d, uint32_t entity);
/* Emits the name of the model whose number is in the `length` bytes at `offset`. */
void qw_emit_model_name(struct qs_decoder *d, uint32_t model, uint32_t offset, uint32_t length);
/* Emits the name of the sound whose number is in the `length` bytes just read. */
void qw_emit_sound_name(struct qs_decoder *d, uint32_t sound, uint32_t length);
/* Adds the name of a statistic to the message's title. */
void qw_label_stat(struct qs_decoder *d, uint8_t index);

/* session.c */
/* Sets the formats of coordinates and angles for the agreed extensions. */
void qw_apply_extensions(struct qs_decoder *d);

/*
 * True if the extensions change messages in ways that only FTE knows. Other engines ignore unknown
 * bits and misread those messages: ezquake cl_parse.c, CL_ParseServerData.
 */
bool qw_only_fte_reads(const struct fte_session *session);

/* fte.c: QuakeWorld's part of FTE's extensions */
extern const struct fte_game qw_fte_game;

#endif
