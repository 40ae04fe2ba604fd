/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all readers of QuakeWorld need: decoder, constants, names, fields, the session, each other.
 */
#ifndef QW_DECODE_H
#define QW_DECODE_H

#include "common/core/parse.h"
#include "common/core/infostring.h"
#include "common/core/text.h"
#include "common/quakeworld/constants.h"
#include "common/quakeworld/fields.h"
#include "common/quakeworld/names.h"
#include "common/quakeworld/quakeworld.h"

static inline struct qw_session *qw_session(const struct qs_decoder *d)
{
    return (struct qw_session *)d->session;
}

/* The protocol version in force; where a capture begins too late to show it, the usual one. */
static inline int32_t qw_version(const struct qs_decoder *d)
{
    return d->session->version ? d->session->version : QW_PROTOCOL_LAST;
}

/* recognise.c */
bool qw_recognise(const struct qs_packet *packet);
bool qw_is_foreign(const struct qs_packet *packet);

/* connectionless.c: packets with the mark ff ff ff ff, and the texts that lack it */
bool qw_is_connectionless(const struct qs_decoder *d);
void qw_decode_connectionless(struct qs_decoder *d);
bool qw_is_bare_text(const struct qs_packet *packet);
void qw_decode_bare_text(struct qs_decoder *d);

/* netchan.c: packets with sequence numbers */
void qw_decode_netchan(struct qs_decoder *d);
/* The same where the header can only be the plain one: a demo's. */
void qw_decode_plain_netchan(struct qs_decoder *d);

/* qtv.c: streams over TCP; see struct qs_protocol */
bool qw_recognise_stream(struct qs_view start);
uint32_t qw_unit_size(const struct qs_session *session, const struct qs_packet *start,
                      uint32_t seen);
void qw_decode_unit(struct qs_decoder *d);

/* command.c: console commands in texts, and info strings */
/* An info string whose first byte stands at `offset`. */
void qw_emit_info(struct qs_decoder *d, struct qs_view info, uint32_t offset);
/* Emits the commands in `text`, which begins at `offset`: words, info strings, meanings. */
void qw_emit_commands(struct qs_decoder *d, struct qs_view text, uint32_t offset);
/* Reads a text of commands that a client sends, and adds it to the title and the summary. */
struct qs_view qw_read_commands(struct qs_decoder *d, unsigned id);

/* Emits the flags of ZQuake's extensions if `key` is theirs; `value` begins at `offset`. */
void qw_emit_z_ext(struct qs_decoder *d, struct qs_view key, struct qs_view value, uint32_t offset);

/* lookup.c: numbers of players, models and sounds, with the names that the session has for them */
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
/* Adds the name of a statistic to the message's title. */
void qw_label_stat(struct qs_decoder *d, uint8_t index);

#endif
