/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rebuilds demos of a stream of packets between two addresses, from datagrams to the demo's bytes;
 * they are counted, not written. Inputs are those of fuzz_decode, but for the second byte, a bit of
 * which asks for --sanitize.
 */
#include <glib.h>
#include <stdlib.h>

#include "common/sessions/sessions.h"
#include "tests/fuzz/fuzz.h"

enum { CLIENT_PORT = 40000, WIRE_SIZE_MAX = 65507, PACKET_INTERVAL = 50000000 };
enum { SANITIZE = 2 };

static struct qs_packet packet_of(const struct fuzz_piece *piece, uint16_t server_port,
                                  uint64_t number)
{
    const struct qs_address client = {4, {10, 0, 0, 2}, CLIENT_PORT};
    const struct qs_address server = {4, {10, 0, 0, 1}, server_port};
    const bool from_server = piece->bits & FUZZ_PACKET_FROM_SERVER;
    const bool cut = piece->bits & FUZZ_PACKET_CUT && piece->size < WIRE_SIZE_MAX;

    return (struct qs_packet){.data = piece->bytes,
                              .size = piece->size,
                              .wire_size = cut ? WIRE_SIZE_MAX : piece->size,
                              .number = number,
                              .time = (int64_t)number * PACKET_INTERVAL,
                              .source = from_server ? server : client,
                              .destination = from_server ? client : server};
}

static void feed(struct qs_sessions *sessions, uint16_t server_port, const uint8_t *data,
                 size_t size, size_t at)
{
    struct fuzz_piece piece;
    uint64_t number = 0;

    while (fuzz_next(data, size, &at, &piece)) {
        struct qs_packet packet = packet_of(&piece, server_port, ++number);

        qs_sessions_datagram(sessions, &packet);
        g_free(piece.bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { HEADER = 2 };
    struct qs_sessions_options options = {.selection = fuzz_selection()};
    struct qs_sessions_handler handler = {.want_rebuild = true};
    struct qs_sessions *sessions;

    if (size < HEADER)
        return 0;
    options.demo.sanitize = data[1] & SANITIZE;
    options.chosen = g_array_new(FALSE, FALSE, sizeof(unsigned));
    sessions = qs_sessions_new(&options, &handler);
    qs_sessions_set_source(sessions, "input", "input");
    feed(sessions, (uint16_t)strtoul(fuzz_protocol(data[0])->ports, NULL, 10), data, size, HEADER);
    qs_sessions_free(sessions, true);
    g_array_free(options.chosen, TRUE);
    return 0;
}
