/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the level that a session is in. If the capture lacks its svc_serverdata, later packets show
 * the new level: the client repeats the server's count of levels, and frame numbers restart.
 */
#include "common/core/text.h"
#include "common/quake2/decode.h"

/* Begins a level whose svc_serverdata the capture lacks. */
static void begin_unseen(struct qs_decoder *d, int32_t servercount)
{
    struct q2_session *session = q2_session_of(d->session);

    q2_session_begin_level(session);
    session->level.servercount = servercount;
    qs_level_lose(d->session, d->packet->number, true, false);
    if (session->tracker)
        q2_tracker_level(session->tracker);
}

/* Begins a level if the server count is new. Commands of the previous level may still arrive. */
static void see_servercount(struct qs_decoder *d, int32_t servercount)
{
    struct q2_session *session = q2_session_of(d->session);

    if (!session->base.connection || servercount == session->level.servercount ||
        servercount == session->level.old_servercount)
        return;
    if (session->base.level && !session->level.servercount)
        session->level.servercount = servercount;
    else
        begin_unseen(d, servercount);
}

/* True for the commands of a client's sign-on: "begin 1234". */
static bool names_servercount(struct qs_view word)
{
    return qs_view_equal(word, "configstrings") || qs_view_equal(word, "baselines") ||
           qs_view_equal(word, "begin");
}

void q2_level_command(struct qs_decoder *d, struct qs_view command)
{
    struct qs_token word, count;
    uint32_t pos = 0;
    int64_t number;

    if (!qs_token_next(command, &pos, &word))
        return;
    if (names_servercount(word.text) && qs_token_next(command, &pos, &count) &&
        qs_view_number_within(count.text, INT32_MIN, INT32_MAX, &number))
        see_servercount(d, (int32_t)number);
    if (qs_view_equal(word.text, "begin")) /* the client has the whole sign-on */
        qs_level_play(d->session, d->found.acknowledged + 1);
    if (qs_view_equal(word.text, "new") && d->session->level_state == QS_LEVEL_PLAYING)
        qs_level_end(d->session, d->packet->number);
}

void q2_level_stufftext(struct qs_decoder *d, struct qs_view text)
{
    if (qs_view_begins(text, "precache"))
        q2_session_of(d->session)->level.has_lists = true;
    if (!qs_view_begins(text, "changing") && !qs_view_begins(text, "reconnect"))
        return;
    qs_level_end(d->session, d->packet->number);
    qs_table_set(&q2_session_of(d->session)->texts, Q2_TEXT_MAP, (struct qs_view){0});
}

/*
 * True if the frame's number is of another level: numbers restart. Servers send ten frames a second
 * or more, also while the game is paused (SV_RunGameFrame). So across a gap the number of the same
 * level grows by more than five per second.
 */
static bool is_of_another_level(const struct qs_decoder *d, int32_t number)
{
    static const double rate = 5; /* frames per second: half of the minimum */
    const struct qs_skipped *gap = &d->session->to_client.last_gap;
    const int32_t last = q2_session_of(d->session)->level.last_frame;
    const double frames = (double)number - last;
    const double seconds =
        gap->until == d->found.sequence ? ((double)gap->end - (double)gap->begin) / 1e9 : 0;

    return d->session->level_state == QS_LEVEL_PLAYING &&
           (frames < 0 || (last > 0 && frames < rate * (seconds - 1)));
}

void q2_level_frame(struct qs_decoder *d, int32_t number)
{
    struct q2_session *session = q2_session_of(d->session);

    if (session->base.to_client.started &&
        (qs_level_is_over(d->session, d->packet->number) || is_of_another_level(d, number)))
        begin_unseen(d, 0);
    session->level.last_frame = number;
    qs_level_play(d->session, d->found.sequence);
}
