/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The entities that a QuakeWorld client received in a level: for a donor's sign-on. */
#include "common/demo/qwd/late_join.h"

#include <string.h>

enum { VOTE_EVERY = 16 }; /* updates */

static void view_free(void *extra)
{
    struct qwd_view *view = extra;

    g_free(view->baselines);
    g_free(view->current);
    g_free(view->presence);
    qs_samples_clear(&view->samples);
    g_hash_table_destroy(view->votes);
    g_free(view);
}

static void *view_copy(const void *extra)
{
    const struct qwd_view *view = extra;
    struct qwd_view *copy = g_memdup2(view, sizeof *view);

    copy->baselines = qw_states_copy(view->baselines);
    copy->current = qw_states_copy(view->current);
    copy->samples.all = g_array_copy(view->samples.all);
    copy->presence = g_memdup2(view->presence, sizeof *view->presence);
    copy->votes = qs_votes_copy(view->votes, sizeof(struct qw_entity));
    return copy;
}

struct qwd_view *qwd_view_new(const struct qw_delta_format *format)
{
    struct qwd_view *view = g_new0(struct qwd_view, 1);

    view->extra = (struct qs_sign_on_extra){view_copy, view_free, false};
    view->format = *format;
    view->votes = qs_votes_new();
    qs_samples_init(&view->samples, sizeof(struct qwd_sample), QWD_SAMPLES, QWD_SAMPLE_EVERY, NULL);
    return view;
}

static bool is_same(const void *format, const void *a, const void *b)
{
    return qw_entities_equal(format, a, b);
}

void qwd_view_vote(struct qwd_view *view, const struct qw_entity *entity)
{
    qs_votes_add(view->votes, entity->number, entity, sizeof *entity, is_same, &view->format);
}

static void add_sample(struct qwd_view *view, uint8_t player)
{
    struct qwd_sample *sample = qs_samples_add(&view->samples, view->updates);

    sample->update = view->updates;
    sample->player = player;
    memcpy(sample->origin, view->origin, sizeof sample->origin);
    for (uint32_t i = 0; view->current && i < view->current->count; i++)
        qwd_numbers_set(&sample->numbers, view->current->entities[i].number, true);
}

void qwd_view_update(struct qwd_view *view, uint8_t player, struct qs_view body, bool is_delta)
{
    struct qs_reader in = qs_reader_over(body.data, body.size);

    if (is_delta)
        qs_reader_u8(&in);
    else
        g_clear_pointer(&view->current, g_free);
    view->current = qw_states_apply(view->current, view->baselines, &view->format, in);
    for (uint32_t i = 0;
         view->updates % VOTE_EVERY == 0 && view->current && i < view->current->count; i++)
        qwd_view_vote(view, &view->current->entities[i]);
    if (!view->everywhere && qs_samples_is_due(&view->samples, view->updates))
        add_sample(view, player);
    view->updates++;
}

bool qwd_view_common_state(const struct qwd_view *view, const struct qw_delta_format *format,
                           uint16_t number, struct qw_entity *state)
{
    const struct qw_entity *winner = qs_votes_winner(view->votes, number);

    if (!winner)
        return false;
    *state = *winner;
    return qw_entity_translate(state, &view->format, format);
}
