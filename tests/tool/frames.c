/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/tool/frames.h"

void append_hex(GByteArray *bytes, const char *digits)
{
    for (; *digits; digits++) {
        if (*digits == ' ')
            continue;
        const uint8_t byte =
            (uint8_t)(g_ascii_xdigit_value(digits[0]) << 4 | g_ascii_xdigit_value(digits[1]));

        g_byte_array_append(bytes, &byte, 1);
        digits++;
    }
}

static void append_be16(GByteArray *bytes, unsigned value)
{
    const uint8_t two[2] = {(uint8_t)(value >> 8), (uint8_t)value};

    g_byte_array_append(bytes, two, 2);
}

GByteArray *udp_datagram(uint16_t source, uint16_t destination, uint32_t size)
{
    GByteArray *udp = g_byte_array_new();

    append_be16(udp, source);
    append_be16(udp, destination);
    append_be16(udp, size + 8);
    append_hex(udp, "bad0"); /* the checksum, which nobody looks at */
    for (uint32_t i = 0; i < size; i++) {
        const uint8_t byte = (uint8_t)(i % 251);

        g_byte_array_append(udp, &byte, 1);
    }
    return udp;
}

GByteArray *ipv4_packet(const GByteArray *datagram, struct ipv4_part part)
{
    GByteArray *packet = g_byte_array_new();

    append_hex(packet, "45 00");
    append_be16(packet, 20u + part.size);
    append_be16(packet, part.id);
    append_be16(packet, (part.more ? 0x2000u : 0u) | part.offset / 8u);
    append_hex(packet, "40 11 bad0 0a000001 0a000002");
    g_byte_array_append(packet, datagram->data + part.offset, part.size);
    return packet;
}

GByteArray *ipv4_whole(const GByteArray *datagram)
{
    return ipv4_packet(datagram, (struct ipv4_part){.size = (uint16_t)datagram->len});
}

GByteArray *ipv6_packet(uint8_t next_header, const GByteArray *payload)
{
    GByteArray *packet = g_byte_array_new();

    append_hex(packet, "60000000");
    append_be16(packet, payload->len);
    g_byte_array_append(packet, &next_header, 1);
    append_hex(packet, "40 fd000000000000000000000000000001 fd000000000000000000000000000002");
    g_byte_array_append(packet, payload->data, payload->len);
    return packet;
}

GByteArray *ipv6_fragment(const GByteArray *datagram, struct ipv4_part part)
{
    GByteArray *payload = g_byte_array_new();

    append_hex(payload, "11 00");
    append_be16(payload, part.offset | (part.more ? 1u : 0u));
    append_be16(payload, 0);
    append_be16(payload, part.id);
    g_byte_array_append(payload, datagram->data + part.offset, part.size);
    return payload;
}

struct qs_packet frame_of(const GByteArray *bytes)
{
    return (struct qs_packet){.data = bytes->data, .size = bytes->len, .wire_size = bytes->len};
}

FILE *file_of(const GByteArray *bytes)
{
    FILE *file = tmpfile();

    assert_non_null(file);
    assert_int_equal(fwrite(bytes->data, 1, bytes->len, file), bytes->len);
    rewind(file);
    return file;
}
