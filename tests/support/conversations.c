/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/support/conversations.h"

#include <stdio.h>

#include "common/dump/dump.h"
#include "common/sessions/protocol_selection.h"
#include "pcap2demo/capture/input.h"
#include "pcap2demo/capture/ip.h"
#include "pcap2demo/capture/link.h"
#include "pcap2demo/capture/source.h"
#include "common/sessions/stream.h"
#include "pcap2demo/capture/tcp.h"
#include "common/protocols.h"

struct qs_conversation {
    int protocol;
    unsigned number;
    struct qs_address first; /* QS_END_A */
    struct qs_session *session;
    struct qs_stream *stream; /* of TCP, or NULL */
};

struct reading {
    struct qs_protocol_selection *selection;
    GHashTable *conversations; /* by name_of() */
    struct qs_decoder decoders[QS_PROTOCOLS_MAX];
    visit_function *visitor;
    void *user;
};

static bool is_same(const struct qs_address *a, const struct qs_address *b)
{
    return a->family == b->family && a->port == b->port &&
           memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

/* The same for both directions. */
static char *name_of(const struct qs_address *a, const struct qs_address *b)
{
    GString *one = g_string_new(NULL);
    g_autoptr(GString) other = g_string_new(NULL);

    qs_address_append(one, a);
    qs_address_append(other, b);
    if (strcmp(one->str, other->str) > 0) {
        GString *swap = one;

        one = other;
        other = swap;
    }
    g_string_append_printf(one, " %s", other->str);
    return g_string_free(one, FALSE);
}

static void conversation_free(gpointer data)
{
    struct qs_conversation *conversation = data;

    qs_protocols[conversation->protocol]->session_clear(conversation->session);
    g_free(conversation->session);
    if (conversation->stream)
        qs_stream_free(conversation->stream);
    g_free(conversation);
}

/* Takes over `name`. */
static struct qs_conversation *begin(struct reading *reading, char *name, int protocol,
                                     const struct qs_address *first)
{
    struct qs_conversation *conversation = g_new0(struct qs_conversation, 1);

    conversation->protocol = protocol;
    conversation->number = g_hash_table_size(reading->conversations) + 1;
    conversation->first = *first;
    conversation->session = g_malloc(qs_protocols[protocol]->session_size);
    qs_protocols[protocol]->session_init(conversation->session);
    g_hash_table_insert(reading->conversations, name, conversation);
    return conversation;
}

static struct qs_conversation *find(struct reading *reading, const struct qs_packet *packet)
{
    char *name = name_of(&packet->source, &packet->destination);
    struct qs_conversation *conversation = g_hash_table_lookup(reading->conversations, name);
    const int protocol =
        conversation ? QS_PROTOCOL_NONE
                     : qs_protocol_selection_find(reading->selection, packet, QS_PROTOCOL_NONE);

    if (protocol >= 0)
        return begin(reading, name, protocol, &packet->source);
    g_free(name);
    return conversation;
}

/* The packet just decoded may say from which port its server goes on. */
static void follow_announcement(struct reading *reading, int protocol)
{
    const struct qs_announcement *announced = &reading->decoders[protocol].found.announced;
    char *name;

    if (!announced->valid)
        return;
    name = name_of(&announced->client, &announced->server);
    if (g_hash_table_contains(reading->conversations, name))
        g_free(name);
    else
        begin(reading, name, protocol, &announced->client)->session->server = QS_END_B;
}

static void visit_packet(struct reading *reading, struct qs_packet *packet)
{
    const struct qs_conversation *conversation = find(reading, packet);
    struct visit visit;

    if (!conversation)
        return;
    packet->from = is_same(&packet->source, &conversation->first) ? QS_END_A : QS_END_B;
    packet->source_is_server_port = qs_protocol_selection_is_server(
        reading->selection, conversation->protocol, packet->source.port);
    packet->destination_is_server_port = qs_protocol_selection_is_server(
        reading->selection, conversation->protocol, packet->destination.port);
    visit = (struct visit){.protocol = (unsigned)conversation->protocol,
                           .conversation = conversation->number,
                           .session = conversation->session,
                           .packet = packet};
    reading->visitor(&visit, reading->user);
    qs_decode(&reading->decoders[conversation->protocol], conversation->session, NULL, packet);
    follow_announcement(reading, conversation->protocol);
}

/* --- Streams --- */

static struct qs_conversation *begin_stream(struct reading *reading, const struct qs_packet *first)
{
    const int protocol = qs_protocol_selection_find_stream(reading->selection, first);
    struct qs_conversation *conversation;
    char *name;

    if (protocol < 0)
        return NULL;
    name = g_strdup_printf("stream %u", g_hash_table_size(reading->conversations));
    conversation = begin(reading, name, protocol, &first->source);
    conversation->stream = qs_stream_new(qs_protocols[protocol]);
    return conversation;
}

static void add_bytes(struct reading *reading, struct qs_conversation *conversation,
                      const struct qs_packet *bytes)
{
    struct qs_packet unit;

    qs_stream_add(conversation->stream, bytes);
    while (qs_stream_next(conversation->stream, conversation->session, &unit)) {
        const struct visit visit = {.protocol = (unsigned)conversation->protocol,
                                    .conversation = conversation->number,
                                    .session = conversation->session,
                                    .packet = &unit};

        reading->visitor(&visit, reading->user);
        qs_decode_unit(&reading->decoders[conversation->protocol], conversation->session, NULL,
                       &unit);
    }
}

static void receive(void *user, struct tcp_connection *connection, const struct qs_packet *packet)
{
    if (!packet)
        return;
    if (!connection->reader)
        connection->reader = begin_stream(user, packet);
    if (connection->reader)
        add_bytes(user, connection->reader, packet);
    else
        connection->ignored = true;
}

/* --- Captures --- */

static void read_frames(struct reading *reading, struct input *input, link_reader *link)
{
    struct ip *ip = ip_new();
    struct tcp *tcp = tcp_new(receive, reading);
    struct input_frame frame;

    while (input_next(input, &frame) == INPUT_FRAME) {
        if (!link(&frame.packet))
            continue;
        switch (ip_read(ip, &frame.packet)) {
        case IP_UDP:
            visit_packet(reading, &frame.packet);
            break;
        case IP_TCP:
            tcp_add_segment(tcp, &frame.packet);
            break;
        case IP_NOTHING:
            break;
        }
    }
    tcp_free(tcp);
    ip_free(ip);
}

static void read_all(struct input *input, link_reader *link, visit_function *visitor, void *user)
{
    struct reading reading = {.visitor = visitor, .user = user};

    reading.selection = qs_protocol_selection_new();
    reading.conversations =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, conversation_free);
    for (unsigned i = 0; qs_protocols[i]; i++)
        qs_decoder_init(&reading.decoders[i], qs_protocols[i]);
    read_frames(&reading, input, link);
    for (unsigned i = 0; qs_protocols[i]; i++)
        qs_decoder_clear(&reading.decoders[i]);
    g_hash_table_destroy(reading.conversations);
    qs_protocol_selection_free(reading.selection);
}

bool conversations_visit(const char *file, visit_function *visitor, void *user)
{
    char *error = NULL;
    FILE *stream = source_open_plain(file, &error);
    struct input *input = stream ? input_open_capture(stream, file, NULL, &error) : NULL;
    link_reader *link = input ? link_find(input_link_type(input)) : NULL;

    if (link)
        read_all(input, link, visitor, user);
    else
        fprintf(stderr, "%s: %s\n", file, error ? error : "unknown link layer");
    if (input)
        input_close(input);
    g_free(error);
    return link != NULL;
}
