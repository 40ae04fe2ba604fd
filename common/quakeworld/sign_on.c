/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the capture has all of a level's sign-on. The client requests it part by part: each
 * answer of the server makes the client send a certain request, and each request is followed by its
 * answer (PROTOCOL.md, section 9). Where the next one is another, something between is missing.
 */
#include "common/core/text.h"
#include "common/quakeworld/decode.h"

/* Of a level that is being played: then the next one has begun, and its svc_serverdata is lost. */
static void lose(struct qs_decoder *d)
{
    struct qw_session *session = qw_session_of(d);

    if (session->sign_on.has_donor && !session->sign_on.done)
        return;
    if (session->sign_on.done)
        qw_session_go_on(session);
    if (session->base.level && !session->sign_on.lost)
        session->sign_on.lost = d->packet->number;
}

/* --- Requests --- */

enum stage { SOUNDLIST = 1, MODELLIST, PRESPAWN, SPAWN, BEGIN };

/* A request, or the one that an answer makes the client send. */
static uint32_t key_of(enum stage stage, uint32_t number)
{
    return (uint32_t)stage << 24 | (number & 0xffffff);
}

/* "prespawn 1 61": the stage, the level's count, where to continue. 0: it is none. */
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

/* The same request again was lost on its way. */
void qw_sign_on_command(struct qs_decoder *d, struct qs_view text)
{
    struct qw_sign_on *sign_on = &qw_session_of(d)->sign_on;
    int64_t count = 0;
    const uint32_t request = d->session->level ? read_request(text, &count) : 0;
    const bool next_level = sign_on->count && sign_on->count != count;

    if (!request || (sign_on->done && !next_level) || (request == sign_on->request && !next_level))
        return;
    if (next_level || sign_on->pending || (sign_on->expected && sign_on->expected != request))
        lose(d);
    sign_on->count = (int32_t)count;
    sign_on->request = request;
    sign_on->pending = true;
    sign_on->lacks_packet = false;
    sign_on->done |= request >> 24 == BEGIN;
}

/* --- Answers: a server sends one again if it does not know that it arrived --- */

static void answer(struct qs_decoder *d, bool lost, uint32_t expected)
{
    struct qw_sign_on *sign_on = &qw_session_of(d)->sign_on;

    if (lost)
        lose(d);
    sign_on->expected = expected;
    sign_on->behind_gap = sign_on->gap;
    sign_on->pending = sign_on->gap = sign_on->lacks_packet = false;
}

/* The request that it answers may not be there. */
void qw_sign_on_stufftext(struct qs_decoder *d, struct qs_view text)
{
    struct qw_sign_on *sign_on = &qw_session_of(d)->sign_on;
    const bool last = qs_view_begins(text, "skins");
    const uint32_t start = (uint32_t)strlen("cmd ");
    int64_t count;
    uint32_t expected = 0;

    if (sign_on->done)
        return;
    if (qs_view_begins(text, "cmd "))
        expected = read_request((struct qs_view){text.data + start, text.size - start}, &count);
    if (last)
        expected = key_of(BEGIN, 0);
    if (expected && expected != sign_on->expected)
        answer(d, !sign_on->pending && sign_on->lacks_packet, expected);
}

void qw_sign_on_serverdata(struct qs_decoder *d, int32_t count)
{
    qw_session_of(d)->sign_on.count = count;
    qw_session_of(d)->sign_on.expected = key_of(SOUNDLIST, 0);
}

void qw_sign_on_new_level(struct qs_decoder *d, uint32_t first)
{
    if (!first && qw_session_of(d)->sign_on.done)
        lose(d);
}

/* The server sends the first part of a list without a request, too. */
void qw_sign_on_list(struct qs_decoder *d, bool models, uint32_t first, uint32_t next)
{
    struct qw_sign_on *sign_on = &qw_session_of(d)->sign_on;
    const enum stage stage = models ? MODELLIST : SOUNDLIST;
    const uint32_t wanted = sign_on->pending ? sign_on->request : sign_on->expected;
    const uint32_t request = key_of(stage, first);

    if (sign_on->done || qw_session_of(d)->mvd || d->in.overrun ||
        (!sign_on->pending && request == sign_on->request))
        return;
    /* Clients that begin to record in mid-game write a number that is one too low. */
    answer(d, wanted && wanted != request && wanted + 1 != request,
           next ? key_of(stage, next) : key_of(models ? PRESPAWN : MODELLIST, 0));
    sign_on->request = request;
}

/* --- Packets --- */

static bool is_odd(uint64_t bits)
{
    bool odd = false;

    for (; bits; bits &= bits - 1)
        odd = !odd;
    return odd;
}

/* The packets behind number `after`, up to `last`, by number modulo 64. */
static uint64_t numbers_between(uint32_t after, uint32_t last)
{
    const uint32_t count = last > after ? last - after : 0;
    const uint32_t first = (after + 1) % 64;
    uint64_t bits;

    if (count >= 64)
        return UINT64_MAX;
    bits = (UINT64_C(1) << count) - 1;
    return first ? bits << first | bits >> (64 - first) : bits;
}

static void send(struct qw_reliable *way, uint32_t sequence, bool reliable)
{
    way->sent &= sequence == way->last + 1 ? ~(UINT64_C(1) << sequence % 64)
                                           : ~numbers_between(way->last, sequence);
    way->last = sequence;
    if (reliable)
        way->sent |= UINT64_C(1) << sequence % 64;
}

/*
 * The client tells in one bit whether it has received an even or an odd number of reliable packets.
 * If the bit is not what those that were captured make it, one that was not captured was reliable:
 * that is returned. Source: id's qwsv, net_chan.c, Netchan_Process.
 */
static bool acknowledge(struct qw_reliable *way, uint32_t number, bool bit)
{
    const uint64_t between = numbers_between(way->acknowledged, MIN(way->last, number));
    const bool turned = way->bit != bit;
    const bool lacks = way->acknowledged && turned != is_odd(way->sent & between);

    way->acknowledged = number;
    way->bit = bit;
    return lacks;
}

void qw_sign_on_bits(struct qs_decoder *d, bool reliable, bool bit, uint32_t skipped)
{
    struct qw_session *session = qw_session_of(d);
    struct qw_sign_on *sign_on = &session->sign_on;

    if (!d->accepted)
        return;
    if (d->direction == QS_S2C) {
        send(&session->reliable_to_client, d->sequence, reliable);
        sign_on->gap |= skipped;
        return;
    }
    sign_on->lacks_packet |= acknowledge(&session->reliable_to_client, d->acknowledged, bit) &&
                             d->notes[QS_NOTE_NOT_CAPTURED];
    if (sign_on->pending && sign_on->lacks_packet && !sign_on->done)
        lose(d);
}

static bool has_update(const struct qs_decoder *d)
{
    return qs_has_message(d, SVC_PACKETENTITIES) || qs_has_message(d, SVC_DELTAPACKETENTITIES) ||
           qs_has_message(d, SVC_FTE_UPDATEENTITIES);
}

bool qw_sign_on_is_torn(const struct qs_decoder *d)
{
    const struct qw_sign_on *sign_on = &qw_session_of(d)->sign_on;

    return d->direction == QS_S2C && qs_packet_is_cut(d->packet) && sign_on->has_donor &&
           !sign_on->done;
}

/* `burst`: packets of both ends are missing before it, perhaps an answer and the next request. */
void qw_sign_on_packet(struct qs_decoder *d, bool burst, bool was_pending)
{
    struct qw_session *session = qw_session_of(d);
    struct qw_sign_on *sign_on = &session->sign_on;

    if (!d->accepted)
        return;
    if (burst && !sign_on->done && (was_pending || sign_on->behind_gap))
        lose(d);
    if (d->direction == QS_C2S) {
        sign_on->behind_gap = false;
        return;
    }
    if (qs_packet_is_cut(d->packet) && session->reliable_to_client.sent >> d->sequence % 64 & 1 &&
        !sign_on->done && !sign_on->lost) {
        lose(d);
        sign_on->cut = sign_on->lost;
    }
    sign_on->done |= d->session->level && has_update(d);
}
