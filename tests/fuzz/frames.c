/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

#include "common/core/writer.h"

enum {
    FRAMES_MAX = 200,
    IPV4_SIZE = 20,
    UDP_SIZE = 8,
    TCP_SIZE = 20,
    TCP = 6,
    UDP = 17,
    CUT_MAX = 1000, /* bytes of a packet that the capture lacks */
    OTHER_PORT = 40000,
    CLIENT_PORT = 30000
};

/* What is counted on from frame to frame. */
struct making {
    const struct qs_protocol *protocol;
    GPtrArray *frames;
    uint32_t next[2][2]; /* sequence numbers, by client and sender */
};

struct ends {
    bool from_server;
    uint8_t client; /* which one */
    uint16_t server_port;
};

static void frame_free(gpointer data)
{
    struct fuzz_frame *frame = data;

    g_byte_array_free(frame->bytes, TRUE);
    g_free(frame);
}

/* --- Headers --- */

static void write_address(GByteArray *bytes, uint8_t host)
{
    qs_write_u32be(bytes, 0x0a000000u + host);
}

static void write_ipv4(GByteArray *bytes, const struct ends *ends, uint8_t protocol, uint32_t size)
{
    enum { SERVER = 1, CLIENT = 2, TTL = 64 };
    const uint8_t client = (uint8_t)(CLIENT + ends->client);

    qs_write_u16be(bytes, 0x4500);
    qs_write_u16be(bytes, (uint16_t)MIN(IPV4_SIZE + size, UINT16_MAX));
    qs_write_u32be(bytes, 0); /* not a fragment */
    qs_write_u8(bytes, TTL);
    qs_write_u8(bytes, protocol);
    qs_write_u16be(bytes, 0);
    write_address(bytes, ends->from_server ? SERVER : client);
    write_address(bytes, ends->from_server ? client : SERVER);
}

static void write_ports(GByteArray *bytes, const struct ends *ends)
{
    const uint16_t client = (uint16_t)(CLIENT_PORT + ends->client);

    qs_write_u16be(bytes, ends->from_server ? ends->server_port : client);
    qs_write_u16be(bytes, ends->from_server ? client : ends->server_port);
}

static void write_udp(GByteArray *bytes, const struct ends *ends, uint32_t size)
{
    write_ports(bytes, ends);
    qs_write_u16be(bytes, (uint16_t)MIN(UDP_SIZE + size, UINT16_MAX));
    qs_write_u16be(bytes, 0); /* no checksum */
}

static void write_tcp(GByteArray *bytes, const struct ends *ends, uint32_t sequence)
{
    enum { WORDS_AND_ACK = TCP_SIZE / 4 << 12 | 0x18, WINDOW = 0xffff };

    write_ports(bytes, ends);
    qs_write_u32be(bytes, sequence);
    qs_write_u32be(bytes, 1);
    qs_write_u16be(bytes, WORDS_AND_ACK);
    qs_write_u16be(bytes, WINDOW);
    qs_write_u32be(bytes, 0);
}

/* --- Pieces --- */

static struct ends ends_of(const struct making *making, uint8_t bits)
{
    const struct qs_protocol *protocol = making->protocol;
    const bool stream = bits & FUZZ_PLUGIN_STREAM;
    const char *ports = stream ? protocol->stream_ports : protocol->ports;
    const uint16_t port = ports ? (uint16_t)atoi(ports) : 0; /* the first of a list of ranges */

    return (struct ends){.from_server = bits & FUZZ_PACKET_FROM_SERVER,
                         .client = bits & FUZZ_PLUGIN_OTHER ? 1 : 0,
                         .server_port = bits & FUZZ_PACKET_PORTS_KNOWN && port ? port : OTHER_PORT};
}

static void write_headers(struct making *making, GByteArray *bytes, const struct fuzz_piece *piece)
{
    const struct ends ends = ends_of(making, piece->bits);
    uint32_t *next = &making->next[ends.client][ends.from_server];

    if (piece->bits & FUZZ_PLUGIN_STREAM) {
        write_ipv4(bytes, &ends, TCP, TCP_SIZE + piece->size);
        write_tcp(bytes, &ends, *next);
        *next += piece->size;
        return;
    }
    write_ipv4(bytes, &ends, UDP, UDP_SIZE + piece->size);
    write_udp(bytes, &ends, piece->size);
}

static void add_frame(struct making *making, const struct fuzz_piece *piece)
{
    struct fuzz_frame *frame = g_new0(struct fuzz_frame, 1);
    uint32_t cut = 0;

    frame->bytes = g_byte_array_new();
    write_headers(making, frame->bytes, piece);
    qs_write_view(frame->bytes, (struct qs_view){piece->bytes, piece->size});
    frame->wire_size = frame->bytes->len;
    if (piece->bits & FUZZ_PACKET_CUT)
        cut = MIN(piece->size / 2, CUT_MAX);
    g_byte_array_set_size(frame->bytes, frame->bytes->len - cut);
    frame->again = piece->bits & FUZZ_PLUGIN_AGAIN;
    g_ptr_array_add(making->frames, frame);
}

GPtrArray *fuzz_frames_new(const struct qs_protocol *protocol, const uint8_t *data, size_t size)
{
    struct making making = {.protocol = protocol,
                            .frames = g_ptr_array_new_with_free_func(frame_free)};
    struct fuzz_piece piece;
    size_t at = 2;

    while (making.frames->len < FRAMES_MAX && fuzz_next(data, size, &at, &piece)) {
        add_frame(&making, &piece);
        g_free(piece.bytes);
    }
    return making.frames;
}
