/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/sessions/conversation.h"

static void init_state(struct conversation *conversation, int protocol)
{
    conversation->protocol = protocol;
    conversation->state = g_malloc(qs_protocols[protocol]->session_size);
    qs_protocols[protocol]->session_init(conversation->state);
}

static void free_state(struct conversation *conversation)
{
    qs_protocols[conversation->protocol]->session_clear(conversation->state);
    g_free(conversation->state);
}

static void find_server_ports(struct conversation *conversation,
                              const struct protocol_selection *selection)
{
    for (int end = QS_END_A; end <= QS_END_B; end++)
        conversation->is_server_port[end] = protocol_selection_is_server(
            selection, conversation->protocol, conversation->flow.ends[end].port);
}

struct conversation *conversation_new(const struct protocol_selection *selection, int protocol,
                                      const struct qs_address *a, const struct qs_address *b)
{
    struct conversation *conversation = g_new0(struct conversation, 1);

    conversation->flow.ends[QS_END_A] = *a;
    conversation->flow.ends[QS_END_B] = *b;
    init_state(conversation, protocol);
    find_server_ports(conversation, selection);
    return conversation;
}

struct conversation *conversation_new_stream(const struct protocol_selection *selection,
                                             int protocol, const struct qs_packet *first)
{
    const bool from_a = first->from == QS_END_A;
    struct conversation *conversation =
        conversation_new(selection, protocol, from_a ? &first->source : &first->destination,
                         from_a ? &first->destination : &first->source);

    conversation->stream = stream_new(qs_protocols[protocol]);
    return conversation;
}

struct conversation *conversation_new_demo(struct recording *recording)
{
    struct conversation *conversation = g_new0(struct conversation, 1);

    conversation->recording = recording;
    init_state(conversation, recording_protocol(recording));
    return conversation;
}

void conversation_free(struct conversation *conversation)
{
    free_state(conversation);
    if (conversation->order)
        order_free(conversation->order);
    if (conversation->stream)
        stream_free(conversation->stream);
    g_free(conversation);
}

void conversation_set_protocol(struct conversation *conversation,
                               const struct protocol_selection *selection, int protocol)
{
    free_state(conversation);
    init_state(conversation, protocol);
    find_server_ports(conversation, selection);
}

enum qs_end conversation_server(const struct conversation *conversation)
{
    if (conversation->state->server != QS_END_UNKNOWN)
        return conversation->state->server;
    return conversation->is_server_port[QS_END_A] ? QS_END_A : QS_END_B;
}
