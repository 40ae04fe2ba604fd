/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/pcap_out.h"

#include "common/core/writer.h"

enum {
    IPV4_HEADER = 20,
    UDP_HEADER = 8,
    TCP_HEADER = 20,
    PROTOCOL_TCP = 6,
    PROTOCOL_UDP = 17,
    HOPS = 64
};

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
    return content->tcp || content->is_segment ? PROTOCOL_TCP : PROTOCOL_UDP;
}

/* Includes the transport header. */
static uint32_t transport_size(const struct frame_content *content)
{
    const uint32_t header = content->tcp ? TCP_HEADER : UDP_HEADER;

    return (content->is_segment ? 0 : header) + content->wire_size;
}

static void add_ipv4_header(GByteArray *frame, const struct frame_content *content)
{
    enum { VERSION_AND_LENGTH = 0x45, DONT_FRAGMENT = 0x4000, SUM_AT = 10 };

    qs_write_u8(frame, VERSION_AND_LENGTH);
    qs_write_u8(frame, 0);
    qs_write_u16be(frame, (uint16_t)(IPV4_HEADER + transport_size(content)));
    qs_write_u16be(frame, content->id);
    qs_write_u16be(frame, DONT_FRAGMENT);
    qs_write_u8(frame, HOPS);
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
    qs_write_u8(frame, HOPS);
    qs_write_view(frame, (struct qs_view){content->source->bytes, 16});
    qs_write_view(frame, (struct qs_view){content->destination->bytes, 16});
}

/* Returns the offset of the checksum in the UDP header. */
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

/* Covers the pseudo header (addresses, protocol, size) as well. In UDP, 0 means no checksum. */
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

void frame_build(GByteArray *frame, const struct frame_content *content)
{
    const bool cut = content->payload.size < content->wire_size;
    uint32_t transport, sum_at = 0;

    g_byte_array_set_size(frame, 0);
    if (content->source->family == 6)
        add_ipv6_header(frame, content);
    else
        add_ipv4_header(frame, content);
    transport = frame->len;
    if (!content->is_segment)
        sum_at = content->tcp ? add_tcp_header(frame, content) : add_udp_header(frame, content);
    qs_write_view(frame, content->payload);
    if (sum_at && !cut && !content->no_udp_checksum)
        put_checksum(frame, transport + sum_at, transport_checksum(frame, content, transport));
}
