/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/anonymize/writer.h"

#include <string.h>

#include "common/core/packet.h"
#include "common/core/writer.h"
#include "pcap2demo/capture/link.h"
#include "pcap2demo/capture/pcapng_writer.h"

struct anonymous_writer {
    GQueue packets;        /* struct held_packet, in frame order */
    size_t bytes;          /* sum of the payloads' original sizes */
    GHashTable *by_number; /* struct held_packet of datagrams, by number and addresses */
    uint64_t left_out;     /* packets left out since the last flush */

    struct addresses *addresses;
    struct pcapng_writer *pcap;
    GHashTable *streams; /* set of struct tcp_bytes */
    GHashTable *points;  /* uint64_t: capture points, with their hop limits */
};

/* Bytes that two ends have sent in their TCP connections. */
struct tcp_bytes {
    struct qs_endpoints ends;
    uint64_t conversation; /* number of the current connection */
    uint64_t sent[2];
};

/* --- Frames ---------------------------------------------------------------------------------- */

/* Returns the counters of the PDU's ends; 0 at first. */
static struct tcp_bytes *bytes_of(struct anonymous_writer *writer, const struct held_packet *packet)
{
    const struct qs_endpoints key = {{packet->about.source, packet->about.destination}};
    struct tcp_bytes *bytes = g_hash_table_lookup(writer->streams, &key);

    if (!bytes) {
        bytes = g_new0(struct tcp_bytes, 1);
        bytes->ends = key;
        bytes->conversation = packet->conversation;
        g_hash_table_add(writer->streams, bytes);
    }
    return bytes;
}

/* Returns the hop limit of a capture point, so that copies of a datagram stay copies. */
static uint8_t hops_of(struct anonymous_writer *writer, uint64_t point)
{
    enum { HOPS_MAX = 64 };
    gpointer hops = g_hash_table_lookup(writer->points, &point);

    if (!point || hops)
        return (uint8_t)GPOINTER_TO_UINT(hops);
    hops = GUINT_TO_POINTER(HOPS_MAX - g_hash_table_size(writer->points) % HOPS_MAX);
    g_hash_table_insert(writer->points, g_memdup2(&point, sizeof point), hops);
    return (uint8_t)GPOINTER_TO_UINT(hops);
}

static void write_frame(struct anonymous_writer *writer, const struct qs_packet *about,
                        struct frame_content content)
{
    const struct qs_address source = addresses_replace(writer->addresses, &about->source);
    const struct qs_address destination = addresses_replace(writer->addresses, &about->destination);

    content.id = (uint16_t)about->ip_id;
    content.hops = hops_of(writer, about->capture_point);
    content.source = &source;
    content.destination = &destination;
    pcapng_writer_packet(writer->pcap, about->time, &content);
}

/* Writes the SYN of another connection between the same ends, with a number of its own. */
static void write_connection(struct anonymous_writer *writer, const struct held_packet *packet,
                             struct tcp_bytes *bytes)
{
    enum { SYN = 2 };

    bytes->conversation = packet->conversation;
    bytes->sent[0] = bytes->sent[1] = MAX(bytes->sent[0], bytes->sent[1]) + 1;
    write_frame(
        writer, &packet->about,
        (struct frame_content){.tcp = &(struct frame_tcp){(uint32_t)bytes->sent[0], 0, SYN}});
}

/* Writes a PDU of a stream, which may be longer than a segment. */
static void write_segments(struct anonymous_writer *writer, const struct held_packet *packet)
{
    enum { PUSH_AND_ACK = 0x18 };
    const struct qs_packet *about = &packet->about;
    struct tcp_bytes *bytes = bytes_of(writer, packet);
    const bool is_second = !qs_address_equal(&bytes->ends.ends[0], &about->source);
    uint64_t *sent = &bytes->sent[is_second];
    const uint64_t *received = &bytes->sent[!is_second];

    if (bytes->conversation != packet->conversation)
        write_connection(writer, packet, bytes);
    *sent += about->missing + packet->left_out; /* leaves a gap */
    for (uint32_t at = 0; at < packet->payload->len;) {
        const uint32_t size = MIN(packet->payload->len - at, FRAME_PAYLOAD_MAX);
        const struct frame_tcp tcp = {(uint32_t)*sent + 1, (uint32_t)*received + 1, PUSH_AND_ACK};
        const struct frame_content content = {
            .payload = {packet->payload->data + at, size}, .wire_size = size, .tcp = &tcp};

        write_frame(writer, about, content);
        *sent += size;
        at += size;
    }
}

static void write_packet(struct anonymous_writer *writer, const struct held_packet *packet)
{
    const uint32_t cut = packet->about.wire_size - packet->about.size;
    const struct frame_content content = {.payload = qs_view_of_bytes(packet->payload),
                                          .wire_size = packet->payload->len + cut};

    if (packet->about.pdu)
        write_segments(writer, packet);
    else if ((packet->payload->len || !packet->about.size) &&
             content.wire_size <= FRAME_PAYLOAD_MAX)
        write_frame(writer, &packet->about, content);
}

/* --- Held packets ---------------------------------------------------------------------------- */

static void free_packet(gpointer data)
{
    struct held_packet *packet = data;

    g_byte_array_unref(packet->payload);
    g_free(packet);
}

static void write_first(struct anonymous_writer *writer)
{
    struct held_packet *packet = g_queue_pop_head(&writer->packets);

    if (g_hash_table_lookup(writer->by_number, packet) == packet)
        g_hash_table_remove(writer->by_number, packet);
    writer->bytes -= packet->about.size;
    writer->left_out += packet->left_out > 0;
    write_packet(writer, packet);
    free_packet(packet);
}

uint64_t anonymous_writer_flush(struct anonymous_writer *writer)
{
    uint64_t left_out;

    while (writer->packets.length)
        write_first(writer);
    left_out = writer->left_out;
    writer->left_out = 0;
    return left_out;
}

static void insert(struct anonymous_writer *writer, struct held_packet *packet)
{
    GList *link = writer->packets.tail;

    while (link && ((struct held_packet *)link->data)->about.number > packet->about.number)
        link = link->prev;
    if (link)
        g_queue_insert_after(&writer->packets, link, packet);
    else
        g_queue_push_head(&writer->packets, packet);
}

struct held_packet *anonymous_writer_add(struct anonymous_writer *writer,
                                         const struct qs_packet *packet)
{
    struct held_packet *held = g_new0(struct held_packet, 1);

    while (writer->packets.length >= HELD_PACKETS_MAX ||
           (writer->packets.length && writer->bytes + packet->size > HELD_BYTES_MAX))
        write_first(writer);
    writer->bytes += packet->size;
    held->about = *packet;
    held->payload = g_byte_array_append(g_byte_array_new(), packet->data, packet->size);
    insert(writer, held);
    if (!packet->pdu)
        g_hash_table_replace(writer->by_number, held, held);
    return held;
}

void anonymous_writer_leave_out(struct held_packet *packet)
{
    packet->left_out += packet->payload->len;
    g_byte_array_set_size(packet->payload, 0);
}

struct held_packet *anonymous_writer_find(const struct anonymous_writer *writer,
                                          const struct held_packet *other, uint64_t number)
{
    struct held_packet key = {.about = other->about};

    key.about.number = number;
    return g_hash_table_lookup(writer->by_number, &key);
}

static guint number_hash(gconstpointer key)
{
    const struct qs_packet *about = &((const struct held_packet *)key)->about;

    return qs_hash_number(about->number) + qs_address_hash(&about->source);
}

static gboolean number_equal(gconstpointer key, gconstpointer other)
{
    const struct qs_packet *a = &((const struct held_packet *)key)->about;
    const struct qs_packet *b = &((const struct held_packet *)other)->about;

    return a->number == b->number && qs_address_equal(&a->source, &b->source) &&
           qs_address_equal(&a->destination, &b->destination);
}

/* --- Output file ----------------------------------------------------------------------------- */

struct anonymous_writer *anonymous_writer_new(const char *folder, struct addresses *addresses)
{
    struct anonymous_writer *writer = g_new0(struct anonymous_writer, 1);

    g_queue_init(&writer->packets);
    writer->by_number = g_hash_table_new(number_hash, number_equal);
    writer->addresses = addresses;
    writer->pcap = pcapng_writer_new(folder);
    pcapng_writer_begin(writer->pcap, "Addresses, passwords and user keys were replaced.");
    writer->streams = g_hash_table_new_full(qs_endpoints_hash, qs_endpoints_equal, g_free, NULL);
    writer->points = g_hash_table_new_full(qs_int64_hash, g_int64_equal, g_free, NULL);
    return writer;
}

void anonymous_writer_free(struct anonymous_writer *writer)
{
    g_queue_clear_full(&writer->packets, free_packet);
    g_hash_table_destroy(writer->by_number);
    g_hash_table_destroy(writer->streams);
    g_hash_table_destroy(writer->points);
    pcapng_writer_free(writer->pcap);
    g_free(writer);
}

uint64_t anonymous_writer_count(const struct anonymous_writer *writer)
{
    return pcapng_writer_packets(writer->pcap);
}

char *anonymous_writer_commit(struct anonymous_writer *writer, const char *name, bool force)
{
    return pcapng_writer_commit(writer->pcap, name, force);
}
