/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/fuzz/made_capture.h"

#include "common/core/writer.h"
#include "pcap2demo/capture/link.h"
#include "tests/fuzz/fuzz.h"

enum { IP_HEADER = 20, UDP_HEADER = 8, CLIENT_PORT = 40000, INTERVAL_US = 50000 };

/* A pcap file of IP packets (LINKTYPE_RAW). */
static void add_file_header(GByteArray *file)
{
    enum { SNAPLEN = 65535 };

    qs_write_u32(file, 0xa1b2c3d4);
    qs_write_u16(file, 2);
    qs_write_u16(file, 4);
    qs_write_u32(file, 0);
    qs_write_u32(file, 0);
    qs_write_u32(file, SNAPLEN);
    qs_write_u32(file, LINKTYPE_RAW);
}

static void add_record_header(GByteArray *file, uint32_t number, uint32_t size)
{
    const uint64_t time = (uint64_t)number * INTERVAL_US;

    qs_write_u32(file, (uint32_t)(time / 1000000));
    qs_write_u32(file, (uint32_t)(time % 1000000));
    qs_write_u32(file, size);
    qs_write_u32(file, size);
}

/* Without checksums, as where a network card computes them. */
static void add_ip_header(GByteArray *file, bool from_server, uint32_t size)
{
    enum { SERVER = 0x0a000001, CLIENT = 0x0a000002, TTL = 64, UDP = 17 };

    qs_write_u16be(file, 0x4500);
    qs_write_u16be(file, (uint16_t)size);
    qs_write_u32be(file, 0);
    qs_write_u16be(file, TTL << 8 | UDP);
    qs_write_u16be(file, 0);
    qs_write_u32be(file, from_server ? SERVER : CLIENT);
    qs_write_u32be(file, from_server ? CLIENT : SERVER);
}

static void add_datagram(GByteArray *file, const struct fuzz_piece *piece, uint16_t server,
                         uint16_t client)
{
    const bool from_server = piece->bits & FUZZ_PACKET_FROM_SERVER;

    add_ip_header(file, from_server, IP_HEADER + UDP_HEADER + piece->size);
    qs_write_u16be(file, from_server ? server : client);
    qs_write_u16be(file, from_server ? client : server);
    qs_write_u16be(file, (uint16_t)(UDP_HEADER + piece->size));
    qs_write_u16be(file, 0);
    qs_write_view(file, (struct qs_view){piece->bytes, piece->size});
}

GByteArray *made_capture_of(const GByteArray *seed, uint16_t server_port, unsigned clients)
{
    GByteArray *file = g_byte_array_new();
    uint32_t number = 0;

    add_file_header(file);
    for (unsigned i = 0; i < clients; i++) {
        struct fuzz_piece piece;
        size_t at = 2;

        while (fuzz_next(seed->data, seed->len, &at, &piece)) {
            add_record_header(file, ++number, IP_HEADER + UDP_HEADER + piece.size);
            add_datagram(file, &piece, server_port, (uint16_t)(CLIENT_PORT + i));
            g_free(piece.bytes);
        }
    }
    return file;
}
