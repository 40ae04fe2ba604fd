/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/qwd/client_view.h"

#include <string.h>

enum { VOTE_EVERY = 16 }; /* updates */

static void told_free(void *extra)
{
    struct qwd_view *told = extra;

    g_free(told->baselines);
    g_free(told->current);
    g_free(told->presence);
    qwd_samples_clear(&told->samples);
    g_array_free(told->usual, TRUE);
    g_free(told);
}

static GArray *usual_new(void)
{
    return g_array_new(FALSE, FALSE, sizeof(struct qwd_vote));
}

static void *told_copy(const void *extra)
{
    const struct qwd_view *told = extra;
    struct qwd_view *copy = g_memdup2(told, sizeof *told);

    copy->baselines = qw_states_copy(told->baselines);
    copy->current = qw_states_copy(told->current);
    qwd_samples_copy(&copy->samples, &told->samples);
    copy->presence = g_memdup2(told->presence, sizeof *told->presence);
    copy->usual = usual_new();
    g_array_append_vals(copy->usual, told->usual->data, told->usual->len);
    return copy;
}

static const struct qs_sign_on_extra extra_of_qwd = {told_copy, told_free, false};

struct qwd_view *qwd_view_new(const struct qw_delta_format *format)
{
    struct qwd_view *told = g_new0(struct qwd_view, 1);

    told->extra = extra_of_qwd;
    told->format = *format;
    told->usual = usual_new();
    return told;
}

static struct qwd_vote *usual_at(const struct qwd_view *told, guint index)
{
    return &g_array_index(told->usual, struct qwd_vote, index);
}

/* Index of that number, or where to insert it. */
static guint usual_index(const struct qwd_view *told, uint16_t number)
{
    guint first = 0, end = told->usual->len;

    while (first < end) {
        const guint middle = (first + end) / 2;

        if (usual_at(told, middle)->state.number < number)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

static bool is_usual_at(const struct qwd_view *told, guint index, uint16_t number)
{
    return index < told->usual->len && usual_at(told, index)->state.number == number;
}

/* Entities vote in the order of their numbers. */
static struct qwd_vote *usual_for(struct qwd_view *told, const struct qw_entity *entity)
{
    guint index = told->next_vote;

    if (!is_usual_at(told, index, entity->number))
        index = usual_index(told, entity->number);
    if (!is_usual_at(told, index, entity->number))
        g_array_insert_val(told->usual, index, ((struct qwd_vote){.state = *entity}));
    told->next_vote = index + 1;
    return usual_at(told, index);
}

void qwd_view_vote(struct qwd_view *told, const struct qw_entity *entity)
{
    struct qwd_vote *usual = usual_for(told, entity);

    if (!usual->votes)
        usual->state = *entity;
    if (qw_entities_equal(&told->format, &usual->state, entity))
        usual->votes++;
    else
        usual->votes--;
}

static void vote(struct qwd_view *told)
{
    told->next_vote = 0;
    for (uint32_t i = 0; told->current && i < told->current->count; i++)
        qwd_view_vote(told, &told->current->entities[i]);
}

static void take_sample(struct qwd_view *told, uint8_t player)
{
    struct qwd_sample sample = {.player = player};

    memcpy(sample.origin, told->origin, sizeof sample.origin);
    for (uint32_t i = 0; told->current && i < told->current->count; i++)
        qwd_numbers_set(&sample.numbers, told->current->entities[i].number, true);
    qwd_samples_add(&told->samples, &sample);
}

static void look(struct qwd_view *told, uint8_t player)
{
    if (told->samples.updates % VOTE_EVERY == 0)
        vote(told);
    if (qwd_samples_update(&told->samples) && !told->everywhere)
        take_sample(told, player);
}

void qwd_view_update(struct qwd_view *told, uint8_t player, struct qs_view body, bool is_delta)
{
    struct qs_reader in = qs_reader_over(body.data, body.size);

    if (is_delta)
        qs_reader_u8(&in);
    else
        g_clear_pointer(&told->current, g_free);
    told->current = qw_states_apply(told->current, told->baselines, &told->format, in);
    look(told, player);
}

bool qwd_view_common_state(const struct qwd_view *told, const struct qw_delta_format *format,
                           uint16_t number, struct qw_entity *state)
{
    const guint index = usual_index(told, number);

    if (!is_usual_at(told, index, number))
        return false;
    *state = usual_at(told, index)->state;
    return qw_entity_translate(state, &told->format, format);
}
