/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lends sign-ons between two clients of one server, of which one is heard from a later packet on.
 * Inputs are those of fuzz_decode, but for the second byte: so many packets the late one lacks;
 * its upper bit asks for --sanitize. A packet goes to both, or to one of them (FUZZ_LEND_*).
 * demo_check.h looks at the demos.
 */
#include <glib.h>
#include <stdlib.h>

#include "tests/fuzz/demo_check.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate.h"

enum { LENDER_PORT = 40000, LATE_PORT = 40001 };

static void feed(struct qs_sessions *sessions, uint16_t server_port, const uint8_t *data,
                 size_t size, uint64_t lacking)
{
    struct fuzz_piece piece;
    uint64_t number = 0;
    size_t at = 2;

    while (fuzz_next(data, size, &at, &piece)) {
        struct qs_packet lender = fuzz_packet(&piece, server_port, LENDER_PORT, ++number);
        struct qs_packet late = fuzz_packet(&piece, server_port, LATE_PORT, number);

        if (!(piece.bits & FUZZ_LEND_LATE_ALONE))
            qs_sessions_datagram(sessions, &lender);
        if (number > lacking && !(piece.bits & FUZZ_LEND_LENDER_ALONE))
            qs_sessions_datagram(sessions, &late);
        g_free(piece.bytes);
    }
}

const bool fuzz_mutate_pieces = true;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { SANITIZE = 0x80 };
    struct demo_rebuild rebuild;

    if (size < 2)
        return 0;
    demo_rebuild_start(&rebuild, data[1] & SANITIZE, true);
    feed(rebuild.sessions, (uint16_t)strtoul(fuzz_protocol(data[0])->ports, NULL, 10), data, size,
         data[1] & (SANITIZE - 1));
    demo_rebuild_end(&rebuild);
    return 0;
}
