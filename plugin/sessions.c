/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/sessions.h"

#include <epan/conversation.h>
#include <epan/proto_data.h>

/* A conversation, from its first packet to the end of the capture. */
struct talk {
    address opener; /* end A */
    uint32_t opener_port;
    struct qs_session *session; /* behind the last packet that was visited for the first time */
};

/* What a packet is decoded with on every visit. */
struct kept {
    struct qs_session *session;
    enum qs_end from;
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

static struct talk *open_talk(const struct bridge *bridge, conversation_t *conversation,
                              const packet_info *pinfo)
{
    struct talk *talk = wmem_new(wmem_file_scope(), struct talk);

    copy_address_wmem(wmem_file_scope(), &talk->opener, &pinfo->src);
    talk->opener_port = pinfo->srcport;
    talk->session = new_session(wmem_file_scope(), bridge->protocol);
    conversation_add_proto_data(conversation, bridge->proto, talk);
    return talk;
}

/*
 * NULL for a packet that an error message quotes, where nothing is known of its conversation: a
 * quoted packet opens none.
 */
static struct talk *talk_of(const struct bridge *bridge, packet_info *pinfo)
{
    conversation_t *conversation;
    struct talk *talk = NULL;

    if (!pinfo->flags.in_error_pkt) {
        conversation = find_or_create_conversation(pinfo);
        talk = conversation_get_proto_data(conversation, bridge->proto);
        return talk ? talk : open_talk(bridge, conversation, pinfo);
    }
    conversation = find_conversation_pinfo(pinfo, 0);
    if (conversation)
        talk = conversation_get_proto_data(conversation, bridge->proto);
    return talk;
}

static enum qs_end sender_of(const struct talk *talk, const packet_info *pinfo)
{
    const bool opener =
        pinfo->srcport == talk->opener_port && addresses_equal(&pinfo->src, &talk->opener);

    return opener ? QS_END_A : QS_END_B;
}

static struct kept *keep(const struct bridge *bridge, packet_info *pinfo, const struct talk *talk)
{
    struct kept *kept = wmem_new(wmem_file_scope(), struct kept);

    kept->from = talk ? sender_of(talk, pinfo) : QS_END_A;
    kept->session = talk ? copy_session(wmem_file_scope(), bridge->protocol, talk->session)
                         : new_session(wmem_file_scope(), bridge->protocol);
    p_add_proto_data(wmem_file_scope(), pinfo, bridge->proto, pinfo->curr_layer_num, kept);
    return kept;
}

struct qs_session *session_for_packet(const struct bridge *bridge, packet_info *pinfo,
                                      enum qs_end *from)
{
    struct kept *kept =
        p_get_proto_data(wmem_file_scope(), pinfo, bridge->proto, pinfo->curr_layer_num);
    const struct talk *talk = NULL;

    if (!kept) {
        talk = talk_of(bridge, pinfo);
        kept = keep(bridge, pinfo, talk);
    }
    *from = kept->from;
    if (talk && !pinfo->flags.in_error_pkt)
        return talk->session;
    return copy_session(pinfo->pool, bridge->protocol, kept->session);
}
