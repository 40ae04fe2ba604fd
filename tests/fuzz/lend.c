/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lends sign-ons between two clients of one server, of which one is heard from a later packet on.
 * Inputs are those of fuzz_decode, but for the second byte: so many packets the late one lacks;
 * its upper bit asks for --sanitize. A packet goes to both, or to one of them (FUZZ_LEND_*).
 * demo_check.h looks at the demos.
 */
#include <glib.h>
#include <stdlib.h>

#include "common/sessions/sessions.h"
#include "pcap2demo/output/demo_files.h"
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
    struct demo_check check;
    struct qs_sessions_options options;
    struct qs_sessions_handler handler = {
        .sink = &check.sink, .want_rebuild = true, .write_demos = true};
    struct qs_sessions *sessions;
    struct demo_files *files;
    char *error = NULL;

    if (size < 2)
        return 0;
    options = fuzz_session_options();
    options.may_wait = true;
    options.demo.sanitize = data[1] & SANITIZE;
    files = demo_files_new(NULL, false, &error);
    options.store = demo_files_store(files);
    demo_check_start(&check, options.demo.sanitize);
    sessions = qs_sessions_new(&options, &handler);
    qs_sessions_set_source(sessions, "input", "input");
    feed(sessions, (uint16_t)strtoul(fuzz_protocol(data[0])->ports, NULL, 10), data, size,
         data[1] & (SANITIZE - 1));
    qs_sessions_free(sessions, true);
    demo_check_end(&check);
    demo_files_free(files);
    fuzz_session_options_clear(&options);
    return 0;
}
