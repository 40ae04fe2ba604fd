/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/sessions/session.h"

/* The protocol is asked what it knows every so many packets; more often while the map is not known.
 */
enum { ASK_EVERY = 256, ASK_FOR_MAP_EVERY = 32 };

struct session_loss session_loss(const struct session *session)
{
    const struct qs_netchan *to_server = &session->state.to_server;
    const struct qs_netchan *to_client = &session->state.to_client;

    return (struct session_loss){.gaps = (uint64_t)to_server->gaps + to_client->gaps,
                                 .missing = (uint64_t)to_server->missing + to_client->missing,
                                 .not_captured =
                                     (uint64_t)to_server->not_captured + to_client->not_captured};
}

const struct qs_demo_format *session_demo_format(const struct session *session)
{
    if (session->recorded)
        return session->recorded;
    if (session->rebuilder && session->rebuilder->format)
        return session->rebuilder->format;
    return session->protocol->demo;
}

/* --- What is known of it --------------------------------------------------------------------- */

static char *take_printable(char *text)
{
    char *clean = text ? printable(text) : NULL;

    g_free(text);
    return clean;
}

static void replace(char **text, char *by)
{
    if (!by)
        return;
    g_free(*text);
    *text = take_printable(by);
}

static void enter_map(struct session *session, const char *map)
{
    if (session->maps->len < SESSION_MAPS_MAX)
        g_ptr_array_add(session->maps, printable(map));
    if (session->demo)
        demo_set_map(session->demo, map);
    session->map_known = true;
}

/* The map is entered once a level. */
void session_describe(struct session *session, const struct qs_session *state)
{
    struct qs_description description = {0};

    session->protocol->describe(state, &description);
    replace(&session->version, description.version);
    replace(&session->player, description.player);
    if (description.map && !session->map_known)
        enter_map(session, description.map);
    g_free(description.map);
}

/* The map of a new level is not known before the protocol names it. */
static void enter_level(struct session *session, uint32_t level)
{
    session->level = level;
    session->map_known = false;
    if (session->demo)
        demo_set_map(session->demo, NULL);
}

static void follow_levels(struct session *session, const struct qs_session *state)
{
    if (state->level != session->level)
        enter_level(session, state->level);
    if (session->packets % ASK_FOR_MAP_EVERY == 0 &&
        (!session->map_known || session->packets % ASK_EVERY == 0))
        session_describe(session, state);
}

/* --- Its life -------------------------------------------------------------------------------- */

static void start_rebuild(struct session *session, const struct session_setup *setup,
                          const struct qs_decoder *decoder, const struct qs_packet *first)
{
    const struct rebuilder *rebuilder = rebuilder_choose(decoder, first);
    struct demo_setup demo = setup->demo;

    if (!rebuilder || !setup->rebuild || !session->chosen || session->recorded)
        return;
    session->rebuilder = rebuilder;
    demo.extension = session_demo_format(session)->extension;
    session->demo = demo_new(&demo);
    session->rebuild = rebuilder->create(session->demo);
}

struct session *session_new(const struct session_setup *setup, const struct qs_decoder *decoder,
                            const struct qs_packet *first)
{
    struct session *session = g_new0(struct session, 1);

    session->number = setup->number;
    session->protocol = decoder->protocol;
    session->recorded = setup->recorded;
    session->first = (struct location){
        .file = setup->file, .packet = first->number, .block = setup->recorded != NULL};
    session->start = first->time;
    session->maps = g_ptr_array_new_with_free_func(g_free);
    session->chosen = setup->chosen;
    start_rebuild(session, setup, decoder, first);
    return session;
}

void session_free(struct session *session)
{
    if (session->rebuilder)
        session->rebuilder->free(session->rebuild);
    if (session->demo)
        demo_free(session->demo);
    g_ptr_array_free(session->maps, TRUE);
    g_free(session->version);
    g_free(session->player);
    g_free(session);
}

void session_packet(struct session *session, const char *file, const struct qs_decoder *decoder,
                    const struct qs_packet *packet)
{
    session->packets += packet->number != 0; /* what is before a demo's blocks is none */
    /* What a client asks a server after it has left does not make the session longer. */
    if (!decoder->connectionless)
        session->end = MAX(session->end, packet->time);
    session->problems += qs_decoder_problems(decoder) != 0;
    session->state = *decoder->session;
    follow_levels(session, decoder->session);
    if (!session->rebuilder)
        return;
    demo_set_source(session->demo, file);
    session->rebuilder->packet(session->rebuild, decoder, packet);
}

void session_end(struct session *session, bool keep)
{
    if (session->rebuilder && keep)
        session->rebuilder->finish(session->rebuild);
    if (session->demo)
        demo_end(session->demo, keep);
}
