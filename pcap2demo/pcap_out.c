/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/pcap_out.h"

#include "pcap2demo/bytes.h"
#include "pcap2demo/config.h"
#include "pcap2demo/writer.h"

enum {
    BLOCK_SECTION = 0x0a0d0d0a,
    BLOCK_INTERFACE = 1,
    BLOCK_PACKET = 6,
    OPTION_END = 0,
    OPTION_COMMENT = 1,
    OPTION_APPLICATION = 4,
    OPTION_TIME_RESOLUTION = 9,
    LINKTYPE_RAW = 101, /* IPv4 or IPv6, without anything before it */
    IP_HEADER = 20,
    UDP_HEADER = 8
};

struct pcap_out {
    struct writer *writer;
    GByteArray *block; /* scratch: the body of a block */
    GByteArray *frame; /* scratch */
    uint16_t id;       /* of the last IP packet */
};

/* --- Blocks ---------------------------------------------------------------------------------- */

static void pad(GByteArray *bytes)
{
    while (bytes->len % 4)
        bytes_u8(bytes, 0);
}

static void add_option(GByteArray *block, uint16_t code, struct qs_view value)
{
    bytes_u16(block, code);
    bytes_u16(block, (uint16_t)value.size);
    bytes_view(block, value);
    pad(block);
}

static struct qs_view text_view(const char *text)
{
    return (struct qs_view){(const uint8_t *)text, (uint32_t)MIN(strlen(text), UINT16_MAX)};
}

/* Type, length, body, and the length again. */
static void write_block(struct pcap_out *out, uint32_t type)
{
    const uint32_t length = out->block->len + 12;
    const uint32_t head[] = {GUINT32_TO_LE(type), GUINT32_TO_LE(length)};

    writer_add(out->writer, head, sizeof head);
    writer_add(out->writer, out->block->data, out->block->len);
    writer_add(out->writer, &head[1], sizeof head[1]);
    g_byte_array_set_size(out->block, 0);
}

static void write_section(struct pcap_out *out, const char *comment)
{
    bytes_u32(out->block, 0x1a2b3c4d); /* tells the byte order */
    bytes_u16(out->block, 1);          /* version 1.0 */
    bytes_u16(out->block, 0);
    bytes_u32(out->block, UINT32_MAX); /* the section's length is not said */
    bytes_u32(out->block, UINT32_MAX);
    add_option(out->block, OPTION_COMMENT, text_view(comment));
    add_option(out->block, OPTION_APPLICATION, text_view("pcap2demo " QUAKESHARK_VERSION));
    add_option(out->block, OPTION_END, (struct qs_view){0});
    write_block(out, BLOCK_SECTION);
}

static void write_interface(struct pcap_out *out)
{
    static const uint8_t nanoseconds = 9;

    bytes_u16(out->block, LINKTYPE_RAW);
    bytes_u16(out->block, 0);
    bytes_u32(out->block, 0); /* packets are not cut */
    add_option(out->block, OPTION_TIME_RESOLUTION, (struct qs_view){&nanoseconds, 1});
    add_option(out->block, OPTION_END, (struct qs_view){0});
    write_block(out, BLOCK_INTERFACE);
}

struct pcap_out *pcap_out_new(const char *folder, const char *comment)
{
    struct pcap_out *out = g_new0(struct pcap_out, 1);

    out->writer = writer_new(folder);
    out->block = g_byte_array_new();
    out->frame = g_byte_array_new();
    write_section(out, comment);
    write_interface(out);
    return out;
}

/* --- Packets --------------------------------------------------------------------------------- */

/* Source: RFC 1071. */
static uint16_t checksum(struct qs_view bytes)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < bytes.size; i += 2)
        sum += qs_be16(bytes.data + i);
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t) ~(sum + (sum >> 16));
}

static void add_ip_header(struct pcap_out *out, const struct qs_address *source,
                          const struct qs_address *destination, uint32_t size)
{
    enum { VERSION_AND_LENGTH = 0x45, DONT_FRAGMENT = 0x4000, HOPS = 64, UDP = 17, SUM_AT = 10 };
    GByteArray *frame = out->frame;
    uint16_t sum;

    bytes_u8(frame, VERSION_AND_LENGTH);
    bytes_u8(frame, 0);
    bytes_u16be(frame, (uint16_t)(IP_HEADER + UDP_HEADER + size));
    bytes_u16be(frame, ++out->id);
    bytes_u16be(frame, DONT_FRAGMENT);
    bytes_u8(frame, HOPS);
    bytes_u8(frame, UDP);
    bytes_u16be(frame, 0);
    bytes_view(frame, (struct qs_view){source->bytes, 4});
    bytes_view(frame, (struct qs_view){destination->bytes, 4});
    sum = checksum(bytes_all(frame));
    frame->data[SUM_AT] = (uint8_t)(sum >> 8);
    frame->data[SUM_AT + 1] = (uint8_t)sum;
}

static void add_udp_header(GByteArray *frame, uint16_t source, uint16_t destination, uint32_t size)
{
    bytes_u16be(frame, source);
    bytes_u16be(frame, destination);
    bytes_u16be(frame, (uint16_t)(UDP_HEADER + size));
    bytes_u16be(frame, 0); /* no checksum */
}

void pcap_out_datagram(struct pcap_out *out, int64_t time, const struct qs_address *source,
                       const struct qs_address *destination, struct qs_view payload)
{
    g_byte_array_set_size(out->frame, 0);
    add_ip_header(out, source, destination, payload.size);
    add_udp_header(out->frame, source->port, destination->port, payload.size);
    bytes_view(out->frame, payload);
    bytes_u32(out->block, 0); /* the interface's number */
    bytes_u32(out->block, (uint32_t)((uint64_t)time >> 32));
    bytes_u32(out->block, (uint32_t)time);
    bytes_u32(out->block, out->frame->len);
    bytes_u32(out->block, out->frame->len);
    bytes_view(out->block, bytes_all(out->frame));
    pad(out->block);
    write_block(out, BLOCK_PACKET);
}

/* --- The end --------------------------------------------------------------------------------- */

char *pcap_out_commit(struct pcap_out *out, const char *name, bool overwrite)
{
    return writer_commit(out->writer, name, overwrite);
}

void pcap_out_free(struct pcap_out *out)
{
    writer_free(out->writer);
    g_byte_array_free(out->block, TRUE);
    g_byte_array_free(out->frame, TRUE);
    g_free(out);
}
