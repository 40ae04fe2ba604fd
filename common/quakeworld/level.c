/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracks the session's level, and whether the capture has its complete sign-on. The client requests
 * the sign-on part by part: each answer makes the client send a certain request, and each request
 * is followed by its answer (PROTOCOL.md, section 9). If another one follows, the capture lacks
 * something between them. During the game, packets have no number of their level: a hole ends the
 * level if a sign-on fits into it and reliable packets are missing.
 */
#include "common/core/text.h"
#include "common/netchan/netchan.h"
#include "common/quakeworld/decode.h"

static bool is_signing_on(const struct qs_decoder *d)
{
    return d->session->level_state <= QS_LEVEL_SIGNING_ON;
}

/* True if players can show the level without the missing packets: its lists are complete, and no
 * hole is open or may contain another sign-on. */
static bool is_playable(const struct qs_decoder *d)
{
    const struct qw_sign_on *sign_on = &qw_session_of(d)->sign_on;

    return sign_on->has_lists && !sign_on->has_long_hole && !qw_session_of(d)->hole.is_open;
}

/* Marks the sign-on as incomplete: the next level's, if the level is already being played. */
static void lose(struct qs_decoder *d, bool playable)
{
    struct qw_session *session = qw_session_of(d);
    const bool is_next = !is_signing_on(d);

    if (is_next)
        qw_session_begin_unseen(session);
    else if (session->sign_on.has_donor)
        return;
    qs_level_lose(d->session, d->packet->number, true, playable && !is_next);
}

/* --- Requests --- */

enum stage { SOUNDLIST = 1, MODELLIST, PRESPAWN, SPAWN, BEGIN };

/* Returns the key of a request, or of the request that an answer causes. */
static uint32_t key_of(enum stage stage, uint32_t number)
{
    return (uint32_t)stage << 24 | (number & 0xffffff);
}

/* Reads a request such as "prespawn 1 61" (stage, level count, position). Returns its key or 0. */
static uint32_t read_request(struct qs_view text, int64_t *count)
{
    static const char *const stages[] = {
        [SOUNDLIST] = "soundlist", [MODELLIST] = "modellist", [PRESPAWN] = "prespawn",
        [SPAWN] = "spawn",         [BEGIN] = "begin",
    };
    struct qs_token word;
    int64_t number;
    uint32_t pos = 0;
    unsigned stage = SOUNDLIST;

    if (!qs_token_next(text, &pos, &word))
        return 0;
    while (stage <= BEGIN && !qs_view_equal(word.text, stages[stage]))
        stage++;
    if (stage > BEGIN || !qs_token_next(text, &pos, &word) || !qs_view_number(word.text, count))
        return 0;
    if (!qs_token_next(text, &pos, &word) || !qs_view_number(word.text, &number))
        number = 0;
    return key_of((enum stage)stage, (uint32_t)number);
}

/* Follows the client's commands. A repeated request is ignored: the first one was lost. */
void qw_level_command(struct qs_decoder *d, struct qs_view text)
{
    struct qw_sign_on *sign_on = &qw_session_of(d)->sign_on;
    int64_t count = 0;
    const uint32_t request = d->session->level ? read_request(text, &count) : 0;
    const bool next_level = (sign_on->count && sign_on->count != count) ||
                            qs_level_is_over(d->session, d->packet->number);

    if (qs_view_equal(text, "new") && d->session->level_state == QS_LEVEL_PLAYING)
        qs_level_end(d->session, d->packet->number);
    if (qs_view_equal(text, "nextdl") || qs_view_begins(text, "download "))
        sign_on->downloads = true;
    if (request)
        sign_on->downloads = false;
    if (!request || (!is_signing_on(d) && !next_level) ||
        (request == sign_on->request && !next_level))
        return;
    if (next_level || sign_on->pending || (sign_on->expected && sign_on->expected != request))
        lose(d, is_playable(d) && !next_level);
    sign_on->count = (int32_t)count;
    sign_on->request = request;
    sign_on->pending = true;
    if (request >> 24 == BEGIN)
        qs_level_play(d->session, d->found.acknowledged + 1);
}

/* --- Answers: a server repeats one if it does not know that it arrived --- */

static void answer(struct qs_decoder *d, bool lost, uint32_t expected)
{
    struct qw_sign_on *sign_on = &qw_session_of(d)->sign_on;

    if (lost)
        lose(d, false);
    sign_on->expected = expected;
    sign_on->behind_gap = sign_on->gap;
    sign_on->pending = sign_on->gap = false;
}

/* Follows the server's commands, some of which answer a request that the capture may lack. */
void qw_level_stufftext(struct qs_decoder *d, struct qs_view text)
{
    struct qw_sign_on *sign_on = &qw_session_of(d)->sign_on;
    const bool last = qs_view_begins(text, "skins");
    const uint32_t start = (uint32_t)strlen("cmd ");
    int64_t count;
    uint32_t expected = 0;

    if (qs_view_begins(text, "changing") || qs_view_begins(text, "reconnect"))
        qs_level_end(d->session, d->packet->number);
    if (!is_signing_on(d))
        return;
    if (qs_view_begins(text, "cmd "))
        expected = read_request((struct qs_view){text.data + start, text.size - start}, &count);
    if (last)
        expected = key_of(BEGIN, 0);
    if (expected && expected != sign_on->expected)
        answer(d, false, expected);
}

void qw_level_serverdata(struct qs_decoder *d, int32_t count)
{
    qw_session_of(d)->sign_on.count = count;
    qw_session_of(d)->sign_on.expected = key_of(SOUNDLIST, 0);
}

void qw_level_list_begins(struct qs_decoder *d, uint32_t first)
{
    if (!first && !is_signing_on(d))
        lose(d, false);
}

/* Follows a part of a list. The server may send the first part without a request. */
void qw_level_list(struct qs_decoder *d, bool models, uint32_t first, uint32_t next)
{
    struct qw_sign_on *sign_on = &qw_session_of(d)->sign_on;
    const enum stage stage = models ? MODELLIST : SOUNDLIST;
    const uint32_t wanted = sign_on->pending ? sign_on->request : sign_on->expected;
    const uint32_t request = key_of(stage, first);

    if (!is_signing_on(d) || qw_session_of(d)->mvd || d->in.overrun ||
        (!sign_on->pending && request == sign_on->request))
        return;
    /* Clients that start recording mid-game write a number that is one too low. FTE's servers ask
     * for number 255 of a block of 256, and begin with the block. */
    answer(d,
           wanted && wanted != request && wanted + 1 != request &&
               (first % 256 || wanted != request + 0xff),
           next ? key_of(stage, next) : key_of(models ? PRESPAWN : MODELLIST, 0));
    sign_on->has_lists = models && !next && !d->session->lost.packet;
    sign_on->request = request;
}

/* --- Packets --- */

/* Minimum number of requests in a sign-on, each of which waits for the previous answer. */
enum { ROUND_TRIPS = 5 };

/* Follows holes: `skipped` numbers before the packet and `others` that it acknowledges. */
static void follow_hole(struct qs_decoder *d, uint32_t skipped, uint32_t others)
{
    struct qw_session *session = qw_session_of(d);
    struct qw_hole *hole = &session->hole;
    const struct qs_reliable *to_server = &d->session->to_server.reliable;
    const struct qs_reliable *to_client = &d->session->to_client.reliable;
    const unsigned own = d->found.direction - QS_C2S;

    hole->is_before_donor &= skipped || others;
    if (hole->is_before_donor)
        return;
    if (MIN(skipped, others) >= ROUND_TRIPS * MAX(session->round_trip, 1)) {
        *hole = (struct qw_hole){.is_open = true};
        hole->behind[own] = d->found.sequence;
        hole->behind[!own] = d->found.acknowledged;
    }
    if (!hole->is_open || qs_level_is_unplayable(d->session))
        return;
    if (to_server->differs || to_client->differs) {
        hole->is_open = false;
        qs_level_lose(d->session, d->packet->number, true, false);
    }
    hole->is_open &=
        to_server->acknowledged < hole->behind[0] || to_client->acknowledged < hole->behind[1];
}

/* Notices a hole that may contain another sign-on: more than ROUND_TRIPS missing packets, or any
 * missing soon after a second of silence, in which the client may have reconnected. */
static void follow_long_hole(struct qs_decoder *d, uint32_t missing)
{
    enum { PACKETS = 4 };
    static const int64_t reconnect_min = INT64_C(1000000000); /* ns */
    struct qw_sign_on *sign_on = &qw_session_of(d)->sign_on;
    const int64_t last = MAX(d->session->to_client.time, d->session->to_server.time);

    if (!is_signing_on(d) || !last)
        return;
    if (d->packet->time - last >= reconnect_min)
        sign_on->behind_silence = PACKETS;
    sign_on->has_long_hole |= missing > (sign_on->behind_silence ? 0 : ROUND_TRIPS);
    if (sign_on->behind_silence)
        sign_on->behind_silence--;
}

void qw_level_before_messages(struct qs_decoder *d, uint32_t skipped, uint32_t others)
{
    struct qw_session *session = qw_session_of(d);

    if (!d->found.accepted || d->found.direction == QS_DIRECTION_UNKNOWN)
        return;
    follow_long_hole(d, MAX(skipped, others));
    follow_hole(d, skipped, others);
    if (d->found.direction == QS_S2C)
        session->sign_on.gap |= skipped;
    else if (qs_lacks_sign_on(d) && !session->sign_on.has_donor && !session->sign_on.downloads)
        qs_level_lose(d->session, d->packet->number, true, is_playable(d));
}

static bool has_update(const struct qs_decoder *d)
{
    return qs_has_message(d, SVC_PACKETENTITIES) || qs_has_message(d, SVC_DELTAPACKETENTITIES) ||
           qs_has_message(d, SVC_FTE_UPDATEENTITIES);
}

static bool time_restarts(struct qs_decoder *d)
{
    const struct qw_session *session = qw_session_of(d);

    return qs_has_message(d, SVC_FTE_UPDATEENTITIES) && !is_signing_on(d) &&
           session->ext.update_time < session->sign_on.time;
}

/* True if the last request, other than `begin`, has no answer: the client sends `begin` after all
 * answers. */
static bool lacks_answer(const struct qw_sign_on *sign_on, const struct qs_decoder *d)
{
    return is_signing_on(d) && sign_on->pending && sign_on->request >> 24 < BEGIN;
}

bool qw_level_ignores_packet(const struct qs_decoder *d)
{
    return d->found.direction == QS_S2C && qs_packet_is_cut(d->packet) &&
           qw_session_of(d)->sign_on.has_donor && is_signing_on(d);
}

/* `burst`: packets of both ends are missing before it, perhaps an answer and the next request. */
void qw_level_after_messages(struct qs_decoder *d, bool reliable, bool burst, bool was_pending)
{
    struct qw_sign_on *sign_on = &qw_session_of(d)->sign_on;

    if (!d->found.accepted)
        return;
    if (qw_session_of(d)->hole.is_open)
        d->session->hole.fits_level = true;
    if (burst && is_signing_on(d) && (was_pending || sign_on->behind_gap))
        lose(d, is_playable(d));
    if (d->found.direction == QS_C2S) {
        sign_on->behind_gap = false;
        return;
    }
    if (qs_packet_is_cut(d->packet) && reliable && is_signing_on(d) && !sign_on->has_donor)
        qs_level_lose(d->session, d->packet->number, false, false);
    if (!has_update(d))
        return;
    if (qs_level_is_over(d->session, d->packet->number) || time_restarts(d) ||
        lacks_answer(sign_on, d))
        lose(d, is_playable(d));
    qw_session_of(d)->sign_on.time = qw_session_of(d)->ext.update_time;
    qs_level_play(d->session, d->found.sequence);
}
