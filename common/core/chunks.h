/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A list that only grows, in blocks: nothing is moved and no room is kept for twice as much. Items
 * are numbered from 1. Old ones may be forgotten.
 */
#ifndef QS_CORE_CHUNKS_H
#define QS_CORE_CHUNKS_H

#include <glib.h>
#include <stdint.h>

struct qs_chunks {
    GPtrArray *blocks; /* NULL: its items are forgotten */
    uint32_t item_size;
    uint32_t count;  /* of items, with those that are forgotten */
    uint32_t kept;   /* so many of the last items are kept, at least; 0: all */
    void *forgotten; /* stands for all items that are not there */
};

void qs_chunks_init(struct qs_chunks *chunks, uint32_t item_size, uint32_t kept);
void qs_chunks_clear(struct qs_chunks *chunks);

/* Adds an item of zeros. */
void *qs_chunks_add(struct qs_chunks *chunks);

/* The item, valid until it is forgotten. Of one that is forgotten, and of number 0, an item of
 * zeros that is nobody's. */
void *qs_chunks_at(const struct qs_chunks *chunks, uint32_t number);

#endif
