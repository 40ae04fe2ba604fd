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
static struct qs_link_sent *find_sent(struct qs_link_stream *stream, uint32_t ack_id)
{
    const uint32_t oldest = stream->count > QS_SENT_MAX ? stream->count - QS_SENT_MAX : 0;

    for (uint32_t i = stream->count; i-- > oldest;) {
        struct qs_link_sent *sent = sent_at(stream, i);

        if (sent->ack_id == ack_id)
            return sent;
        if (sent->ack_id < ack_id)
            return NULL;
    }
    return NULL;
}

/* --- Reliable messages ----------------------------------------------------------------------- */

/* True if the capture has the receiver's bit as the sender of this packet knew it: it has the
 * packet that is acknowledged, or a later one. */
static bool knows_toggle(const struct qs_link_direction *direction,
                         const struct qs_seqinfo *seqinfo)
{
    return direction->known && direction->toggle_ack_id >= seqinfo->acked_id;
}

static void begin_message(struct qs_links *links, struct qs_link_direction *direction,
                          uint32_t record, const struct qs_seqinfo *seqinfo)
{
    struct qs_link_message *message = qs_chunks_add(&links->messages);

    message->first = message->last = record;
    direction->message = links->messages.count;
    direction->pending = true;
    direction->pending_known = knows_toggle(direction, seqinfo);
    direction->pending_toggle = direction->toggle;
    qs_link_extra(links, record)->message = direction->message;
}

/* Adds a packet with the last message: another fragment of it, or if `again`, a repetition. */
static void repeat_message(struct qs_links *links, struct qs_link_direction *direction,
                           uint32_t record, bool again)
{
    struct qs_link_message *message = qs_link_message(links, direction->message);

    qs_link_extra(links, record)->message = direction->message;
    if (!again)
        return;
    qs_link_extra(links, message->last)->again = record;
    message->last = record;
}

static void confirm(struct qs_links *links, struct qs_link_direction *direction, uint32_t record)
{
    qs_link_message(links, direction->message)->confirmed = record;
    qs_link_extra(links, record)->confirms = direction->message;
    direction->pending = false;
}

/*
 * Processes the receiver's bit. If the capture begins during a message, the bit before it is known
 * only from a packet that the receiver sent before it had the message.
 */
static void receive_toggle(struct qs_links *links, struct qs_link_direction *direction,
                           uint32_t record, const struct qs_seqinfo *seqinfo)
{
    if (direction->pending && direction->pending_known &&
        seqinfo->reliable_bit != direction->pending_toggle)
        confirm(links, direction, record);
    else if (direction->pending && !direction->pending_known &&
             seqinfo->acked_id >= direction->message_ack_id)
        direction->pending = false;
    else if (direction->pending && !direction->pending_known) {
        direction->pending_known = true;
        direction->pending_toggle = seqinfo->reliable_bit;
    }
    direction->known = true;
    direction->toggle = seqinfo->reliable_bit;
    direction->toggle_ack_id = seqinfo->ack_id;
}

/* --- Packets --------------------------------------------------------------------------------- */

static void send_number(struct qs_links *links, const struct qs_decoder *d, uint32_t record,
                        const struct qs_seqinfo *seqinfo)
{
    struct qs_link_direction *direction = &links->directions[d->packet->from];
    struct qs_link_stream *stream;
    const struct qs_link_sent *newest;

    if (!direction->streams[seqinfo->stream])
        direction->streams[seqinfo->stream] = g_new0(struct qs_link_stream, 1);
    stream = direction->streams[seqinfo->stream];
    newest = stream->count ? sent_at(stream, stream->count - 1) : NULL;
    if (!d->found.accepted && !seqinfo->repeated)
        return; /* late, or a duplicate: another packet is acknowledged */
    if (newest && seqinfo->ack_id < newest->ack_id) {
        if (!d->found.accepted)
            return;
        stream->count = 0; /* the numbers have restarted */
    }
    qs_link_record(links, record)->sent_again = newest && newest->ack_id == seqinfo->ack_id;
    if (seqinfo->ack_id)
        *sent_at(stream, stream->count++) = (struct qs_link_sent){seqinfo->ack_id, record};
    if (seqinfo->reliable) {
        const bool same =
            direction->message &&
            (seqinfo->ack_id == direction->message_ack_id ||
             (direction->pending && !seqinfo->repeated && knows_toggle(direction, seqinfo)));

        if (same)
            repeat_message(links, direction, record,
                           seqinfo->repeated || seqinfo->ack_id != direction->message_ack_id);
        else
            begin_message(links, direction, record, seqinfo);
        direction->message_ack_id = seqinfo->ack_id;
    }
}

static void receive_ack(struct qs_links *links, struct qs_link_direction *direction,
                        uint32_t record, const struct qs_seqinfo *seqinfo)
{
    struct qs_link_stream *stream = direction->streams[seqinfo->acked_stream];
    const struct qs_link_sent *sent = stream ? find_sent(stream, seqinfo->acked_id) : NULL;
    struct qs_link_record *acknowledged;

    if (!sent)
        return;
    qs_link_record(links, record)->acks = sent->record;
    acknowledged = qs_link_record(links, sent->record);
    if (acknowledged->acked_by)
        return;
    acknowledged->acked_by = record;
    if (direction->pending && qs_link_message(links, direction->message)->last == sent->record &&
        !seqinfo->has_reliable_bit)
        confirm(links, direction, record);
}

void qs_links_acknowledge(struct qs_links *links, const struct qs_decoder *d, uint32_t record,
                          const struct qs_seqinfo *seqinfo)
{
    struct qs_link_direction *back = &links->directions[qs_other_end(d->packet->from)];

    if (seqinfo->numbered && (seqinfo->ack_id || seqinfo->reliable))
        send_number(links, d, record, seqinfo);
    if (seqinfo->numbered && !d->found.accepted)
        return;
    if (seqinfo->acked_id)
        receive_ack(links, back, record, seqinfo);
    if (seqinfo->has_reliable_bit)
        receive_toggle(links, back, record, seqinfo);
}

static void restart_direction(struct qs_link_direction *direction, bool fresh)
{
    for (int i = 0; i < QS_STREAMS; i++)
        if (direction->streams[i])
            direction->streams[i]->count = 0;
    direction->message = 0;
    direction->pending = false;
    direction->known = fresh; /* both ends begin with a bit that is not set */
    direction->toggle = false;
    direction->toggle_ack_id = 0;
    g_array_set_size(direction->parts, 0);
    memset(direction->bytes, 0, sizeof direction->bytes);
}

void qs_links_restart(struct qs_links *links, bool fresh)
{
    for (int end = QS_END_A; end < QS_END_UNKNOWN; end++)
        restart_direction(&links->directions[end], fresh);
    links->download = 0;
}
