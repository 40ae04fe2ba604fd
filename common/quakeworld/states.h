/* SPDX-License-Identifier: GPL-2.0-or-later */
/* States of entities in the order of their numbers, changed in place. */
#ifndef QW_STATES_H
#define QW_STATES_H

#include "common/quakeworld/entity_delta.h"

/* More are dropped: numbers are below the first; of a frame no client takes more than the second,
 * and of each session many frames are kept. */
enum { QW_STATES_MAX = 2048, QW_STATES_IN_FRAME_MAX = 256 };

/* NULL stands for none; what is returned takes the place of what was given. Free with g_free(). */
struct qw_states {
    uint32_t count, room; /* states that there are, and that fit */
    struct qw_entity entities[];
};

/* Where the state of that number stands or would stand. */
uint32_t qw_states_index(const struct qw_states *states, uint16_t number);

/* The state of that number, or NULL. */
const struct qw_entity *qw_states_find(const struct qw_states *states, uint16_t number);

/* Puts `entity` in its place, instead of the one that has its number. */
struct qw_states *qw_states_set(struct qw_states *states, const struct qw_entity *entity);

void qw_states_remove(struct qw_states *states, uint16_t number);

/* A copy of its own. */
struct qw_states *qw_states_copy(const struct qw_states *states);

/*
 * Applies the deltas in `in`, up to the word 0, or up to one for which there are too many in a
 * frame. What is new counts from `baselines`. Source: ezquake cl_ents.c, CL_ParsePacketEntities.
 */
struct qw_states *qw_states_apply(struct qw_states *states, const struct qw_states *baselines,
                                  const struct qw_delta_format *format, struct qs_reader in);

#endif
