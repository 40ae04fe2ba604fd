/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of the QuakeWorld decoder, as they see each other. Each file begins with its source. */
#ifndef QW_PARTS_H
#define QW_PARTS_H

#include "common/core/decoder.h"
#include "common/core/infostring.h"
#include "common/core/text.h"
#include "common/quakeworld/constants.h"
#include "common/quakeworld/names.h"
#include "common/quakeworld/quakeworld.h"
#include "common/quakeworld/fields.h"

static inline struct qw_session *qw_session(const struct qs_decoder *d)
{
    return (struct qw_session *)d->session;
}

/* The protocol version in force; where a capture begins too late to show it, the usual one. */
static inline int32_t qw_version(const struct qs_decoder *d)
{
    return d->session->version ? d->session->version : QW_PROTOCOL_LAST;
}

/* session.c: the session, and the names that it has for numbers in messages. */
void qw_session_connect(struct qw_session *session);
void qw_session_new_level(struct qw_session *session);
void qw_set_userinfo_value(struct qw_session *session, uint32_t player, struct qs_view key,
                           struct qs_view value);
/* The name in the user info of `player`; the empty view when it is not known. */
struct qs_view qw_player_name(const struct qw_session *session, uint32_t player);
/* A u8 that is a player, a model or a sound, followed by the name as a derived field. */
uint8_t qw_read_player(struct qs_decoder *d, unsigned id);
uint8_t qw_read_model(struct qs_decoder *d, unsigned id);
uint8_t qw_read_sound(struct qs_decoder *d, unsigned id);
/* Emits the name of the player whose number is in the `length` bytes just read. */
void qw_emit_player_name(struct qs_decoder *d, uint32_t player, uint32_t length);
/* Entities from 1 on are the players: emits the name for the entity number just read. */
void qw_emit_entity_name(struct qs_decoder *d, uint32_t entity);
/* Emits the name of the model whose number is in the `length` bytes at `offset`. */
void qw_emit_model_name(struct qs_decoder *d, uint32_t offset, uint32_t length, uint32_t model);
/* The same for a sound, whose number is in the `length` bytes just read. */
void qw_emit_sound_name(struct qs_decoder *d, uint32_t sound, uint32_t length);
/* Sets the formats that the agreed extensions change. */
void qw_apply_extensions(struct qs_decoder *d);
/* What of FTE's extensions is QuakeWorld's own. */
extern const struct fte_game qw_fte_game;
/* Adds the name of a statistic to the message's title. */
void qw_label_stat(struct qs_decoder *d, uint8_t index);

/* command.c: console commands in texts, and info strings, whose first byte stands at `offset`. */
void qw_emit_info(struct qs_decoder *d, struct qs_view info, uint32_t offset);
/* Emits the commands in `text`, which begins at `offset`: words, info strings, meanings. */
void qw_emit_commands(struct qs_decoder *d, struct qs_view text, uint32_t offset);
/* Reads a text of commands that a client sends, and adds it to the title and the summary. */
struct qs_view qw_read_commands(struct qs_decoder *d, unsigned id);

/* Emits the flags of ZQuake's extensions if `key` is theirs; `value` begins at `offset`. */
void qw_emit_z_ext(struct qs_decoder *d, struct qs_view key, struct qs_view value, uint32_t offset);

/* connectionless.c: packets with the mark ff ff ff ff, and the texts that lack it. */
bool qw_recognise(const struct qs_packet *packet);
bool qw_is_bare_text(const struct qs_packet *packet);
void qw_decode_connectionless(struct qs_decoder *d);
void qw_decode_bare_text(struct qs_decoder *d);

/* netchan.c: packets with sequence numbers. */
void qw_decode_netchan(struct qs_decoder *d);
/* The same where the header can only be the plain one: a demo's. */
void qw_decode_plain_netchan(struct qs_decoder *d);

/* fte_netchan.c: what FTE changes about them. */
/* The header's format by the handshake; where the capture lacks that, by what the packet can be. */
const struct qw_netchan_format *qw_netchan_format(struct qs_decoder *d);
/* With STUNAWARE: whether the packet has the bias, and is not of another protocol. */
bool qw_is_biased(const struct qs_decoder *d);
/* The two words of the header, without bias. */
void qw_read_biased_words(struct qs_decoder *d, uint32_t *sequence, uint32_t *ack);
uint16_t qw_read_fragment_word(struct qs_decoder *d);
/*
 * Takes the rest of the packet, a piece of a message. Returns whether the message is whole now:
 * then the session has it as `joined`.
 */
bool qw_read_fragment(struct qs_decoder *d, uint16_t word);
/* A packet that is no fragment ends the wait for the rest of a message. */
void qw_forget_fragments(struct qs_decoder *d);
void qw_fragments_copy(struct qw_session *to, const struct qw_session *from);
void qw_fragments_clear(struct qw_session *session);

/* usercmd.c: delta usercmds, in moves and in svc_playerinfo. */
/* Reads a command as changes to `cmd`, which becomes the absolute command. */
void qw_read_usercmd(struct qs_decoder *d, struct qw_usercmd *cmd);
/* The angles in degrees, the moves, buttons and impulse, as demos have them. */
void qw_read_whole_usercmd(struct qs_decoder *d);

/* mvd_client.c */
void qw_read_mvd_weapon(struct qs_decoder *d);
void qw_read_mvd_debug(struct qs_decoder *d);
/* A player's weapons and ammunition, the weapons that it wants, and the one chosen. */
void qw_read_weapon_choice(struct qs_decoder *d);

/* fte_brushes.c: in both directions. */
void qw_read_brushedit(struct qs_decoder *d);

/* fte_messages.c: server messages of FTE. */
void qw_read_time(struct qs_decoder *d);
void qw_read_setview(struct qs_decoder *d);
void qw_read_splitscreenconfig(struct qs_decoder *d);
void qw_read_updateseats(struct qs_decoder *d);
void qw_read_choosesplitclient(struct qs_decoder *d);
void qw_read_updatestatstring(struct qs_decoder *d);
void qw_read_updatestatfloat(struct qs_decoder *d);
void qw_read_setinfoblob(struct qs_decoder *d);
void qw_read_precache(struct qs_decoder *d);
void qw_read_soundextended(struct qs_decoder *d);
void qw_read_spawnstaticsound2(struct qs_decoder *d);
void qw_read_qizmovoice(struct qs_decoder *d);
void qw_read_lightstylecol(struct qs_decoder *d);
void qw_read_setportalstate(struct qs_decoder *d);
void qw_read_showpic(struct qs_decoder *d);
void qw_read_hidepic(struct qs_decoder *d);
void qw_read_movepic(struct qs_decoder *d);
void qw_read_updatepic(struct qs_decoder *d);
void qw_read_particle(struct qs_decoder *d);
void qw_read_particle2(struct qs_decoder *d);
void qw_read_particle3(struct qs_decoder *d);
void qw_read_particle4(struct qs_decoder *d);
void qw_read_effect(struct qs_decoder *d);
void qw_read_effect2(struct qs_decoder *d);
void qw_read_trailparticles(struct qs_decoder *d);
void qw_read_pointparticles(struct qs_decoder *d);
void qw_read_pointparticles1(struct qs_decoder *d);

/* mvd_projectiles.c */
void qw_read_packetsprojectiles(struct qs_decoder *d);

/* temp_entities.c */
void qw_read_temp_entity(struct qs_decoder *d);
void qw_read_temp_entity_sized(struct qs_decoder *d);
void qw_read_customtempent(struct qs_decoder *d);

/* client_messages.c, server_messages.c: messages by number. */
const struct qs_message_type *qw_client_message(const struct qs_decoder *d, uint32_t id);
const struct qs_message_type *qw_server_message(const struct qs_decoder *d, uint32_t id);

/* protocol.c: a packet as a demo has it, from its header on. */
void qw_decode_recorded(struct qs_decoder *d);

/* demo.c */
void qw_decode_demo_block(struct qs_decoder *d);

/* mvd.c: a whole block of a server's demo or of a QTV stream, framing and all; see
 * common/demo/mvd.h. The packet is the block. */
void qw_decode_mvd_block(struct qs_decoder *d);

/* mvd_hidden.c: reads hidden messages up to the end of the source. */
void qw_read_hidden_messages(struct qs_decoder *d);

/* qtv.c: streams over TCP; see struct qs_protocol. */
bool qw_recognise_stream(struct qs_view start);
uint32_t qw_unit_size(const struct qs_session *session, const struct qs_packet *start,
                      uint32_t seen);
void qw_decode_unit(struct qs_decoder *d);

/* precache.c */
void qw_read_modellist(struct qs_decoder *d);
void qw_read_modellistshort(struct qs_decoder *d);
void qw_read_soundlist(struct qs_decoder *d);
void qw_read_soundlistshort(struct qs_decoder *d);

/* entities.c */
void qw_read_playerinfo(struct qs_decoder *d);
void qw_read_nails(struct qs_decoder *d);
void qw_read_nails2(struct qs_decoder *d);
void qw_read_packetentities(struct qs_decoder *d);
void qw_read_deltapacketentities(struct qs_decoder *d);
void qw_read_spawnstatic2(struct qs_decoder *d);
void qw_read_spawnbaseline2(struct qs_decoder *d);

#endif
