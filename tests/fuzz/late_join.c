/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two clients of one server, one of which the capture joins late: the other one, or a demo that is
 * rebuilt of its packets (--sign-on), is the donor of the sign-on. A packet belongs to both
 * clients, or to one of them (FUZZ_LATE_JOIN_*). demo_check.h checks the demos.
 */
#include <glib.h>
#include <stdlib.h>

#include "common/sessions/late_join.h"
#include "tests/fuzz/demo_check.h"
#include "tests/fuzz/fuzz.h"

enum { DONOR_PORT = 40000, LATE_PORT = 40001 };

enum { LACKING = 0x3f, DEMO = 0x40, SANITIZE = 0x80 };

struct input {
    const uint8_t *data;
    size_t size;
    uint16_t server_port;
};

/* True if the client at this port receives the packet, and the capture has it. */
static bool is_received(const struct input *input, const struct fuzz_piece *piece, uint64_t number,
                        uint16_t client)
{
    if (client == DONOR_PORT)
        return !(piece->bits & FUZZ_LATE_JOIN_LATE_ONLY);
    return number > (input->data[1] & LACKING) && !(piece->bits & FUZZ_LATE_JOIN_DONOR_ONLY);
}

static void feed(struct qs_sessions *sessions, const struct input *input, bool donor, bool late)
{
    const uint16_t clients[] = {donor ? DONOR_PORT : 0, late ? LATE_PORT : 0};
    struct fuzz_piece piece;
    uint64_t number = 0;
    size_t at = 2;

    while (fuzz_next(input->data, input->size, &at, &piece)) {
        number++;
        for (size_t i = 0; i < G_N_ELEMENTS(clients); i++) {
            struct qs_packet packet = fuzz_packet(&piece, input->server_port, clients[i], number);

            if (clients[i] && is_received(input, &piece, number, clients[i]))
                qs_sessions_datagram(sessions, &packet);
        }
        g_free(piece.bytes);
    }
}

static void join_with_session(const struct input *input, bool sanitize)
{
    struct demo_rebuild rebuild;

    demo_rebuild_start(&rebuild, &(struct demo_rebuild_setup){.sanitize = sanitize});
    feed(rebuild.sessions, input, true, true);
    demo_rebuild_end(&rebuild);
}

static void join_with_demo(const struct input *input, bool sanitize)
{
    g_autoptr(GPtrArray) demos = qs_donor_demos_new();
    struct demo_rebuild rebuild;

    demo_rebuild_start(&rebuild, &(struct demo_rebuild_setup){.donors = demos});
    feed(rebuild.sessions, input, true, false);
    demo_rebuild_end(&rebuild);
    demo_rebuild_start(&rebuild,
                       &(struct demo_rebuild_setup){.sanitize = sanitize, .donated_by = demos});
    feed(rebuild.sessions, input, false, true);
    demo_rebuild_end(&rebuild);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct fuzz_cost started = fuzz_begin();
    struct input input = {data, size, 0};

    if (size < 2)
        return 0;
    input.server_port = (uint16_t)strtoul(fuzz_protocol(data[0])->ports, NULL, 10);
    (data[1] & DEMO ? join_with_demo : join_with_session)(&input, data[1] & SANITIZE);
    fuzz_check_cost(started, size);
    return 0;
}
