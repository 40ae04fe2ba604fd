/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/pcapng_writer.h"

#include "common/core/writer.h"
#include "pcap2demo/capture/link.h"
#include "pcap2demo/capture/frame_reader.h"
#include "pcap2demo/config.h"
#include "pcap2demo/output/files.h"

enum {
    IPV4_HEADER = 20,
    UDP_HEADER = 8,
    TCP_HEADER = 20,
    PROTOCOL_TCP = 6,
    PROTOCOL_UDP = 17,
    HOPS = 64
};

/* Interface, as in its description block. */
struct written_interface {
    const char *name; /* may be NULL */
    uint16_t link_type;
    const char *file; /* interned; may be NULL */
    uint32_t number;  /* number in the file */
};

struct pcapng_writer {
    struct writer *writer;
    GByteArray *block;      /* scratch: body of a block */
    GByteArray *frame;      /* scratch: a packet */
    GHashTable *interfaces; /* struct written_interface -> its number here */
    uint64_t packets;       /* number of packets so far */
};

/* --- Blocks ---------------------------------------------------------------------------------- */

static void pad(GByteArray *bytes)
{
    while (bytes->len % 4)
        qs_write_u8(bytes, 0);
}

static void add_option(GByteArray *block, uint16_t code, struct qs_view value)
{
    qs_write_u16(block, code);
    qs_write_u16(block, (uint16_t)value.size);
    qs_write_view(block, value);
    pad(block);
}

static struct qs_view text_view(const char *text)
{
    return (struct qs_view){(const uint8_t *)text, (uint32_t)MIN(strlen(text), UINT16_MAX)};
}

/* Writes the block: type, length, body, and the length again. */
static void write_block(struct pcapng_writer *out, uint32_t type)
{
    const uint32_t length = out->block->len + PCAPNG_FRAMING;
    const uint32_t head[] = {GUINT32_TO_LE(type), GUINT32_TO_LE(length)};

    writer_add(out->writer, head, sizeof head);
    writer_add(out->writer, out->block->data, out->block->len);
    writer_add(out->writer, &head[1], sizeof head[1]);
    g_byte_array_set_size(out->block, 0);
}

static void write_interface(struct pcapng_writer *out, const struct written_interface *interface)
{
    static const uint8_t nanoseconds = 9;

    qs_write_u16(out->block, interface->link_type);
    qs_write_u16(out->block, 0);
    qs_write_u32(out->block, 0); /* snaplen: no limit */
    if (interface->name)
        add_option(out->block, PCAPNG_OPTION_NAME, text_view(interface->name));
    add_option(out->block, PCAPNG_OPTION_TIME_RESOLUTION, (struct qs_view){&nanoseconds, 1});
    add_option(out->block, PCAPNG_OPTION_END, (struct qs_view){0});
    write_block(out, PCAPNG_INTERFACE);
}

static guint interface_hash(gconstpointer key)
{
    const struct written_interface *interface = key;

    return qs_hash_number((uintptr_t)interface->file) + qs_hash_number(interface->number);
}

static gboolean interface_equal(gconstpointer key, gconstpointer other_key)
{
    const struct written_interface *one = key, *other = other_key;

    return one->link_type == other->link_type && g_strcmp0(one->name, other->name) == 0 &&
           one->file == other->file && one->number == other->number;
}

/* Returns the interface's number; writes its description block on first use. */
static guint number_of(struct pcapng_writer *out, const struct written_interface *interface)
{
    const guint next = g_hash_table_size(out->interfaces);
    gpointer number;

    if (g_hash_table_lookup_extended(out->interfaces, interface, NULL, &number))
        return GPOINTER_TO_UINT(number);
    write_interface(out, interface);
    g_hash_table_insert(out->interfaces, g_memdup2(interface, sizeof *interface),
                        GUINT_TO_POINTER(next));
    return next;
}

void pcapng_writer_begin(struct pcapng_writer *out, const char *comment)
{
    qs_write_u32(out->block, PCAPNG_BYTE_ORDER);
    qs_write_u16(out->block, 1); /* version 1.0 */
    qs_write_u16(out->block, 0);
    qs_write_u32(out->block, UINT32_MAX); /* section length: unspecified */
    qs_write_u32(out->block, UINT32_MAX);
    if (comment)
        add_option(out->block, PCAPNG_OPTION_COMMENT, text_view(comment));
    add_option(out->block, PCAPNG_OPTION_APPLICATION, text_view("pcap2demo " QUAKESHARK_VERSION));
    add_option(out->block, PCAPNG_OPTION_END, (struct qs_view){0});
    write_block(out, PCAPNG_SECTION);
}

struct pcapng_writer *pcapng_writer_new(const char *folder)
{
    struct pcapng_writer *out = g_new0(struct pcapng_writer, 1);

    out->writer = writer_new(folder);
    out->block = g_byte_array_new();
    out->frame = g_byte_array_new();
    out->interfaces = g_hash_table_new_full(interface_hash, interface_equal, g_free, NULL);
    return out;
}

/* --- Checksums ------------------------------------------------------------------------------- */

/* Adds the 16-bit words of `bytes` to `sum`; an odd last byte is a high byte. */
static uint32_t add_words(uint32_t sum, struct qs_view bytes)
{
    for (uint32_t i = 0; i + 1 < bytes.size; i += 2)
        sum += qs_be16(bytes.data + i);
    return bytes.size % 2 ? sum + bytes.data[bytes.size - 1] * 256u : sum;
}

static uint16_t checksum(uint32_t sum)
{
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t) ~(sum + (sum >> 16));
}

static void put_checksum(GByteArray *frame, uint32_t at, uint16_t sum)
{
    frame->data[at] = (uint8_t)(sum >> 8);
    frame->data[at + 1] = (uint8_t)sum;
}

/* --- Headers --------------------------------------------------------------------------------- */

static uint8_t protocol_of(const struct frame_content *content)
{
    return content->tcp ? PROTOCOL_TCP : PROTOCOL_UDP;
}

/* Returns the size of the payload and its transport header. */
static uint32_t transport_size(const struct frame_content *content)
{
    return (content->tcp ? TCP_HEADER : UDP_HEADER) + content->wire_size;
}

static void add_ipv4_header(GByteArray *frame, const struct frame_content *content)
{
    enum { VERSION_AND_LENGTH = 0x45, DONT_FRAGMENT = 0x4000, SUM_AT = 10 };

    qs_write_u8(frame, VERSION_AND_LENGTH);
    qs_write_u8(frame, 0);
    qs_write_u16be(frame, (uint16_t)(IPV4_HEADER + transport_size(content)));
    qs_write_u16be(frame, content->id);
    qs_write_u16be(frame, DONT_FRAGMENT);
    qs_write_u8(frame, content->hops ? content->hops : HOPS);
    qs_write_u8(frame, protocol_of(content));
    qs_write_u16be(frame, 0);
    qs_write_view(frame, (struct qs_view){content->source->bytes, 4});
    qs_write_view(frame, (struct qs_view){content->destination->bytes, 4});
    put_checksum(frame, SUM_AT, checksum(add_words(0, qs_view_of_bytes(frame))));
}

static void add_ipv6_header(GByteArray *frame, const struct frame_content *content)
{
    qs_write_u32be(frame, UINT32_C(0x60000000));
    qs_write_u16be(frame, (uint16_t)transport_size(content));
    qs_write_u8(frame, protocol_of(content));
    qs_write_u8(frame, content->hops ? content->hops : HOPS);
    qs_write_view(frame, (struct qs_view){content->source->bytes, 16});
    qs_write_view(frame, (struct qs_view){content->destination->bytes, 16});
}

/* Returns the checksum's offset in the header. */
static uint32_t add_udp_header(GByteArray *frame, const struct frame_content *content)
{
    qs_write_u16be(frame, content->source->port);
    qs_write_u16be(frame, content->destination->port);
    qs_write_u16be(frame, (uint16_t)transport_size(content));
    qs_write_u16be(frame, 0);
    return 6;
}

static uint32_t add_tcp_header(GByteArray *frame, const struct frame_content *content)
{
    enum { WORDS = TCP_HEADER / 4, WINDOW = 65535 };

    qs_write_u16be(frame, content->source->port);
    qs_write_u16be(frame, content->destination->port);
    qs_write_u32be(frame, content->tcp->sequence);
    qs_write_u32be(frame, content->tcp->acknowledged);
    qs_write_u8(frame, WORDS << 4);
    qs_write_u8(frame, content->tcp->flags);
    qs_write_u16be(frame, WINDOW);
    qs_write_u16be(frame, 0);
    qs_write_u16be(frame, 0); /* urgent pointer */
    return 16;
}

/* Returns the checksum, including the pseudo header's. In UDP, 0 means no checksum. */
static uint16_t transport_checksum(const GByteArray *frame, const struct frame_content *content,
                                   uint32_t transport)
{
    const uint32_t address_size = content->source->family == 6 ? 16 : 4;
    uint32_t sum = protocol_of(content) + transport_size(content);
    uint16_t made;

    sum = add_words(sum, (struct qs_view){content->source->bytes, address_size});
    sum = add_words(sum, (struct qs_view){content->destination->bytes, address_size});
    sum = add_words(sum, (struct qs_view){frame->data + transport, frame->len - transport});
    made = checksum(sum);
    return made || content->tcp ? made : UINT16_MAX;
}

/* Builds a raw IP packet with checksums; if the payload is cut, without that of UDP or TCP.
 * Sources: RFC 791, 768, 8200, 9293, 1071. */
static void build_frame(GByteArray *frame, const struct frame_content *content)
{
    const bool cut = content->payload.size < content->wire_size;
    uint32_t transport, sum_at;

    g_byte_array_set_size(frame, 0);
    if (content->source->family == 6)
        add_ipv6_header(frame, content);
    else
        add_ipv4_header(frame, content);
    transport = frame->len;
    sum_at = content->tcp ? add_tcp_header(frame, content) : add_udp_header(frame, content);
    qs_write_view(frame, content->payload);
    if (!cut && !content->no_udp_checksum)
        put_checksum(frame, transport + sum_at, transport_checksum(frame, content, transport));
}

/* --- Packets --------------------------------------------------------------------------------- */

void pcapng_writer_frame(struct pcapng_writer *out, const struct pcapng_writer_frame *frame)
{
    const guint interface =
        number_of(out, &(struct written_interface){frame->interface, frame->link_type, frame->file,
                                                   frame->number});

    out->packets++;
    qs_write_u32(out->block, interface);
    qs_write_u32(out->block, (uint32_t)((uint64_t)frame->time >> 32));
    qs_write_u32(out->block, (uint32_t)frame->time);
    qs_write_u32(out->block, frame->bytes.size);
    qs_write_u32(out->block, frame->wire_size);
    qs_write_view(out->block, frame->bytes);
    pad(out->block);
    if (frame->comment.size) {
        add_option(out->block, PCAPNG_OPTION_COMMENT, frame->comment);
        add_option(out->block, PCAPNG_OPTION_END, (struct qs_view){0});
    }
    write_block(out, PCAPNG_PACKET);
}

uint64_t pcapng_writer_packets(const struct pcapng_writer *out)
{
    return out->packets;
}

void pcapng_writer_packet(struct pcapng_writer *out, int64_t time,
                          const struct frame_content *content)
{
    uint32_t headers;

    build_frame(out->frame, content);
    headers = out->frame->len - content->payload.size;
    pcapng_writer_frame(out, &(struct pcapng_writer_frame){
                                 .link_type = LINKTYPE_RAW,
                                 .time = time,
                                 .bytes = qs_view_of_bytes(out->frame),
                                 .wire_size = headers + content->wire_size,
                             });
}

/* --- End of the file ------------------------------------------------------------------------- */

char *pcapng_writer_commit(struct pcapng_writer *out, const char *name, bool overwrite)
{
    if (!g_hash_table_size(out->interfaces)) /* a file needs an interface, even without packets */
        number_of(out, &(struct written_interface){.link_type = LINKTYPE_RAW});
    return writer_commit(out->writer, name, overwrite);
}

void pcapng_writer_free(struct pcapng_writer *out)
{
    writer_free(out->writer);
    g_byte_array_free(out->block, TRUE);
    g_byte_array_free(out->frame, TRUE);
    g_hash_table_destroy(out->interfaces);
    g_free(out);
}
