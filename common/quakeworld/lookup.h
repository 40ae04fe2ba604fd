/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of players, models and sounds in messages, with the names that the session has for them.
 */
#ifndef QW_LOOKUP_H
#define QW_LOOKUP_H

#include "common/core/decoder.h"

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
