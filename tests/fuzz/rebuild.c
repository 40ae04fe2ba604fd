/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rebuilds demos of a stream of packets between two addresses, from datagrams to the demo's bytes,
 * at which demo_check.h looks. Inputs are those of fuzz_decode, but for the second byte, a bit of
 * which asks for --sanitize.
 */
#include <glib.h>
#include <stdlib.h>

#include "common/sessions/sessions.h"
#include "pcap2demo/output/demo_files.h"
#include "tests/fuzz/demo_check.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate.h"

enum { CLIENT_PORT = 40000 };
enum { SANITIZE = 2 };

static void feed(struct qs_sessions *sessions, uint16_t server_port, const uint8_t *data,
                 size_t size, size_t at)
{
    struct fuzz_piece piece;
    uint64_t number = 0;

    while (fuzz_next(data, size, &at, &piece)) {
        struct qs_packet packet = fuzz_packet(&piece, server_port, CLIENT_PORT, ++number);

        qs_sessions_datagram(sessions, &packet);
        g_free(piece.bytes);
    }
}

const bool fuzz_mutate_pieces = true;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { HEADER = 2 };
    struct demo_check check;
    struct qs_sessions_options options;
    struct qs_sessions_handler handler = {
        .sink = &check.sink, .want_rebuild = true, .write_demos = true};
    struct qs_sessions *sessions;
    struct demo_files *files;
    char *error = NULL;

    if (size < HEADER)
        return 0;
    options = fuzz_session_options();
    options.demo.sanitize = data[1] & SANITIZE;
    files = demo_files_new(NULL, false, &error);
    options.store = demo_files_store(files);
    demo_check_start(&check, options.demo.sanitize);
    sessions = qs_sessions_new(&options, &handler);
    qs_sessions_set_source(sessions, "input", "input");
    feed(sessions, (uint16_t)strtoul(fuzz_protocol(data[0])->ports, NULL, 10), data, size, HEADER);
    qs_sessions_free(sessions, true);
    demo_check_end(&check);
    demo_files_free(files);
    fuzz_session_options_clear(&options);
    return 0;
}
