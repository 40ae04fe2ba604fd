/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/acknex/session.h"

#include "common/core/text.h"

void acknex_session_init(struct qs_session *session)
{
    *(struct acknex_session *)session = (struct acknex_session){0};
    qs_session_init(session);
}

void acknex_session_copy(struct qs_session *to, const struct qs_session *from)
{
    struct acknex_session *target = (struct acknex_session *)to;
    const struct acknex_session *source = (const struct acknex_session *)from;

    *target = *source;
    qs_table_copy(&target->texts, &source->texts);
    qs_table_copy(&target->requested, &source->requested);
    qs_table_copy(&target->files, &source->files);
    qs_table_copy(&target->players, &source->players);
}

bool acknex_session_shares(const struct qs_session *a, const struct qs_session *b)
{
    const struct acknex_session *one = (const struct acknex_session *)a;
    const struct acknex_session *other = (const struct acknex_session *)b;

    return qs_table_shares(&one->texts, &other->texts) &&
           qs_table_shares(&one->requested, &other->requested) &&
           qs_table_shares(&one->files, &other->files) &&
           qs_table_shares(&one->players, &other->players);
}

static void forget_entities(struct acknex_session *session)
{
    qs_table_clear(&session->requested);
    qs_table_clear(&session->files);
    qs_table_clear(&session->players);
}

void acknex_session_clear(struct qs_session *session)
{
    struct acknex_session *known = (struct acknex_session *)session;

    qs_table_clear(&known->texts);
    forget_entities(known);
}

void acknex_session_join(struct acknex_session *session, struct qs_view player)
{
    if (!session->base.connection || session->base.version)
        qs_session_connect(&session->base);
    acknex_session_clear(&session->base);
    qs_table_set(&session->texts, ACKNEX_TEXT_PLAYER, player);
}

void acknex_session_begin_level(struct acknex_session *session, struct qs_view level)
{
    const char *before = qs_table_get(&session->texts, ACKNEX_TEXT_LEVEL);

    if (before && !qs_view_equal(level, before))
        forget_entities(session);
    session->base.level++;
    qs_table_set(&session->texts, ACKNEX_TEXT_LEVEL, level);
}

static char *readable(const char *text)
{
    return text ? qs_text_utf8(qs_view_of(text)) : NULL;
}

void acknex_session_describe(const struct qs_session *session, struct qs_description *description)
{
    const struct acknex_session *known = (const struct acknex_session *)session;

    *description = (struct qs_description){
        .version = session->version ? g_strdup_printf("%d", session->version) : NULL,
        .map = readable(qs_table_get(&known->texts, ACKNEX_TEXT_LEVEL)),
        .player = readable(qs_table_get(&known->texts, ACKNEX_TEXT_PLAYER)),
    };
}
