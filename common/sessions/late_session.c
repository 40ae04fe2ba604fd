/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sessions that are late: their packets, and decoding them again. */
#include "common/core/findings.h"
#include "common/sessions/donors.h"

/* Packets of the server behind which donors are remembered once more. */
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

static void forget_donor(struct qs_late_session *late, const struct qs_donor *donor)
{
    for (guint i = 0; i < late->remembered->len; i++) {
        const struct qs_donor *other = g_ptr_array_index(late->remembered, i);

        if (other->session == donor->session && other->level == donor->level) {
            g_ptr_array_remove_index(late->remembered, i);
            return;
        }
    }
}

/* Those that came last are the likeliest to stay. */
static void remember_donors(struct qs_late_session *late)
{
    const GPtrArray *live = late->donors->live;
    unsigned tries = 0;

    for (guint i = live->len; i-- > 0 && tries < QS_DONOR_TRIES_MAX;) {
        struct qs_donor *donor = g_ptr_array_index(live, i), *copy;

        if (donor->format != late->format || !qs_donor_can_lend(donor))
            continue;
        copy = qs_donor_copy(late->donors, donor);
        if (!copy)
            return;
        forget_donor(late, donor);
        g_ptr_array_add(late->remembered, copy);
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

struct qs_late_session *qs_late_session_new(struct qs_donors *donors,
                                            const struct qs_demo_format *format, unsigned number,
                                            const struct qs_decoder *decoder,
                                            const struct qs_session *before, int64_t now)
{
    struct qs_late_session *late = g_new0(struct qs_late_session, 1);

    late->number = number;
    late->donors = donors;
    late->format = format;
    late->session = before ? session_before(decoder, before) : first_session(decoder);
    late->options = decoder->options;
    late->spool = qs_packet_buffer_new();
    late->level = decoder->session->level;
    late->since = late->until = now;
    late->remembered = g_ptr_array_new_with_free_func(qs_donor_free);
    remember_donors(late);
    return late;
}

void qs_late_session_free(struct qs_late_session *late)
{
    free_session(late->format->protocol, late->session);
    if (late->known)
        free_session(late->format->protocol, late->known);
    qs_packet_buffer_free(late->spool);
    g_ptr_array_free(late->remembered, TRUE);
    g_free(late);
}

void qs_late_session_packet(struct qs_late_session *late, const struct qs_decoder *decoder,
                            const char *file, const struct qs_packet *packet)
{
    /* What donors saw shortly before and after is worth most. */
    if (decoder->direction == QS_S2C && late->from_server < REMEMBER_AFTER &&
        ++late->from_server == REMEMBER_AFTER)
        remember_donors(late);
    late->level_over |= decoder->session->level != late->level;
    if (!late->level_over)
        late->until = packet->time;
    late->packets++;
    qs_packet_buffer_add(late->spool, file, packet);
}

int64_t qs_late_session_start(const struct qs_late_session *late)
{
    return late->since;
}

void qs_late_session_end(struct qs_late_session *late, const struct qs_session *state)
{
    late->known = copy_session(late->format->protocol, state);
}

const char *qs_late_session_error(const struct qs_late_session *late)
{
    return qs_packet_buffer_error(late->spool);
}

/* --- Decoding again --- */

static void decode_kept(struct qs_late_session *late, const struct qs_late_session_decode *how,
                        struct qs_session *session)
{
    struct qs_decoder decoder;
    struct qs_packet packet;
    const char *file;
    bool more = true;

    qs_decoder_init(&decoder, late->format->protocol);
    decoder.want_entities = QS_ENTITIES_ALL;
    decoder.options = late->options;
    qs_packet_buffer_rewind(late->spool);
    while (more && qs_packet_buffer_next(late->spool, &file, &packet)) {
        qs_decode(&decoder, session, how->sink, &packet);
        more = how->packet(how->user, file, &decoder, &packet);
    }
    qs_decoder_clear(&decoder);
}

void qs_late_session_decode(struct qs_late_session *late, const struct qs_late_session_decode *how)
{
    const struct qs_protocol *protocol = late->format->protocol;
    struct qs_session *session = copy_session(protocol, late->session);

    if (how->match)
        late->format->late_join->prepare(how->match, session, late->known);
    if (how->begin)
        how->begin(how->user, session);
    decode_kept(late, how, session);
    if (how->over)
        how->over(how->user, session);
    free_session(protocol, session);
}

static void pass_begin(void *user, struct qs_session *session)
{
    struct qs_late_session_listener *listener = user;

    listener->begin(listener, session);
}

static bool pass_packet(void *user, const char *file, const struct qs_decoder *decoder,
                        const struct qs_packet *packet)
{
    struct qs_late_session_listener *listener = user;

    listener->packet(listener, file, decoder, packet);
    return true;
}

static void pass_end(void *user, const struct qs_session *state)
{
    struct qs_late_session_listener *listener = user;

    listener->over(listener, state);
}

void qs_late_session_replay(struct qs_late_session *late, const struct qs_donor_choice *choice,
                            struct qs_late_session_listener *listener)
{
    qs_late_session_decode(late, &(struct qs_late_session_decode){.match = choice->match,
                                                                  .begin = pass_begin,
                                                                  .packet = pass_packet,
                                                                  .over = pass_end,
                                                                  .user = listener});
}
