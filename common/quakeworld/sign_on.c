/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the capture has all of a level's sign-on: the client requests it part by part, and each
 * request depends on the last answer (PROTOCOL.md, section 9).
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

/* --- Requests and answers --- */

static bool is_request(struct qs_view text)
{
    static const char *const requests[] = {"soundlist ", "modellist ", "prespawn ", "spawn ",
                                           "begin "};

    for (unsigned i = 0; i < G_N_ELEMENTS(requests); i++)
        if (qs_view_begins(text, requests[i]))
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
    struct qw_sign_on *sign_on = &qw_session_of(d)->sign_on;

    if (qs_view_begins(text, "download ") || qs_view_begins(text, "nextdl"))
        sign_on->downloading = true;
    if (!is_request(text) || hash(text) == sign_on->request || !d->session->level)
        return;
    if (sign_on->pending && !sign_on->done)
        lose(d);
    sign_on->request = hash(text);
    sign_on->pending = true;
    sign_on->lacked_answer = sign_on->lacks_answer && !sign_on->downloading;
    sign_on->lacks_answer = sign_on->downloading = false;
    sign_on->done |= qs_view_begins(text, "begin ");
}

static void answer(struct qs_decoder *d)
{
    struct qw_sign_on *sign_on = &qw_session_of(d)->sign_on;

    sign_on->pending = sign_on->lacks_request = false;
    sign_on->lacks_answer = sign_on->lacked_answer = false;
}

void qw_sign_on_stufftext(struct qs_decoder *d, struct qs_view text)
{
    if (qs_view_begins(text, "cmd prespawn") || qs_view_begins(text, "cmd spawn") ||
        qs_view_begins(text, "skins"))
        answer(d);
}

void qw_sign_on_serverdata(struct qs_decoder *d)
{
    answer(d);
}

void qw_sign_on_list(struct qs_decoder *d, uint32_t first)
{
    if (!first && qw_session_of(d)->sign_on.done)
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
    way->sent &= ~numbers_between(way->last, sequence);
    way->last = sequence;
    if (reliable)
        way->sent |= UINT64_C(1) << sequence % 64;
}

/*
 * Who receives tells in one bit whether it has taken an even or an odd number of reliable packets.
 * Where the bit is not what those that were captured make it, one that was not captured was
 * reliable: that is returned. Source: id's qwsv, net_chan.c, Netchan_Process.
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

static bool has_update(const struct qs_decoder *d)
{
    return qs_has_message(d, SVC_PACKETENTITIES) || qs_has_message(d, SVC_DELTAPACKETENTITIES) ||
           qs_has_message(d, SVC_FTE_UPDATEENTITIES);
}

/* Where there was a request, and a reliable packet of the server's, the answer is missing. Between
 * requests for files it was a part of a file. */
static void judge(struct qs_decoder *d)
{
    const struct qw_sign_on *sign_on = &qw_session_of(d)->sign_on;
    const bool answer = sign_on->pending && sign_on->lacks_answer;
    const bool both = sign_on->lacks_request && !sign_on->downloading &&
                      (sign_on->lacks_answer || sign_on->lacked_answer);

    if ((answer || both) && !sign_on->done)
        lose(d);
}

void qw_sign_on_bits(struct qs_decoder *d, bool reliable, bool bit)
{
    struct qw_session *session = qw_session_of(d);
    struct qw_sign_on *sign_on = &session->sign_on;

    if (!d->accepted)
        return;
    if (d->direction == QS_C2S) {
        send(&session->reliable_to_server, d->sequence, reliable);
        sign_on->lacks_answer |= acknowledge(&session->reliable_to_client, d->acknowledged, bit) &&
                                 d->notes[QS_NOTE_NOT_CAPTURED];
    } else {
        send(&session->reliable_to_client, d->sequence, reliable);
        sign_on->lacks_request |= acknowledge(&session->reliable_to_server, d->acknowledged, bit);
    }
    judge(d);
}

void qw_sign_on_packet(struct qs_decoder *d)
{
    if (d->accepted && d->direction == QS_S2C)
        qw_session_of(d)->sign_on.done |= d->session->level && has_update(d);
}
