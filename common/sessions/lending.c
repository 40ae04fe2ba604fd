/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who may lend: sessions, level by level, and demos. */
#include <string.h>

#include "common/sessions/held.h"
#include "common/core/findings.h"

/* Levels that are over; of sessions the oldest go first. */
enum { LENDERS_MAX = 128, DEMO_LEVELS_MAX = 128 };

void qs_lender_free(gpointer data)
{
    struct qs_lender *lender = data;

    if (lender->copies && --lender->references)
        return;
    if (lender->copies)
        --*lender->copies;
    if (lender->copy)
        qs_lender_free(lender->copy);
    qs_sign_on_free(lender->sign_on);
    g_free(lender->name);
    g_free(lender);
}

struct qs_lending *qs_lending_new(GPtrArray *demos)
{
    struct qs_lending *lending = g_new0(struct qs_lending, 1);

    lending->live = g_ptr_array_new();
    lending->over = g_ptr_array_new_with_free_func(qs_lender_free);
    lending->demos = demos;
    return lending;
}

void qs_lending_free(struct qs_lending *lending)
{
    g_ptr_array_free(lending->live, TRUE);
    g_ptr_array_free(lending->over, TRUE);
    g_free(lending);
}

/* --- Lenders --------------------------------------------------------------------------------- */

bool qs_lender_can_lend(const struct qs_lender *lender)
{
    return lender->sign_on->complete && !lender->sign_on->broken;
}

static struct qs_lender *new_copy(struct qs_lending *lending, const struct qs_lender *lender)
{
    struct qs_lender *copy = g_new(struct qs_lender, 1);

    *copy = *lender;
    copy->name = g_strdup(lender->name);
    copy->sign_on = qs_sign_on_copy(lender->sign_on);
    copy->copy = NULL;
    copy->references = 1;
    copy->copies = &lending->copies;
    lending->copies++;
    return copy;
}

/* The next to be remembered is another one. */
static void forget_copy(struct qs_lender *lender)
{
    g_clear_pointer(&lender->copy, qs_lender_free);
    lender->told = 0;
}

struct qs_lender *qs_lender_copy(struct qs_lending *lending, struct qs_lender *lender)
{
    if (!lender->copy && lending->copies < QS_LENDER_COPIES_MAX)
        lender->copy = new_copy(lending, lender);
    if (!lender->copy)
        return NULL;
    lender->copy->references++;
    return lender->copy;
}

/* What it had to lend stays; for itself it begins anew. */
static struct qs_lender *take_level(struct qs_lender *lender)
{
    struct qs_lender *level = g_new(struct qs_lender, 1);

    forget_copy(lender);
    *level = *lender;
    level->name = g_strdup(lender->name);
    qs_sign_on_leave(level->sign_on);
    lender->sign_on = qs_sign_on_new();
    return level;
}

/* Its level is over. */
static void end_level(struct qs_lender *lender)
{
    if (!qs_lender_can_lend(lender)) {
        forget_copy(lender);
        qs_sign_on_clear(lender->sign_on);
        return;
    }
    if (lender->over->len == lender->over_max)
        g_ptr_array_remove_index(lender->over, 0);
    g_ptr_array_add(lender->over, take_level(lender));
}

/* Takes over the name. */
static struct qs_lender *begin_lender(GPtrArray *over, guint over_max,
                                      const struct qs_demo_format *format, char *name)
{
    struct qs_lender *lender = g_new0(struct qs_lender, 1);

    lender->over = over;
    lender->over_max = over_max;
    lender->format = format;
    lender->name = name;
    lender->sign_on = qs_sign_on_new();
    return lender;
}

struct qs_lender *qs_lender_new(struct qs_lending *lending, const struct qs_demo_format *format,
                                unsigned session)
{
    struct qs_lender *lender =
        begin_lender(lending->over, LENDERS_MAX, format, g_strdup_printf("session %u", session));

    lender->session = session;
    lender->live = lending->live;
    return lender;
}

static void tell(struct qs_lender *lender, const struct qs_decoder *decoder)
{
    if (decoder->session->level != lender->level) {
        end_level(lender);
        lender->level = decoder->session->level;
    }
    if (!lender->sign_on->broken)
        lender->format->lending->tell(lender->sign_on, decoder);
}

/* Most sessions of a flood never can. */
static void list_if_able(struct qs_lender *lender)
{
    if (lender->listed || !qs_lender_can_lend(lender))
        return;
    lender->listed = true;
    g_ptr_array_add(lender->live, lender);
}

void qs_lender_packet(struct qs_lender *lender, const struct qs_decoder *decoder,
                      const struct qs_packet *packet, const struct qs_address *server)
{
    const uint32_t level = lender->level;

    if (!decoder->accepted)
        return;
    tell(lender, decoder);
    if (++lender->told >= QS_LENDER_COPY_EVERY)
        forget_copy(lender);
    list_if_able(lender);
    if (level != lender->level)
        lender->since = packet->time;
    lender->until = packet->time;
    if (server->port != lender->server.port) /* it was not known who the server is */
        lender->server = *server;
}

void qs_lender_end(struct qs_lending *lending, struct qs_lender *lender)
{
    end_level(lender);
    if (lender->listed)
        g_ptr_array_remove(lending->live, lender);
    qs_lender_free(lender);
}

bool qs_lender_is_of_server(const struct qs_lender *lender, const struct qs_address *server)
{
    return lender->server.family == server->family &&
           memcmp(lender->server.bytes, server->bytes, sizeof server->bytes) == 0 &&
           (lender->format->lending->any_port || lender->server.port == server->port);
}

void qs_lender_peers(const struct qs_lending *lending, const struct qs_lender *lender,
                     qs_peer_taker *take, void *user)
{
    for (guint i = 0; i < lending->live->len; i++) {
        const struct qs_lender *peer = g_ptr_array_index(lending->live, i);

        if (peer != lender && peer->format == lender->format &&
            qs_lender_is_of_server(peer, &lender->server) && !take(user, peer->sign_on))
            return;
    }
}

/* --- Demos that lend --- */

static void tell_blocks(struct qs_lender *lender, struct qs_demo_input *recording,
                        struct qs_decoder *decoder, struct qs_session *session)
{
    const struct qs_demo_format *format = qs_demo_input_demo_format(recording);
    struct qs_demo_block block;

    while (qs_demo_input_next(recording, &block)) {
        const struct qs_packet packet = {.data = block.bytes.data,
                                         .size = block.bytes.size,
                                         .wire_size = block.bytes.size,
                                         .number = block.number,
                                         .from = QS_END_UNKNOWN};

        qs_decode_block(decoder, format->decode_block, session, NULL, &packet, block.offset);
        tell(lender, decoder);
    }
}

GPtrArray *qs_lending_demos_new(void)
{
    return g_ptr_array_new_with_free_func(qs_lender_free);
}

bool qs_lending_demos_add(GPtrArray *demos, struct qs_demo_input *recording)
{
    const struct qs_demo_format *format = qs_demo_input_demo_format(recording);
    const struct qs_demo_format *to = format->lends_to ? format->lends_to : format;
    const guint before = demos->len;
    struct qs_session *session;
    struct qs_decoder decoder;
    struct qs_lender *lender;

    if (!to->lending)
        return false;
    lender =
        begin_lender(demos, before + DEMO_LEVELS_MAX, to, g_strdup(qs_demo_input_name(recording)));
    session = g_malloc(format->protocol->session_size);
    format->protocol->session_init(session);
    qs_decoder_init(&decoder, format->protocol);
    decoder.want_entities = QS_ENTITIES_ALL;
    tell_blocks(lender, recording, &decoder, session);
    end_level(lender);
    qs_decoder_clear(&decoder);
    format->protocol->session_clear(session);
    g_free(session);
    qs_lender_free(lender);
    return demos->len != before;
}
