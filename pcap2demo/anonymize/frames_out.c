/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/anonymize/frames_out.h"

#include "common/core/writer.h"
#include "pcap2demo/anonymize/frames.h"
#include "pcap2demo/capture/link.h"
#include "pcap2demo/capture/pcap_out.h"

struct frames_out {
    struct addresses *addresses;
    struct pcap_out *pcap;
    GByteArray *frame;
    GHashTable *streams; /* uint64_t: bytes sent, by the ends of a TCP connection */
    uint64_t count;
};

struct frames_out *frames_out_new(const char *folder, struct addresses *addresses)
{
    struct frames_out *out = g_new0(struct frames_out, 1);

    out->addresses = addresses;
    out->pcap = pcap_out_new(folder);
    pcap_out_begin(out->pcap, "Addresses, passwords and user keys were replaced.", false);
    out->frame = g_byte_array_new();
    out->streams =
        g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, g_free);
    return out;
}

void frames_out_free(struct frames_out *out)
{
    g_hash_table_destroy(out->streams);
    g_byte_array_free(out->frame, TRUE);
    pcap_out_free(out->pcap);
    g_free(out);
}

uint64_t frames_out_count(const struct frames_out *out)
{
    return out->count;
}

char *frames_out_commit(struct frames_out *out, const char *name, bool force)
{
    return pcap_out_commit(out->pcap, name, force);
}

/* The same ends give the same bytes. */
static void add_end(GByteArray *ends, const struct qs_address *end)
{
    g_byte_array_append(ends, &end->family, 1);
    g_byte_array_append(ends, end->bytes, sizeof end->bytes);
    g_byte_array_append(ends, (const guint8 *)&end->port, sizeof end->port);
}

/* How much the end that sends has sent; 0 at first. */
static uint64_t *bytes_sent(struct frames_out *out, const struct qs_address *from,
                            const struct qs_address *to)
{
    GByteArray *ends = g_byte_array_new();
    GBytes *key;
    uint64_t *sent;

    add_end(ends, from);
    add_end(ends, to);
    key = g_byte_array_free_to_bytes(ends);
    sent = g_hash_table_lookup(out->streams, key);

    if (sent) {
        g_bytes_unref(key);
        return sent;
    }
    sent = g_new0(uint64_t, 1);
    g_hash_table_insert(out->streams, key, sent);
    return sent;
}

static void write_frame(struct frames_out *out, const struct qs_packet *about,
                        const struct frame_content *content)
{
    const struct qs_address source = addresses_replace(out->addresses, &about->source);
    const struct qs_address destination = addresses_replace(out->addresses, &about->destination);
    struct frame_content addressed = *content;
    uint32_t headers;

    addressed.source = &source;
    addressed.destination = &destination;
    frame_make(out->frame, &addressed);
    headers = out->frame->len - content->payload.size;
    pcap_out_frame(out->pcap, &(struct pcap_out_frame){.link_type = LINKTYPE_RAW,
                                                       .time = about->time,
                                                       .bytes = qs_view_of_bytes(out->frame),
                                                       .wire_size = headers + content->wire_size});
    out->count++;
}

/* A unit of a stream may be longer than a segment. */
static void write_segments(struct frames_out *out, const struct held_packet *packet)
{
    const struct qs_packet *about = &packet->about;
    uint64_t *sent = bytes_sent(out, &about->source, &about->destination);
    const uint64_t *received = bytes_sent(out, &about->destination, &about->source);

    *sent += about->missing;
    if (packet->left_out) /* a hole */
        *sent += packet->payload->len;
    for (uint32_t at = packet->left_out ? packet->payload->len : 0; at < packet->payload->len;) {
        const uint32_t size = MIN(packet->payload->len - at, FRAME_PAYLOAD_MAX);
        const struct frame_content content = {.payload = {packet->payload->data + at, size},
                                              .wire_size = size,
                                              .is_tcp = true,
                                              .sequence = (uint32_t)*sent + 1,
                                              .acknowledged = (uint32_t)*received + 1};

        write_frame(out, about, &content);
        *sent += size;
        at += size;
    }
}

void frames_out_packet(struct frames_out *out, const struct held_packet *packet)
{
    const uint32_t cut = packet->about.wire_size - packet->about.size;
    const struct frame_content content = {.payload = qs_view_of_bytes(packet->payload),
                                          .wire_size = packet->payload->len + cut};

    if (packet->about.unit)
        write_segments(out, packet);
    else if (!packet->left_out && content.wire_size <= FRAME_PAYLOAD_MAX)
        write_frame(out, &packet->about, &content);
}
