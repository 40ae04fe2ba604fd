/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lends sign-ons between two clients of one server, of which one is heard from a later packet on.
 * Inputs are those of fuzz_decode, but for the second byte: so many packets the late one lacks. A
 * packet goes to both, or to one of them (FUZZ_LEND_*). Demos are counted, not written.
 */
#include <glib.h>
#include <stdlib.h>

#include "pcap2demo/sessions/sessions.h"
#include "tests/fuzz/fuzz.h"

enum { LENDER_PORT = 40000, LATE_PORT = 40001 };

static void feed(struct sessions *sessions, uint16_t server_port, const uint8_t *data, size_t size,
                 uint64_t lacking)
{
    struct fuzz_piece piece;
    uint64_t number = 0;
    size_t at = 2;

    while (fuzz_next(data, size, &at, &piece)) {
        struct qs_packet lender = fuzz_packet(&piece, server_port, LENDER_PORT, ++number);
        struct qs_packet late = fuzz_packet(&piece, server_port, LATE_PORT, number);

        if (!(piece.bits & FUZZ_LEND_LATE_ALONE))
            sessions_datagram(sessions, &lender);
        if (number > lacking && !(piece.bits & FUZZ_LEND_LENDER_ALONE))
            sessions_datagram(sessions, &late);
        g_free(piece.bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct session_options options = {.selection = fuzz_selection(), .may_wait = true};
    struct session_handler handler = {.want_rebuild = true};
    struct sessions *sessions;

    if (size < 2)
        return 0;
    options.chosen = g_array_new(FALSE, FALSE, sizeof(unsigned));
    sessions = sessions_new(&options, &handler);
    sessions_set_source(sessions, "input", "input");
    feed(sessions, (uint16_t)strtoul(fuzz_protocol(data[0])->ports, NULL, 10), data, size, data[1]);
    sessions_free(sessions, true);
    g_array_free(options.chosen, TRUE);
    return 0;
}
