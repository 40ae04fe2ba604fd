/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Acknowledgements, and the delivery of reliable messages.
 *
 * If a reliable bit confirms messages (qs_seqinfo.has_reliable_bit), one message is in transit at a
 * time: all reliable packets carry the same one until the receiver's bit toggles. Source:
 * QuakeWorld's and Quake II's net_chan.c, Netchan_Transmit and Netchan_Process. If the number
 * itself is repeated (qs_seqinfo.repeated), its acknowledgement confirms the message.
 */
#include <string.h>

#include "common/netchan/links_state.h"

/* --- Packets that were sent ------------------------------------------------------------------ */

static struct qs_link_sent *sent_at(struct qs_link_stream *stream, uint32_t index)
{
    return &stream->sent[index % QS_SENT_MAX];
}

/* Returns the last packet with this ack_id, or NULL. These only grow. */
static struct qs_link_sent *find_sent(struct qs_link_stream *stream, uint32_t mark)
{
    const uint32_t oldest = stream->count > QS_SENT_MAX ? stream->count - QS_SENT_MAX : 0;

    for (uint32_t i = stream->count; i-- > oldest;) {
        struct qs_link_sent *sent = sent_at(stream, i);

        if (sent->mark == mark)
            return sent;
        if (sent->mark < mark)
            return NULL;
    }
    return NULL;
}

/* --- Reliable messages ----------------------------------------------------------------------- */

/* True if the capture has the receiver's bit as the sender of this packet knew it: it has the
 * packet that is acknowledged, or a later one. */
static bool knows_toggle(const struct qs_link_way *way, const struct qs_seqinfo *seqinfo)
{
    return way->known && way->toggle_ack_id >= seqinfo->acked_id;
}

static void begin_message(struct qs_links *links, struct qs_link_way *way, uint32_t record,
                          const struct qs_seqinfo *seqinfo)
{
    struct qs_link_message *message = qs_chunks_add(&links->messages);

    message->first = message->last = record;
    way->message = links->messages.count;
    way->pending = true;
    way->pending_known = knows_toggle(way, seqinfo);
    way->pending_toggle = way->toggle;
    qs_link_extra(links, record)->message = way->message;
}

/* Adds a packet with the last message: another fragment of it, or if `again`, a repetition. */
static void repeat_message(struct qs_links *links, struct qs_link_way *way, uint32_t record,
                           bool again)
{
    struct qs_link_message *message = qs_link_message(links, way->message);

    qs_link_extra(links, record)->message = way->message;
    if (!again)
        return;
    qs_link_extra(links, message->last)->again = record;
    message->last = record;
}

static void confirm(struct qs_links *links, struct qs_link_way *way, uint32_t record)
{
    qs_link_message(links, way->message)->confirmed = record;
    qs_link_extra(links, record)->confirms = way->message;
    way->pending = false;
}

/*
 * Processes the receiver's bit. If the capture begins during a message, the bit before it is known
 * only from a packet that the receiver sent before it had the message.
 */
static void receive_toggle(struct qs_links *links, struct qs_link_way *way, uint32_t record,
                           const struct qs_seqinfo *seqinfo)
{
    if (way->pending && way->pending_known && seqinfo->reliable_bit != way->pending_toggle)
        confirm(links, way, record);
    else if (way->pending && !way->pending_known && seqinfo->acked_id >= way->message_ack_id)
        way->pending = false;
    else if (way->pending && !way->pending_known) {
        way->pending_known = true;
        way->pending_toggle = seqinfo->reliable_bit;
    }
    way->known = true;
    way->toggle = seqinfo->reliable_bit;
    way->toggle_ack_id = seqinfo->ack_id;
}

/* --- Packets --------------------------------------------------------------------------------- */

static void send_number(struct qs_links *links, const struct qs_decoder *d, uint32_t record,
                        const struct qs_seqinfo *seqinfo)
{
    struct qs_link_way *way = &links->ways[d->packet->from];
    struct qs_link_stream *stream;
    const struct qs_link_sent *newest;

    if (!way->streams[seqinfo->stream])
        way->streams[seqinfo->stream] = g_new0(struct qs_link_stream, 1);
    stream = way->streams[seqinfo->stream];
    newest = stream->count ? sent_at(stream, stream->count - 1) : NULL;
    if (!d->found.accepted && !seqinfo->repeated)
        return; /* late, or a duplicate: another packet is acknowledged */
    if (newest && seqinfo->ack_id < newest->mark) {
        if (!d->found.accepted)
            return;
        stream->count = 0; /* the numbers have restarted */
    }
    qs_link_record(links, record)->sent_again = newest && newest->mark == seqinfo->ack_id;
    if (seqinfo->ack_id)
        *sent_at(stream, stream->count++) = (struct qs_link_sent){seqinfo->ack_id, record};
    if (seqinfo->reliable) {
        const bool same =
            way->message && (seqinfo->ack_id == way->message_ack_id ||
                             (way->pending && !seqinfo->repeated && knows_toggle(way, seqinfo)));

        if (same)
            repeat_message(links, way, record,
                           seqinfo->repeated || seqinfo->ack_id != way->message_ack_id);
        else
            begin_message(links, way, record, seqinfo);
        way->message_ack_id = seqinfo->ack_id;
    }
}

static void receive_echo(struct qs_links *links, struct qs_link_way *way, uint32_t record,
                         const struct qs_seqinfo *seqinfo)
{
    struct qs_link_stream *stream = way->streams[seqinfo->acked_stream];
    const struct qs_link_sent *sent = stream ? find_sent(stream, seqinfo->acked_id) : NULL;
    struct qs_link_record *acknowledged;

    if (!sent)
        return;
    qs_link_record(links, record)->acks = sent->record;
    acknowledged = qs_link_record(links, sent->record);
    if (acknowledged->acked_by)
        return;
    acknowledged->acked_by = record;
    if (way->pending && qs_link_message(links, way->message)->last == sent->record &&
        !seqinfo->has_reliable_bit)
        confirm(links, way, record);
}

void qs_links_acknowledge(struct qs_links *links, const struct qs_decoder *d, uint32_t record,
                          const struct qs_seqinfo *seqinfo)
{
    struct qs_link_way *back = &links->ways[d->packet->from == QS_END_A ? QS_END_B : QS_END_A];

    if (seqinfo->numbered && (seqinfo->ack_id || seqinfo->reliable))
        send_number(links, d, record, seqinfo);
    if (seqinfo->numbered && !d->found.accepted)
        return;
    if (seqinfo->acked_id)
        receive_echo(links, back, record, seqinfo);
    if (seqinfo->has_reliable_bit)
        receive_toggle(links, back, record, seqinfo);
}

static void restart_way(struct qs_link_way *way, bool fresh)
{
    for (int i = 0; i < QS_STREAMS; i++)
        if (way->streams[i])
            way->streams[i]->count = 0;
    way->message = 0;
    way->pending = false;
    way->known = fresh; /* both ends begin with a bit that is not set */
    way->toggle = false;
    way->toggle_ack_id = 0;
    g_array_set_size(way->parts, 0);
    memset(way->bytes, 0, sizeof way->bytes);
}

void qs_links_restart(struct qs_links *links, bool fresh)
{
    for (int end = QS_END_A; end < QS_END_UNKNOWN; end++)
        restart_way(&links->ways[end], fresh);
    links->download = 0;
}
