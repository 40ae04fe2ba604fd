/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/sessions.h"

#include "common/sessions/sessions_state.h"
#include "common/protocols.h"
#include "common/core/findings.h"

/* Maximum delay of a packet in a capture of several queues (ns). */
#define CLOCK_BACK (INT64_C(1) * 1000000000)

/* Maximum number of answered conversations without a live session, and of unanswered ones. */
enum { CONVERSATIONS_MAX = 4096 };

unsigned qs_sessions_count(const struct qs_sessions *sessions)
{
    return sessions->numbering.count;
}

bool qs_sessions_is_as_captured(const struct qs_sessions *sessions)
{
    return sessions->as_captured;
}

/* --- Decode, update, report ------------------------------------------------------------------ */

static void decode_packet(struct qs_sessions *sessions, struct qs_conversation *conversation,
                          struct qs_decoder *decoder, struct qs_packet *packet)
{
    struct qs_sink *sink = sessions->handler->sink;
    const bool from_a = packet->from == QS_END_A;

    if (conversation->demo) {
        struct qs_demo_reader *reader = &conversation->demo->reader;

        qs_decode_block(decoder, reader->format->file->decode_block, conversation->state, sink,
                        packet, conversation->block_offset);
        packet->time = qs_demo_time(reader, decoder);
        return;
    }
    packet->source_is_server_port = conversation->is_server_port[from_a ? QS_END_A : QS_END_B];
    packet->destination_is_server_port = conversation->is_server_port[from_a ? QS_END_B : QS_END_A];
    if (conversation->stream)
        qs_decode_pdu(decoder, conversation->state, sink, packet);
    else
        qs_decode(decoder, conversation->state, sink, packet);
}

/* --- Maps from status answers ---------------------------------------------------------------- */

static void free_server_map(void *data)
{
    struct qs_server_map *known = data;

    g_free(known->map);
    g_free(known);
}

static void learn_map(struct qs_sessions *sessions, const struct qs_packet *answer,
                      struct qs_view map)
{
    enum { SERVERS_MAX = 4096 };
    struct qs_server_map *known = g_hash_table_lookup(sessions->maps, &answer->source);

    if (!known && g_hash_table_size(sessions->maps) >= SERVERS_MAX)
        g_hash_table_remove_all(sessions->maps);
    if (!known) {
        known = g_new0(struct qs_server_map, 1);
        known->server = answer->source;
        g_hash_table_insert(sessions->maps, &known->server, known);
    }
    known->time = answer->time;
    g_free(known->map);
    known->map = g_strndup((const char *)map.data, map.size);
}

static void process_packet(struct qs_sessions *sessions, struct qs_conversation *conversation,
                           struct qs_packet *packet)
{
    struct qs_sessions_handler *handler = sessions->handler;
    struct qs_decoder *decoder = &sessions->decoders[conversation->protocol];
    const struct qs_capture_file *file = packet->file ? packet->file : sessions->file;
    struct qs_decoded_packet decoded = {
        .location = {.file = file ? file->name : NULL,
                     .packet = packet->number,
                     .block = conversation->demo != NULL},
        .packet = packet,
        .decoder = decoder,
    };

    if (conversation->left_out)
        return;
    decode_packet(sessions, conversation, decoder, packet);
    if (decoder->found.map.size && !qs_packet_is_cut(packet))
        learn_map(sessions, packet, decoder->found.map);
    if (!conversation->number) {
        qs_conversation_forget_announcement(sessions, conversation);
        conversation->number = ++sessions->conversations;
    }
    qs_conversation_update_session(sessions, conversation, &decoded);
    decoded.conversation = conversation->number;
    if (handler->packet)
        handler->packet(handler, &decoded);
}

/* --- Datagrams in order ---------------------------------------------------------------------- */

static void process_in_order(struct qs_sessions *sessions, struct qs_conversation *conversation,
                             struct qs_packet *packet, const struct qs_seqinfo *seqinfo)
{
    const uint32_t connection = conversation->state->connection;

    process_packet(sessions, conversation, packet);
    if (conversation->session && seqinfo->qport && seqinfo->qport != conversation->qport) {
        qs_conversation_set_qport(sessions, conversation, seqinfo->qport);
        conversation->session->server = *qs_conversation_address(conversation, true);
        conversation->session->client = *qs_conversation_address(conversation, false);
    }
    if (conversation->state->connection != connection)
        qs_order_restart(conversation->order, packet->from, seqinfo);
}

/* Processes the held packets that are due. `all`: no earlier one follows, so that all are due. */
static void process_held(struct qs_sessions *sessions, struct qs_conversation *conversation,
                         bool all)
{
    struct qs_packet *packet;
    struct qs_seqinfo seqinfo;

    while ((packet = qs_order_next(conversation->order, all, &seqinfo)))
        process_in_order(sessions, conversation, packet, &seqinfo);
}

static void process_datagram(struct qs_sessions *sessions, struct qs_conversation *conversation,
                             struct qs_packet *packet, const struct qs_seqinfo *seqinfo)
{
    const bool as_captured = sessions->as_captured;

    if (as_captured)
        qs_order_follow(conversation->order, packet->from, seqinfo);
    if (as_captured || qs_order_passes(conversation->order, packet, seqinfo)) {
        process_in_order(sessions, conversation, packet, seqinfo);
        return;
    }
    qs_order_hold(conversation->order, packet, seqinfo);
    process_held(sessions, conversation, false);
}

/* Processes the packets that were kept before the conversation was recognized. */
static void process_earlier(struct qs_sessions *sessions, struct qs_conversation *conversation)
{
    const struct qs_address *a = &conversation->flow.ends[QS_END_A];
    const struct qs_address *b = &conversation->flow.ends[QS_END_B];
    unsigned count;
    struct qs_packet *packets = qs_heuristic_packets(sessions->heuristic, a, b, &count);
    struct qs_seqinfo seqinfo;

    for (unsigned i = 0; i < count; i++) {
        packets[i].from = qs_flow_end_of(&conversation->flow, &packets[i].source);
        qs_conversation_read_seqinfo(conversation, &packets[i], &seqinfo);
        process_datagram(sessions, conversation, &packets[i], &seqinfo);
    }
    qs_heuristic_remove(sessions->heuristic, a, b);
}

/* --- The clock ------------------------------------------------------------------------------- */

static G_GNUC_NO_INLINE bool continues_conversation(const struct qs_sessions *sessions,
                                                    struct qs_packet *packet)
{
    const struct qs_conversation *conversation = (const struct qs_conversation *)qs_flow_between(
        sessions->flows, &packet->source, &packet->destination);
    struct qs_seqinfo seqinfo;

    if (!conversation)
        return false;
    packet->from = qs_flow_end_of(&conversation->flow, &packet->source);
    qs_conversation_read_seqinfo(conversation, packet, &seqinfo);
    return qs_order_continues(conversation->order, packet, &seqinfo);
}

/*
 * Follows a recorder's clock that is set, by hours if it was wrong: then sequence numbers continue
 * in spite of a step in time. The conversations of that moment keep the old clock.
 */
static void follow_clock(struct qs_sessions *sessions, struct qs_packet *packet)
{
    const int64_t step = packet->time - sessions->clock;

    if (sessions->clock && (step >= QS_FLOW_IDLE || step < -CLOCK_BACK) &&
        continues_conversation(sessions, packet))
        qs_flow_table_shift(sessions->flows, step);
    sessions->clock = packet->time;
}

/* --- Copies of datagrams --------------------------------------------------------------------- */

/* True if `session`, which may be NULL, can be the other side of `first` behind a NAT: both began
 * together, or it begins now, because its side is captured from now on. `lag` is the time from a
 * datagram of `first` to its copy, `now` that of the copy. */
static bool is_other_side(const struct qs_client_session *session,
                          const struct qs_client_session *first, int64_t lag, int64_t now)
{
    return session && (now - session->start <= QS_COPY_WINDOW ||
                       ABS(session->start - first->start - lag) <= QS_COPY_WINDOW);
}

/*
 * Joins the two sides of a NAT: the capture has a datagram of a session under other addresses, too.
 * From now on both pairs of addresses find one conversation. `lag`: see is_other_side().
 */
static void join_sides(struct qs_sessions *sessions, struct qs_conversation *conversation,
                       const struct qs_packet *packet, int64_t lag)
{
    struct qs_flow *other = qs_flow_between(sessions->flows, &packet->source, &packet->destination);

    if (other == &conversation->flow)
        return;
    if (other && qs_flow_is_other(other, packet)) {
        qs_flow_forget_other(sessions->flows, other); /* the NAT uses this pair anew */
    } else if (other) {
        struct qs_conversation *same = (struct qs_conversation *)other;

        if (is_other_side(same->session, conversation->session, lag, packet->time))
            qs_conversation_leave_out(sessions, same);
        same->announced = false; /* its packets are not missing */
        qs_flow_end(sessions->flows, other);
    }
    qs_flow_add_ends(sessions->flows, &conversation->flow, packet->from, packet);
}

/*
 * Returns true if the packet must be dropped as a copy. In a known conversation, only a session's
 * numbered packet can be a copy under other addresses: connectionless packets of several clients
 * may have the same bytes.
 */
static bool drop_copy(struct qs_sessions *sessions, struct qs_packet *packet)
{
    const struct qs_sighting *first = qs_copies_find(sessions->copies, packet);
    struct qs_conversation *conversation;
    struct qs_seqinfo seqinfo;

    if (!first)
        return false;
    conversation = (struct qs_conversation *)qs_flow_between(sessions->flows, &first->source,
                                                             &first->destination);
    if (!conversation)
        return true;
    packet->from = qs_flow_end_of(&conversation->flow, &first->source);
    qs_conversation_read_seqinfo(conversation, packet, &seqinfo);
    if (conversation->session && seqinfo.numbered) {
        join_sides(sessions, conversation, packet, packet->time - first->time);
        if (!seqinfo.stream)
            qs_client_session_copy(conversation->session,
                                   packet->from == qs_conversation_server(conversation) ? QS_S2C
                                                                                        : QS_C2S,
                                   (uint32_t)(seqinfo.number >> QS_SEQINFO_SHIFT), packet->time,
                                   (int)(qs_copies_recorder(sessions->copies) - first->recorder));
        return true;
    }
    return qs_flow_between(sessions->flows, &packet->source, &packet->destination) ==
           &conversation->flow;
}

/* --- Datagrams ------------------------------------------------------------------------------- */

static void add_datagram(struct qs_sessions *sessions, struct qs_packet *packet)
{
    const int64_t now = packet->time;
    const struct qs_announcement *announced;
    struct qs_conversation_found found;
    struct qs_conversation *conversation, *next;
    int protocol;

    qs_conversation_find(sessions, packet, &found);
    conversation = found.conversation;
    if (conversation && found.has_earlier)
        process_earlier(sessions, conversation);
    if (!conversation || found.is_kept || conversation->left_out)
        return;
    if (found.has_earlier)
        qs_conversation_read_seqinfo(conversation, packet, &found.seqinfo);
    protocol = conversation->protocol;
    packet->time = qs_time_moved(now, conversation->clock - qs_flow_table_shifted(sessions->flows));
    process_datagram(sessions, conversation, packet, &found.seqinfo);
    qs_conversation_limit_sessions(sessions, conversation, now);
    announced = &sessions->decoders[protocol].found.announced;
    next = announced->valid ? qs_conversation_announce(sessions, protocol, announced, now) : NULL;
    if (next)
        process_earlier(sessions, next);
}

/* Adds a datagram that waited for an answer. Later ones have set the clock already. */
static void add_unanswered(void *user, struct qs_packet *packet)
{
    struct qs_sessions *sessions = user;

    if (sessions->as_captured || !drop_copy(sessions, packet))
        add_datagram(sessions, packet);
}

void qs_sessions_datagram(struct qs_sessions *sessions, struct qs_packet *packet)
{
    if (sessions->unanswered &&
        !qs_flow_between(sessions->flows, &packet->source, &packet->destination) &&
        !qs_unanswered_pass(sessions->unanswered, packet, add_unanswered, sessions))
        return;
    if (!sessions->as_captured && drop_copy(sessions, packet))
        return;
    follow_clock(sessions, packet);
    add_datagram(sessions, packet);
}

static void end_source(struct qs_flow *flow, void *user)
{
    process_held(user, (struct qs_conversation *)flow, true);
}

void qs_sessions_end_source(struct qs_sessions *sessions)
{
    qs_flow_table_each(sessions->flows, end_source, sessions);
    qs_heuristic_forget(sessions->heuristic);
}

static void end_conversation(struct qs_flow *flow, void *user)
{
    struct qs_conversation *conversation = (struct qs_conversation *)flow;
    struct qs_sessions *sessions = user;
    struct qs_sessions_handler *handler = sessions->handler;

    if (conversation->order)
        process_held(sessions, conversation, true);
    qs_qports_remove(sessions->qports, conversation->found_by);
    qs_conversation_forget_announcement(sessions, conversation);
    if (conversation->announced && !conversation->number) {
        sessions->missed.announced++;
        sessions->missed.server = conversation->flow.ends[QS_END_B];
    }
    qs_conversation_end_session(sessions, conversation,
                                sessions->ending ? QS_SESSION_INPUT_OVER : QS_SESSION_SILENT);
    if (conversation->number && handler->conversation_over)
        handler->conversation_over(handler, conversation->number,
                                   qs_protocols[conversation->protocol]);
    qs_conversation_free(conversation);
}

/* Time that an end may continue after the other one has disconnected (ns). */
#define LEFT_FOR (INT64_C(10) * 1000000000)

struct ended_conversations {
    struct qs_sessions *sessions;
    int64_t now;
    GPtrArray *over; /* conversations that have ended */
};

static void find_left(struct qs_flow *flow, void *user)
{
    const struct ended_conversations *ended = user;
    const struct qs_conversation *conversation = (const struct qs_conversation *)flow;

    if (conversation->session && conversation->state->disconnected &&
        ended->now - qs_flow_last(ended->sessions->flows, flow) >= LEFT_FOR)
        g_ptr_array_add(ended->over, flow);
}

void qs_sessions_expire(struct qs_sessions *sessions, int64_t since)
{
    struct ended_conversations ended = {sessions, sessions->clock + since, g_ptr_array_new()};

    qs_flow_table_each(sessions->flows, find_left, &ended);
    for (guint i = 0; i < ended.over->len; i++)
        qs_flow_end(sessions->flows, g_ptr_array_index(ended.over, i));
    g_ptr_array_free(ended.over, TRUE);
    qs_flow_table_expire(sessions->flows, ended.now);
}

/* --- Streams --------------------------------------------------------------------------------- */

/* Begins the conversation of a TCP connection. NULL if the game is unknown. */
static struct qs_conversation *begin_connection(const struct qs_sessions *sessions,
                                                const struct qs_packet *first)
{
    const struct qs_protocol_selection *selection = sessions->options->selection;
    const int protocol = qs_protocol_selection_find_stream(selection, first);
    const bool from_a = first->from == QS_END_A;
    struct qs_conversation *conversation;

    if (protocol == QS_PROTOCOL_NONE)
        return NULL;
    conversation =
        qs_conversation_new(selection, protocol, from_a ? &first->source : &first->destination,
                            from_a ? &first->destination : &first->source);
    conversation->stream = qs_stream_new(qs_protocols[protocol]);
    return conversation;
}

bool qs_sessions_bytes(struct qs_sessions *sessions, void **reader, const struct qs_packet *bytes)
{
    struct qs_conversation *conversation = *reader;
    struct qs_packet pdu;

    if (!conversation)
        *reader = conversation = begin_connection(sessions, bytes);
    if (!conversation)
        return false;
    qs_stream_add(conversation->stream, bytes);
    while (qs_stream_next(conversation->stream, conversation->state, &pdu))
        process_packet(sessions, conversation, &pdu);
    return true;
}

/* Decodes the rest of an incomplete PDU as far as possible. */
void qs_sessions_end_bytes(struct qs_sessions *sessions, void *reader, uint64_t number)
{
    struct qs_conversation *conversation = reader;
    struct qs_packet pdu;

    if (!conversation)
        return;
    for (int end = QS_END_A; end <= QS_END_B; end++) {
        if (!qs_stream_rest(conversation->stream, conversation->state, (enum qs_end)end, &pdu))
            continue;
        pdu.number = number;
        process_packet(sessions, conversation, &pdu);
    }
    end_conversation(&conversation->flow, sessions);
}

/* --- Demos ----------------------------------------------------------------------------------- */

void qs_sessions_begin_demo(struct qs_sessions *sessions, struct qs_demo_input *demo)
{
    sessions->demo = qs_conversation_new(NULL, qs_demo_input_protocol(demo), NULL, NULL);
    sessions->demo->demo = demo;
}

void qs_sessions_block(struct qs_sessions *sessions, const struct qs_demo_block *block)
{
    struct qs_packet packet = qs_demo_block_packet(block);

    sessions->demo->block_offset = block->offset;
    process_packet(sessions, sessions->demo, &packet);
}

void qs_sessions_end_demo(struct qs_sessions *sessions)
{
    end_conversation(&sessions->demo->flow, sessions);
    sessions->demo = NULL;
}

/* --- Life of the sessions -------------------------------------------------------------------- */

struct qs_sessions *qs_sessions_new(const struct qs_sessions_options *options,
                                    struct qs_sessions_handler *handler)
{
    struct qs_sessions *sessions = g_new0(struct qs_sessions, 1);

    sessions->options = options;
    sessions->handler = handler;
    sessions->keep = true;
    sessions->files = g_ptr_array_new_with_free_func(g_free);
    sessions->as_captured = handler->as_captured;
    sessions->limits.max = options->sessions_max;
    sessions->flows = qs_flow_table_new(options->idle, end_conversation, sessions);
    qs_flow_table_limit(sessions->flows, QS_FLOW_ONE_SIDED, CONVERSATIONS_MAX);
    qs_flow_table_limit(sessions->flows, QS_FLOW_ANSWERED, CONVERSATIONS_MAX);
    qs_flow_table_limit(sessions->flows, QS_FLOW_LIVE, options->sessions_max);
    sessions->heuristic = qs_heuristic_new(options->protocol_options);
    sessions->qports = qs_qports_new();
    sessions->announced = g_hash_table_new(qs_address_hash, qs_address_equal);
    sessions->maps =
        g_hash_table_new_full(qs_address_hash, qs_address_equal, NULL, free_server_map);
    sessions->unanswered = options->both_ends ? qs_unanswered_new() : NULL;
    sessions->donors = qs_donors_new(options->sign_ons);
    sessions->copies = qs_copies_new();
    for (int i = 0; qs_protocols[i]; i++) {
        struct qs_decoder *decoder = &sessions->decoders[i];

        qs_decoder_init(decoder, qs_protocols[i]);
        decoder->options = options->protocol_options[i];
        decoder->want_summary = handler->want_summary;
        decoder->want_transfers = handler->want_transfers;
        decoder->want_entities = handler->want_rebuild ? QS_ENTITIES_KEPT : QS_ENTITIES_NONE;
        decoder->unchecked = handler->unchecked;
        decoder->redactor = handler->redactor;
    }
    return sessions;
}

const struct qs_capture_file *qs_sessions_set_source(struct qs_sessions *sessions, const char *name,
                                                     const char *stem)
{
    struct qs_capture_file *file = g_new(struct qs_capture_file, 1);

    *file = (struct qs_capture_file){g_intern_string(name), g_intern_string(stem)};
    g_ptr_array_add(sessions->files, file);
    return sessions->file = file;
}

void qs_sessions_free(struct qs_sessions *sessions, bool keep)
{
    struct qs_sessions_handler *handler = sessions->handler;
    const struct qs_session_limits *limits = &sessions->limits;

    sessions->keep = keep;
    sessions->ending = true;
    qs_flow_table_free(sessions->flows);
    memcpy(sessions->missed.ports, qs_heuristic_likely_ports(sessions->heuristic),
           sizeof sessions->missed.ports);
    qs_heuristic_free(sessions->heuristic);
    qs_qports_free(sessions->qports);
    g_hash_table_destroy(sessions->announced);
    g_hash_table_destroy(sessions->maps);
    g_clear_pointer(&sessions->unanswered, qs_unanswered_free);
    if (sessions->others.sessions && handler->others)
        handler->others(handler, &sessions->others);
    if ((sessions->missed.ports[0] || sessions->missed.announced) && handler->missed)
        handler->missed(handler, &sessions->missed);
    if ((limits->ended || limits->left_out) && sessions->options->limited)
        sessions->options->limited(limits);
    qs_donors_free(sessions->donors);
    qs_copies_free(sessions->copies);
    for (int i = 0; qs_protocols[i]; i++)
        qs_decoder_clear(&sessions->decoders[i]);
    g_ptr_array_free(sessions->files, TRUE);
    g_free(sessions);
}
