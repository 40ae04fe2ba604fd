/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Follow: a session's packets as text (a transcript: see common/core/emit.h), one record for each
 * packet. In the menu of Wireshark 4.4 and later; in tshark as "-z follow,qw,ascii,1" with the
 * number of the session.
 */
#include "plugin/dissector.h"

#include <epan/addr_resolv.h>
#include <epan/conversation_filter.h>
#include <epan/follow.h>
#include <epan/tap.h>

#include "plugin/conversations.h"

/* Returns the filter for the session of a packet that was dissected before (g_free() it), or NULL
 * if it has no session. */
static char *session_filter_of(packet_info *pinfo, unsigned *session)
{
    for (int i = 0; dissectors[i]; i++) {
        *session = packet_session_number_again(dissectors[i], pinfo);
        if (*session)
            return g_strdup_printf("%s.session == %u", dissectors[i]->protocol->name, *session);
    }
    return NULL;
}

static char *filter_of(packet_info *pinfo WS_FILTER_USER)
{
    unsigned session;

    return session_filter_of(pinfo, &session);
}

static ws_bool has_session(packet_info *pinfo WS_FILTER_USER)
{
    unsigned session;
    g_autofree char *filter = session_filter_of(pinfo, &session);

    return filter != NULL;
}

void conversation_filter_register(void)
{
    register_conversation_filter("quakeshark", "Quake session", has_session,
                                 filter_of WS_FILTER_NULL);
}

/* --- Follow: the packets of a session --- */

static char *filter_of_packet(epan_dissect_t *edt, packet_info *pinfo, unsigned *stream,
                              unsigned *sub_stream)
{
    (void)edt;
    *sub_stream = 0;
    return session_filter_of(pinfo, stream);
}

/* Returns a filter for any game: all share one numbering, and the number does not tell the game. */
static char *filter_of_index(unsigned stream, unsigned sub_stream)
{
    GString *filter = g_string_new(NULL);

    (void)sub_stream;
    for (int i = 0; dissectors[i]; i++)
        g_string_append_printf(filter, "%s%s.session == %u", i ? " or " : "",
                               dissectors[i]->protocol->name, stream);
    return g_string_free(filter, FALSE);
}

static char *filter_of_addresses(address *source, address *destination, int source_port,
                                 int destination_port)
{
    register_follow_t *udp = get_follow_by_name("UDP");

    return get_follow_address_func(udp)(source, destination, source_port, destination_port);
}

#if WS_AT_LEAST(4, 2)
/* Returns one more, because session numbers begin at 1, but Wireshark's stream numbers at 0. */
static uint32_t count_streams(void)
{
    return session_numbers_count() + 1;
}
#endif

/* --- Follow: the text of packets --- */

/* A packet's text, valid until the packet is dissected. */
struct packet_text {
    const char *text;
    unsigned size;
    bool from_server;
};

static follow_record_t *new_record(const packet_info *pinfo, const struct packet_text *text)
{
    follow_record_t *record = g_new0(follow_record_t, 1);

    record->is_server = text->from_server;
    record->packet_num = pinfo->num;
    record->abs_ts = pinfo->abs_ts;
    record->data = g_byte_array_new();
    g_byte_array_append(record->data, (const guint8 *)text->text, text->size);
    return record;
}

static tap_packet_status tap_packet(void *data, packet_info *pinfo, epan_dissect_t *edt,
                                    const void *tapped, tap_flags_t flags)
{
    follow_info_t *info = data;
    const struct packet_text *text = tapped;

    (void)edt, (void)flags;
    if (!info->client_port) {
        copy_address(&info->client_ip, text->from_server ? &pinfo->dst : &pinfo->src);
        copy_address(&info->server_ip, text->from_server ? &pinfo->src : &pinfo->dst);
        info->client_port = text->from_server ? pinfo->destport : pinfo->srcport;
        info->server_port = text->from_server ? pinfo->srcport : pinfo->destport;
    }
    info->bytes_written[text->from_server] += text->size;
    info->payload = g_list_prepend(info->payload, new_record(pinfo, text)); /* latest first */
    return TAP_PACKET_DONT_REDRAW;
}

void follow_begin(struct dissector *dissector)
{
    static GString *transcript;

    if (!transcript)
        transcript = g_string_new(NULL);
    g_string_truncate(transcript, 0);
    dissector->decoder.transcript = have_tap_listener(dissector->follow_tap) ? transcript : NULL;
    if (dissector->decoder.transcript)
        dissector->decoder.want_summary = true;
}

void follow_queue(const struct dissector *dissector, packet_info *pinfo)
{
    const struct qs_decoder *decoder = &dissector->decoder;
    const GString *transcript = decoder->transcript;
    struct packet_text *text;

    if (!transcript || !transcript->len)
        return;
    /* The receiver drops duplicate and late packets. */
    if (!decoder->found.accepted && !decoder->found.connectionless && !decoder->packet->pdu)
        return;
    text = wmem_new(pinfo->pool, struct packet_text);
    *text =
        (struct packet_text){.text = wmem_strndup(pinfo->pool, transcript->str, transcript->len),
                             .size = (unsigned)transcript->len,
                             .from_server = decoder->found.direction == QS_S2C};
    tap_queue_packet(dissector->follow_tap, pinfo, text);
}

void follow_register(struct dissector *dissector)
{
    char *name = g_strdup_printf("%s_follow", dissector->protocol->name); /* kept by Wireshark */

    dissector->follow_tap = register_tap(name);
    register_follow_stream(dissector->proto, name, filter_of_packet, filter_of_index,
                           filter_of_addresses, udp_port_to_display,
                           tap_packet WS_FOLLOW_COUNT(count_streams));
}
