/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sessions that are held: their packets, and decoding them again. */
#include "common/sessions/held.h"
#include "common/core/findings.h"

/* Packets of the server behind which lenders are remembered once more. */
enum { REMEMBER_AFTER = 16 };

static struct qs_session *copy_session(const struct qs_protocol *protocol,
                                       const struct qs_session *session)
{
    struct qs_session *copy = g_malloc(protocol->session_size);

    protocol->session_copy(copy, session);
    return copy;
}

static void free_session(const struct qs_protocol *protocol, struct qs_session *session)
{
    protocol->session_clear(session);
    g_free(session);
}

/* As it was before its first packet. */
static struct qs_session *first_session(const struct qs_decoder *decoder)
{
    struct qs_session *session = g_malloc(decoder->protocol->session_size);

    decoder->protocol->session_init(session);
    session->server = decoder->session->server;
    return session;
}

static void forget_lender(struct qs_held *held, const struct qs_lender *lender)
{
    for (guint i = 0; i < held->lenders->len; i++) {
        const struct qs_lender *other = g_ptr_array_index(held->lenders, i);

        if (other->session == lender->session && other->level == lender->level) {
            g_ptr_array_remove_index(held->lenders, i);
            return;
        }
    }
}

/* Those that came last are the likeliest to stay. */
static void remember_lenders(struct qs_held *held)
{
    const GPtrArray *live = held->lending->live;
    unsigned tries = 0;

    for (guint i = live->len; i-- > 0 && tries < QS_LENDER_TRIES_MAX;) {
        struct qs_lender *lender = g_ptr_array_index(live, i), *copy;

        if (lender->format != held->format || !qs_lender_can_lend(lender))
            continue;
        copy = qs_lender_copy(held->lending, lender);
        if (!copy)
            return;
        forget_lender(held, lender);
        g_ptr_array_add(held->lenders, copy);
        tries++;
    }
}

/* As it was before the packet, for what its numbers are judged by. */
static struct qs_session *session_before(const struct qs_decoder *decoder,
                                         const struct qs_session *before)
{
    struct qs_session *session = copy_session(decoder->protocol, decoder->session);

    session->to_client = before->to_client;
    session->to_server = before->to_server;
    return session;
}

struct qs_held *qs_held_new(struct qs_lending *lending, const struct qs_demo_format *format,
                            unsigned number, const struct qs_decoder *decoder,
                            const struct qs_session *before, int64_t now)
{
    struct qs_held *held = g_new0(struct qs_held, 1);

    held->number = number;
    held->lending = lending;
    held->format = format;
    held->session = before ? session_before(decoder, before) : first_session(decoder);
    held->options = decoder->options;
    held->spool = qs_packet_buffer_new();
    held->level = decoder->session->level;
    held->since = held->until = now;
    held->lenders = g_ptr_array_new_with_free_func(qs_lender_free);
    remember_lenders(held);
    return held;
}

void qs_held_free(struct qs_held *held)
{
    free_session(held->format->protocol, held->session);
    if (held->known)
        free_session(held->format->protocol, held->known);
    qs_packet_buffer_free(held->spool);
    g_ptr_array_free(held->lenders, TRUE);
    g_free(held);
}

void qs_held_packet(struct qs_held *held, const struct qs_decoder *decoder, const char *file,
                    const struct qs_packet *packet)
{
    /* What lenders saw shortly before and after is worth most. */
    if (decoder->direction == QS_S2C && held->from_server < REMEMBER_AFTER &&
        ++held->from_server == REMEMBER_AFTER)
        remember_lenders(held);
    held->level_over |= decoder->session->level != held->level;
    if (!held->level_over)
        held->until = packet->time;
    held->packets++;
    qs_packet_buffer_add(held->spool, file, packet);
}

int64_t qs_held_since(const struct qs_held *held)
{
    return held->since;
}

void qs_held_end(struct qs_held *held, const struct qs_session *state)
{
    held->known = copy_session(held->format->protocol, state);
}

const char *qs_held_error(const struct qs_held *held)
{
    return qs_packet_buffer_error(held->spool);
}

/* --- Decoding again --- */

static void decode_kept(struct qs_held *held, const struct qs_held_decode *how,
                        struct qs_session *session)
{
    struct qs_decoder decoder;
    struct qs_packet packet;
    const char *file;
    bool more = true;

    qs_decoder_init(&decoder, held->format->protocol);
    decoder.options = held->options;
    decoder.want_entities = QS_ENTITIES_ALL;
    qs_packet_buffer_rewind(held->spool);
    while (more && qs_packet_buffer_next(held->spool, &file, &packet)) {
        qs_decode(&decoder, session, how->sink, &packet);
        more = how->packet(how->user, file, &decoder, &packet);
    }
    qs_decoder_clear(&decoder);
}

void qs_held_decode(struct qs_held *held, const struct qs_held_decode *how)
{
    const struct qs_protocol *protocol = held->format->protocol;
    struct qs_session *session = copy_session(protocol, held->session);

    if (how->borrower)
        held->format->lending->seed(how->borrower, session, held->known);
    if (how->begin)
        how->begin(how->user, session);
    decode_kept(held, how, session);
    if (how->over)
        how->over(how->user, session);
    free_session(protocol, session);
}

static void pass_begin(void *user, struct qs_session *session)
{
    struct qs_held_listener *listener = user;

    listener->begin(listener, session);
}

static bool pass_packet(void *user, const char *file, const struct qs_decoder *decoder,
                        const struct qs_packet *packet)
{
    struct qs_held_listener *listener = user;

    listener->packet(listener, file, decoder, packet);
    return true;
}

static void pass_end(void *user, const struct qs_session *state)
{
    struct qs_held_listener *listener = user;

    listener->over(listener, state);
}

void qs_held_replay(struct qs_held *held, const struct qs_loan *loan,
                    struct qs_held_listener *listener)
{
    qs_held_decode(held, &(struct qs_held_decode){.borrower = loan->borrower,
                                                  .begin = pass_begin,
                                                  .packet = pass_packet,
                                                  .over = pass_end,
                                                  .user = listener});
}
