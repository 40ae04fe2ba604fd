/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lends sign-ons between two clients of one server, of which one is heard from a later packet on.
 * Inputs are those of fuzz_decode, but for the second byte: so many packets the late one lacks. A
 * packet goes to both, or to one of them (FUZZ_LEND_*). Demos are counted, not written.
 */
#include <glib.h>
#include <stdlib.h>

#include "common/sessions/sessions.h"
#include "tests/fuzz/fuzz.h"

enum { LENDER_PORT = 40000, LATE_PORT = 40001, WIRE_SIZE_MAX = 65507, PACKET_INTERVAL = 50000000 };

static struct qs_packet packet_of(const struct fuzz_piece *piece, uint16_t server_port,
                                  uint16_t client_port, uint64_t number)
{
    const struct qs_address client = {4, {10, 0, 0, 2}, client_port};
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
                 size_t size, uint64_t lacking)
{
    struct fuzz_piece piece;
    uint64_t number = 0;
    size_t at = 2;

    while (fuzz_next(data, size, &at, &piece)) {
        struct qs_packet lender = packet_of(&piece, server_port, LENDER_PORT, ++number);
        struct qs_packet late = packet_of(&piece, server_port, LATE_PORT, number);

        if (!(piece.bits & FUZZ_LEND_LATE_ALONE))
            qs_sessions_datagram(sessions, &lender);
        if (number > lacking && !(piece.bits & FUZZ_LEND_LENDER_ALONE))
            qs_sessions_datagram(sessions, &late);
        g_free(piece.bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct qs_sessions_options options = {.selection = fuzz_selection(), .may_wait = true};
    struct qs_sessions_handler handler = {.want_rebuild = true};
    struct qs_sessions *sessions;

    if (size < 2)
        return 0;
    options.chosen = g_array_new(FALSE, FALSE, sizeof(unsigned));
    sessions = qs_sessions_new(&options, &handler);
    qs_sessions_set_source(sessions, "input", "input");
    feed(sessions, (uint16_t)strtoul(fuzz_protocol(data[0])->ports, NULL, 10), data, size, data[1]);
    qs_sessions_free(sessions, true);
    g_array_free(options.chosen, TRUE);
    return 0;
}
