/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/sessions.h"

#include <epan/conversation.h>
#include <epan/dissectors/packet-tcp.h>
#include <epan/proto_data.h>

/* A conversation, to the end of the capture. */
struct talk {
    bool begun;                  /* its first packet has come */
    struct qs_address announced; /* of its server, where that was told beforehand */
    uint32_t first;              /* number of that packet */
    address opener;              /* end A, once begun */
    uint32_t opener_port;
    struct {
        bool known;
        uint32_t next;          /* number of the byte that the end sends next */
        uint32_t missing;       /* bytes lost before its next unit */
    } streams[2];               /* of TCP, by enum qs_end */
    struct qs_session *session; /* behind the last packet that was visited for the first time */
};

/* What a packet or unit is decoded with on every visit. */
struct kept {
    struct qs_session *session;
    uint32_t missing; /* before the unit */
    enum qs_end from;
    const struct talk *talk; /* NULL: a packet that an error message quotes */
};

/* --- Sessions that end with the pool of memory they live in --- */

struct owner {
    const struct qs_protocol *protocol;
    struct qs_session *session;
};

static ws_bool clear_session(wmem_allocator_t *pool, wmem_cb_event_t event, void *data)
{
    const struct owner *owner = data;

    (void)pool, (void)event;
    owner->protocol->session_clear(owner->session);
    return FALSE; /* once is enough */
}

/* `*session` must be made valid at once by the caller. */
static struct qs_session *session_in(wmem_allocator_t *pool, const struct qs_protocol *protocol)
{
    struct owner *owner = wmem_new(pool, struct owner);

    owner->protocol = protocol;
    owner->session = wmem_alloc(pool, protocol->session_size);
    wmem_register_callback(pool, clear_session, owner);
    return owner->session;
}

static struct qs_session *new_session(wmem_allocator_t *pool, const struct qs_protocol *protocol)
{
    struct qs_session *session = session_in(pool, protocol);

    protocol->session_init(session);
    return session;
}

static struct qs_session *copy_session(wmem_allocator_t *pool, const struct qs_protocol *protocol,
                                       const struct qs_session *from)
{
    struct qs_session *session = session_in(pool, protocol);

    protocol->session_copy(session, from);
    return session;
}

/* --- Conversations --- */

static struct talk *new_talk(const struct bridge *bridge, conversation_t *conversation)
{
    struct talk *talk = wmem_new0(wmem_file_scope(), struct talk);

    talk->session = new_session(wmem_file_scope(), bridge->protocol);
    conversation_add_proto_data(conversation, bridge->proto, talk);
    return talk;
}

static address wireshark_address(const struct qs_address *from)
{
    address to = ADDRESS_INIT_NONE;

    if (from->family == 4)
        set_address(&to, AT_IPv4, 4, from->bytes);
    else if (from->family == 6)
        set_address(&to, AT_IPv6, 16, from->bytes);
    return to;
}

static bool sent_by(const packet_info *pinfo, const struct qs_address *end)
{
    const address known = wireshark_address(end);

    return pinfo->srcport == end->port && addresses_equal(&pinfo->src, &known);
}

/* The packet is the conversation's first. */
static void begin_talk(struct talk *talk, const packet_info *pinfo)
{
    talk->begun = true;
    talk->first = pinfo->num;
    copy_address_wmem(wmem_file_scope(), &talk->opener, &pinfo->src);
    talk->opener_port = pinfo->srcport;
    if (talk->announced.family)
        talk->session->server = sent_by(pinfo, &talk->announced) ? QS_END_A : QS_END_B;
}

static struct talk *talk_in(const struct bridge *bridge, const conversation_t *conversation)
{
    return conversation ? conversation_get_proto_data(conversation, bridge->proto) : NULL;
}

static struct talk *talk_with(const struct bridge *bridge, packet_info *pinfo)
{
    conversation_t *conversation = find_or_create_conversation(pinfo);
    struct talk *talk = talk_in(bridge, conversation);

    if (!talk)
        talk = new_talk(bridge, conversation);
    if (!talk->begun)
        begin_talk(talk, pinfo);
    return talk;
}

/* NULL where none is known. */
static struct talk *talk_known(const struct bridge *bridge, packet_info *pinfo)
{
    struct talk *talk = talk_in(bridge, find_conversation_pinfo(pinfo, 0));

    return talk && talk->begun ? talk : NULL;
}

static enum qs_end sender_of(const struct talk *talk, const packet_info *pinfo)
{
    const bool opener =
        pinfo->srcport == talk->opener_port && addresses_equal(&pinfo->src, &talk->opener);

    return opener ? QS_END_A : QS_END_B;
}

static struct kept *keep(const struct bridge *bridge, const packet_info *pinfo, struct talk *talk)
{
    struct kept *kept = wmem_new0(wmem_file_scope(), struct kept);

    kept->talk = pinfo->flags.in_error_pkt ? NULL : talk;
    kept->from = talk ? sender_of(talk, pinfo) : QS_END_A;
    kept->session = talk ? copy_session(wmem_file_scope(), bridge->protocol, talk->session)
                         : new_session(wmem_file_scope(), bridge->protocol);
    return kept;
}

/* What an error message quotes was sent before, and is no news. */
static bool is_news(const packet_info *pinfo)
{
    return !pinfo->flags.in_error_pkt && !PINFO_FD_VISITED(pinfo);
}

static struct talk *talk_of(const struct bridge *bridge, packet_info *pinfo)
{
    return is_news(pinfo) ? talk_with(bridge, pinfo) : talk_known(bridge, pinfo);
}

/* News are decoded with the conversation's own session, which moves on. */
static struct visit visit_kept(const struct bridge *bridge, const packet_info *pinfo,
                               const struct talk *talk, const struct kept *kept)
{
    const bool first = talk && is_news(pinfo);

    return (struct visit){.session =
                              first ? talk->session
                                    : copy_session(pinfo->pool, bridge->protocol, kept->session),
                          .missing = kept->missing,
                          .from = kept->from,
                          .conversation = kept->talk,
                          .first = first};
}

struct visit visit_packet(const struct bridge *bridge, packet_info *pinfo)
{
    struct kept *kept =
        p_get_proto_data(wmem_file_scope(), pinfo, bridge->proto, pinfo->curr_layer_num);
    struct talk *talk = NULL;

    if (!kept) {
        talk = talk_of(bridge, pinfo);
        kept = keep(bridge, pinfo, talk);
        p_add_proto_data(wmem_file_scope(), pinfo, bridge->proto, pinfo->curr_layer_num, kept);
    }
    return visit_kept(bridge, pinfo, talk, kept);
}

/* --- Streams --- */

/* The units that a packet completes, in order: what each is decoded with. Not the packet's pool. */
static wmem_array_t *units_of(const struct bridge *bridge, packet_info *pinfo)
{
    wmem_array_t *units =
        p_get_proto_data(wmem_file_scope(), pinfo, bridge->proto, pinfo->curr_layer_num);

    if (!units) {
        units = wmem_array_new(wmem_file_scope(), sizeof(struct kept *));
        p_add_proto_data(wmem_file_scope(), pinfo, bridge->proto, pinfo->curr_layer_num, units);
    }
    return units;
}

/* How many of them are done in this dissection of the packet. */
static uint32_t *units_done(const struct bridge *bridge, packet_info *pinfo)
{
    uint32_t *done = p_get_proto_data(pinfo->pool, pinfo, bridge->proto, pinfo->curr_layer_num);

    if (!done) {
        done = wmem_new0(pinfo->pool, uint32_t);
        p_add_proto_data(pinfo->pool, pinfo, bridge->proto, pinfo->curr_layer_num, done);
    }
    return done;
}

bool stream_is_known(const struct bridge *bridge, packet_info *pinfo)
{
    const struct talk *talk = talk_known(bridge, pinfo);

    return talk && talk->first <= pinfo->num;
}

void stream_segment(const struct bridge *bridge, packet_info *pinfo, const struct tcpinfo *segment,
                    uint32_t cut)
{
    struct talk *talk;
    enum qs_end from;
    int32_t ahead;

    if (!segment || !is_news(pinfo))
        return;
    talk = talk_with(bridge, pinfo);
    from = sender_of(talk, pinfo);
    ahead = (int32_t)(segment->seq - talk->streams[from].next);
    if (talk->streams[from].known && ahead > 0)
        talk->streams[from].missing += (uint32_t)ahead;
    talk->streams[from].known = true;
    talk->streams[from].next = segment->nxtseq - cut;
}

static struct kept *keep_unit(const struct bridge *bridge, const packet_info *pinfo,
                              struct talk *talk)
{
    struct kept *kept = keep(bridge, pinfo, talk);

    if (talk && is_news(pinfo)) {
        kept->missing = talk->streams[kept->from].missing;
        talk->streams[kept->from].missing = 0;
    }
    return kept;
}

struct visit visit_unit(const struct bridge *bridge, packet_info *pinfo)
{
    wmem_array_t *units = units_of(bridge, pinfo);
    const uint32_t index = *units_done(bridge, pinfo);
    struct talk *talk = talk_of(bridge, pinfo);
    struct visit visit;

    if (index >= wmem_array_get_count(units)) {
        struct kept *kept = keep_unit(bridge, pinfo, talk);

        wmem_array_append_one(units, kept);
    }
    visit = visit_kept(bridge, pinfo, talk, *(struct kept **)wmem_array_index(units, index));
    visit.unit = index + 1;
    return visit;
}

void visit_unit_done(const struct bridge *bridge, packet_info *pinfo)
{
    ++*units_done(bridge, pinfo);
}

/* --- Conversations announced by another one --- */

static conversation_t *announced_conversation(const packet_info *pinfo,
                                              const struct qs_announcement *announced, bool create)
{
    const address server = wireshark_address(&announced->server);
    const address client = wireshark_address(&announced->client);

    return create ? conversation_new(pinfo->num, &server, &client, CONVERSATION_UDP,
                                     announced->server.port, announced->client.port, 0)
                  : find_conversation(pinfo->num, &server, &client, CONVERSATION_UDP,
                                      announced->server.port, announced->client.port, 0);
}

void conversation_announce(const struct bridge *bridge, const packet_info *pinfo,
                           const struct qs_announcement *announced)
{
    conversation_t *conversation = announced_conversation(pinfo, announced, false);
    struct talk *talk = talk_in(bridge, conversation);

    if (talk && !talk->session->disconnected)
        return;
    if (talk || !conversation)
        conversation = announced_conversation(pinfo, announced, true);
    conversation_set_dissector_from_frame_number(conversation, pinfo->num, bridge->handle);
    new_talk(bridge, conversation)->announced = announced->server;
}
