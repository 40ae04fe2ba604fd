/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who may lend: sessions, level by level, and demos. */
#include "pcap2demo/sessions/held.h"

/* Levels that are over; of sessions the oldest go first. */
enum { LENDERS_MAX = 128, DEMO_LEVELS_MAX = 128 };

void lender_free(gpointer data)
{
    struct lender *lender = data;

    qs_sign_on_free(lender->sign_on);
    g_free(lender->name);
    g_free(lender);
}

struct lending *lending_new(GPtrArray *demos)
{
    struct lending *lending = g_new0(struct lending, 1);

    lending->live = g_ptr_array_new();
    lending->over = g_ptr_array_new_with_free_func(lender_free);
    lending->demos = demos;
    return lending;
}

void lending_free(struct lending *lending)
{
    g_ptr_array_free(lending->live, TRUE);
    g_ptr_array_free(lending->over, TRUE);
    g_free(lending);
}

/* --- Lenders --------------------------------------------------------------------------------- */

bool lender_can_lend(const struct lender *lender)
{
    return lender->sign_on->complete && !lender->sign_on->broken;
}

struct lender *lender_copy(const struct lender *lender)
{
    struct lender *copy = g_new(struct lender, 1);

    *copy = *lender;
    copy->name = g_strdup(lender->name);
    copy->sign_on = qs_sign_on_copy(lender->sign_on);
    return copy;
}

/* Its level is over. */
static void keep_level(struct lender *lender)
{
    if (!lender_can_lend(lender))
        return;
    if (lender->over->len == lender->over_max)
        g_ptr_array_remove_index(lender->over, 0);
    g_ptr_array_add(lender->over, lender_copy(lender));
}

/* Takes over the name. */
static struct lender *begin_lender(GPtrArray *over, guint over_max,
                                   const struct qs_demo_format *format, char *name)
{
    struct lender *lender = g_new0(struct lender, 1);

    lender->over = over;
    lender->over_max = over_max;
    lender->format = format;
    lender->name = name;
    lender->sign_on = qs_sign_on_new();
    return lender;
}

struct lender *lender_new(struct lending *lending, const struct qs_demo_format *format,
                          unsigned session)
{
    struct lender *lender =
        begin_lender(lending->over, LENDERS_MAX, format, g_strdup_printf("session %u", session));

    lender->session = session;
    lender->live = lending->live;
    return lender;
}

static void tell(struct lender *lender, const struct qs_decoder *decoder)
{
    if (decoder->session->level != lender->level) {
        keep_level(lender);
        qs_sign_on_clear(lender->sign_on);
        lender->level = decoder->session->level;
    }
    if (!lender->sign_on->broken)
        lender->format->lending->tell(lender->sign_on, decoder);
}

/* Most sessions of a flood never can. */
static void list_if_able(struct lender *lender)
{
    if (lender->listed || !lender_can_lend(lender))
        return;
    lender->listed = true;
    g_ptr_array_add(lender->live, lender);
}

void lender_packet(struct lender *lender, const struct qs_decoder *decoder,
                   const struct qs_packet *packet, const struct qs_address *server)
{
    const uint32_t level = lender->level;

    if (!decoder->accepted)
        return;
    tell(lender, decoder);
    list_if_able(lender);
    if (level != lender->level)
        lender->since = packet->time;
    lender->until = packet->time;
    if (server->port != lender->server.port) /* it was not known who the server is */
        lender->server = *server;
}

void lender_end(struct lending *lending, struct lender *lender)
{
    keep_level(lender);
    if (lender->listed)
        g_ptr_array_remove(lending->live, lender);
    lender_free(lender);
}

/* --- Demos that lend --- */

static void tell_blocks(struct lender *lender, struct recording *recording,
                        struct qs_decoder *decoder, struct qs_session *session)
{
    const struct qs_demo_format *format = recording_demo_format(recording);
    struct qs_demo_block block;

    while (recording_next(recording, &block)) {
        const struct qs_packet packet = {.data = block.bytes.data,
                                         .size = block.bytes.size,
                                         .wire_size = block.bytes.size,
                                         .number = block.number,
                                         .from = QS_END_UNKNOWN};

        qs_decode_block(decoder, format->decode_block, session, NULL, &packet, block.offset);
        tell(lender, decoder);
    }
}

GPtrArray *lending_demos_new(void)
{
    return g_ptr_array_new_with_free_func(lender_free);
}

bool lending_demos_add(GPtrArray *demos, struct recording *recording)
{
    const struct qs_demo_format *format = recording_demo_format(recording);
    const guint before = demos->len;
    struct qs_session *session;
    struct qs_decoder decoder;
    struct lender *lender;

    if (!format->lending)
        return false;
    lender =
        begin_lender(demos, before + DEMO_LEVELS_MAX, format, g_strdup(recording_name(recording)));
    session = g_malloc(format->protocol->session_size);
    format->protocol->session_init(session);
    qs_decoder_init(&decoder, format->protocol);
    tell_blocks(lender, recording, &decoder, session);
    keep_level(lender);
    qs_decoder_clear(&decoder);
    format->protocol->session_clear(session);
    g_free(session);
    lender_free(lender);
    return demos->len != before;
}
