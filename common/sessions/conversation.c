/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/conversation.h"
#include "common/protocols.h"

static void init_state(struct qs_conversation *conversation, int protocol)
{
    conversation->protocol = protocol;
    conversation->state = g_malloc(qs_protocols[protocol]->session_size);
    qs_protocols[protocol]->session_init(conversation->state);
}

static void free_state(struct qs_conversation *conversation)
{
    qs_protocols[conversation->protocol]->session_clear(conversation->state);
    g_free(conversation->state);
}

static void find_server_ports(struct qs_conversation *conversation,
                              const struct qs_protocol_selection *selection)
{
    for (int end = QS_END_A; end <= QS_END_B; end++)
        conversation->is_server_port[end] = qs_protocol_selection_is_server(
            selection, conversation->protocol, conversation->flow.ends[end].port);
}

struct qs_conversation *qs_conversation_new(const struct qs_protocol_selection *selection,
                                            int protocol, const struct qs_address *a,
                                            const struct qs_address *b)
{
    struct qs_conversation *conversation = g_new0(struct qs_conversation, 1);

    conversation->flow.ends[QS_END_A] = *a;
    conversation->flow.ends[QS_END_B] = *b;
    init_state(conversation, protocol);
    find_server_ports(conversation, selection);
    return conversation;
}

struct qs_conversation *qs_conversation_new_stream(const struct qs_protocol_selection *selection,
                                                   int protocol, const struct qs_packet *first)
{
    const bool from_a = first->from == QS_END_A;
    struct qs_conversation *conversation =
        qs_conversation_new(selection, protocol, from_a ? &first->source : &first->destination,
                            from_a ? &first->destination : &first->source);

    conversation->stream = qs_stream_new(qs_protocols[protocol]);
    return conversation;
}

struct qs_conversation *qs_conversation_new_demo(struct qs_demo_input *recording)
{
    struct qs_conversation *conversation = g_new0(struct qs_conversation, 1);

    conversation->recording = recording;
    init_state(conversation, qs_demo_input_protocol(recording));
    return conversation;
}

void qs_conversation_free(struct qs_conversation *conversation)
{
    free_state(conversation);
    if (conversation->order)
        qs_resequence_free(conversation->order);
    if (conversation->stream)
        qs_stream_free(conversation->stream);
    g_free(conversation);
}

void qs_conversation_set_protocol(struct qs_conversation *conversation,
                                  const struct qs_protocol_selection *selection, int protocol)
{
    free_state(conversation);
    init_state(conversation, protocol);
    find_server_ports(conversation, selection);
}

enum qs_end qs_conversation_server(const struct qs_conversation *conversation)
{
    if (conversation->state->server != QS_END_UNKNOWN)
        return conversation->state->server;
    return conversation->is_server_port[QS_END_A] ? QS_END_A : QS_END_B;
}
