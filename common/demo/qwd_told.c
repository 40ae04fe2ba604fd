/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/qwd_told.h"

#include <string.h>

enum { VOTE_EVERY = 16 }; /* updates */

static void told_free(void *extra)
{
    struct qwd_told *told = extra;

    g_free(told->baselines);
    g_free(told->current);
    g_free(told->presence);
    g_hash_table_destroy(told->usual);
    g_free(told);
}

static void copy_usual(struct qwd_told *to, const struct qwd_told *from)
{
    GHashTableIter iter;
    gpointer number, usual;

    g_hash_table_iter_init(&iter, from->usual);
    while (g_hash_table_iter_next(&iter, &number, &usual))
        g_hash_table_insert(to->usual, number, g_memdup2(usual, sizeof(struct qwd_usual)));
}

static void *told_copy(const void *extra)
{
    const struct qwd_told *told = extra;
    struct qwd_told *copy = g_memdup2(told, sizeof *told);

    copy->baselines = qw_states_copy(told->baselines);
    copy->current = qw_states_copy(told->current);
    copy->presence = g_memdup2(told->presence, sizeof *told->presence);
    copy->usual = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    copy_usual(copy, told);
    return copy;
}

static const struct qs_sign_on_extra extra_of_qwd = {told_copy, told_free};

struct qwd_told *qwd_told_new(const struct qw_delta_format *format)
{
    struct qwd_told *told = g_new0(struct qwd_told, 1);

    told->extra = extra_of_qwd;
    told->format = *format;
    told->usual = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    return told;
}

void qwd_told_vote(struct qwd_told *told, const struct qw_entity *entity)
{
    const gpointer number = GUINT_TO_POINTER(entity->number);
    struct qwd_usual *usual = g_hash_table_lookup(told->usual, number);

    if (!usual) {
        usual = g_new0(struct qwd_usual, 1);
        g_hash_table_insert(told->usual, number, usual);
    }
    if (!usual->votes)
        usual->state = *entity;
    if (qw_entities_equal(&told->format, &usual->state, entity))
        usual->votes++;
    else
        usual->votes--;
}

static void sample(struct qwd_told *told, uint8_t player)
{
    struct qwd_sample *sample;

    if (told->samples.updates % VOTE_EVERY == 0)
        for (uint32_t i = 0; told->current && i < told->current->count; i++)
            qwd_told_vote(told, &told->current->entities[i]);
    sample = qwd_samples_update(&told->samples);
    if (told->everywhere)
        told->samples.count = 0;
    if (!sample || told->everywhere)
        return;
    sample->player = player;
    memcpy(sample->origin, told->origin, sizeof sample->origin);
    for (uint32_t i = 0; told->current && i < told->current->count; i++)
        qwd_numbers_set(&sample->numbers, told->current->entities[i].number, true);
}

void qwd_told_update(struct qwd_told *told, uint8_t player, struct qs_view body, bool is_delta)
{
    struct qs_reader in = qs_reader_over(body.data, body.size);

    if (is_delta)
        qs_reader_u8(&in);
    else
        g_clear_pointer(&told->current, g_free);
    told->current = qw_states_apply(told->current, told->baselines, &told->format, in);
    sample(told, player);
}

bool qwd_told_usual(const struct qwd_told *told, const struct qw_delta_format *format,
                    uint16_t number, struct qw_entity *state)
{
    const struct qwd_usual *usual = g_hash_table_lookup(told->usual, GUINT_TO_POINTER(number));

    if (!usual)
        return false;
    *state = usual->state;
    return qw_entity_translate(state, &told->format, format);
}
