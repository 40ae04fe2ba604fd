/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quakeworld/sign_on.h"

#include <string.h>

#include "common/quakeworld/constants.h"
#include "common/quakeworld/decode.h"
#include "common/quakeworld/session.h"

/* Of a level that is being played: then the next one has begun, and its svc_serverdata is lost. */
static void lose(struct qs_decoder *d)
{
    struct qw_session *session = qw_session(d);

    if (session->sign_on.lent && !session->sign_on.done)
        return;
    if (session->sign_on.done)
        qw_session_go_on(session);
    if (session->base.level && !session->sign_on.lost)
        session->sign_on.lost = d->packet->number;
}

/* --- Requests and answers --- */

static bool begins_with(struct qs_view text, const char *prefix)
{
    const size_t size = strlen(prefix);

    return text.size >= size && memcmp(text.data, prefix, size) == 0;
}

static bool is_request(struct qs_view text)
{
    static const char *const requests[] = {"soundlist ", "modellist ", "prespawn ", "spawn ",
                                           "begin "};

    for (unsigned i = 0; i < G_N_ELEMENTS(requests); i++)
        if (begins_with(text, requests[i]))
            return true;
    return false;
}

static uint32_t hash(struct qs_view text)
{
    uint32_t hash = 5381;

    for (uint32_t i = 0; i < text.size; i++)
        hash = hash * 33 + text.data[i];
    return hash | 1;
}

/* The same again was lost on its way. */
void qw_sign_on_command(struct qs_decoder *d, struct qs_view text)
{
    struct qw_sign_on *sign_on = &qw_session(d)->sign_on;

    if (!is_request(text) || hash(text) == sign_on->request || !d->session->level)
        return;
    if (sign_on->pending && !sign_on->done)
        lose(d);
    sign_on->request = hash(text);
    sign_on->pending = true;
    sign_on->done |= begins_with(text, "begin ");
}

static void answer(struct qs_decoder *d)
{
    qw_session(d)->sign_on.pending = qw_session(d)->sign_on.may_pend = false;
}

void qw_sign_on_stufftext(struct qs_decoder *d, struct qs_view text)
{
    if (begins_with(text, "cmd prespawn") || begins_with(text, "cmd spawn") ||
        begins_with(text, "skins"))
        answer(d);
}

void qw_sign_on_serverdata(struct qs_decoder *d)
{
    answer(d);
}

void qw_sign_on_list(struct qs_decoder *d, uint32_t first)
{
    if (!first && qw_session(d)->sign_on.done)
        lose(d);
    answer(d);
}

/* --- The server's reliable packets --- */

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
    uint64_t bits = 0;

    if (last > after && last - after >= 64)
        return UINT64_MAX;
    for (uint32_t number = after + 1; number <= last; number++)
        bits |= UINT64_C(1) << number % 64;
    return bits;
}

static void follow_server(struct qw_reliable *known, uint32_t sequence, bool reliable)
{
    known->sent &= ~numbers_between(known->last, sequence);
    known->last = sequence;
    if (reliable)
        known->sent |= UINT64_C(1) << sequence % 64;
}

/*
 * A client tells in one bit whether it has taken an even or an odd number of reliable packets.
 * Where it acknowledges one that was not captured, and the bit is not what those that were captured
 * make it, that one was reliable. Source: id's qwsv, net_chan.c, Netchan_Process.
 */
static void follow_client(struct qs_decoder *d, struct qw_reliable *known, bool bit)
{
    struct qw_sign_on *sign_on = &qw_session(d)->sign_on;
    const uint64_t between =
        numbers_between(known->acknowledged, MIN(known->last, d->acknowledged));
    const bool turned = known->bit != bit;

    sign_on->may_pend |= known->client && d->sequence > known->client + 1;
    known->client = d->sequence;
    if (d->notes[QS_NOTE_NOT_CAPTURED] && known->acknowledged &&
        (sign_on->pending || sign_on->may_pend) && !sign_on->done &&
        turned != is_odd(known->sent & between))
        lose(d);
    known->acknowledged = d->acknowledged;
    known->bit = bit;
}

static bool has_update(const struct qs_decoder *d)
{
    return qs_has_message(d, SVC_PACKETENTITIES) || qs_has_message(d, SVC_DELTAPACKETENTITIES) ||
           qs_has_message(d, SVC_FTE_UPDATEENTITIES);
}

void qw_sign_on_packet(struct qs_decoder *d, bool reliable)
{
    struct qw_session *session = qw_session(d);

    if (!d->accepted)
        return;
    if (d->direction == QS_C2S) {
        follow_client(d, &session->reliable, reliable);
        return;
    }
    follow_server(&session->reliable, d->sequence, reliable);
    session->sign_on.done |= session->base.level && has_update(d);
}
