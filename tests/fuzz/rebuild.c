/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rebuilds demos of the datagrams of one client. demo_check.h checks the demos.
 */
#include <glib.h>
#include <stdlib.h>

#include "tests/fuzz/demo_check.h"
#include "tests/fuzz/fuzz.h"

enum { CLIENT_PORT = 40000, HEADER = 2, SANITIZE = 2, SECOND = 1000000000 };

static void feed(struct qs_sessions *sessions, const struct qs_view *input)
{
    const uint16_t port = (uint16_t)strtoul(fuzz_protocol(input->data[0])->ports, NULL, 10);
    struct fuzz_piece piece;
    size_t at = HEADER;

    for (uint64_t number = 1; fuzz_next(input->data, input->size, &at, &piece); number++) {
        struct qs_packet packet = fuzz_packet(&piece, port, CLIENT_PORT, number);

        qs_sessions_datagram(sessions, &packet);
        if (piece.bits & FUZZ_REBUILD_WAIT)
            qs_sessions_expire(sessions, SECOND);
        g_free(piece.bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct fuzz_cost started = fuzz_begin();
    const struct qs_view input = {data, (uint32_t)size};
    struct demo_rebuild rebuild;

    if (size < HEADER)
        return 0;
    demo_rebuild_start(&rebuild, &(struct demo_rebuild_setup){.sanitize = data[1] & SANITIZE});
    feed(rebuild.sessions, &input);
    demo_rebuild_end(&rebuild);
    fuzz_check_cost(started, size);
    return 0;
}
