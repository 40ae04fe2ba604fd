/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A conversation of Quake for tests: packets made and decoded, what was received as a text dump. */
#ifndef TESTS_QUAKE_WIRE_H
#define TESTS_QUAKE_WIRE_H

#include <glib.h>

#include "common/core/decode.h"
#include "common/quake/constants.h"
#include "common/quake/session.h"
#include "tests/unit/unit.h"

struct wire {
    struct qs_decoder decoder;
    struct nq_session session;
    GByteArray *packet; /* the last one, as it was sent */
    GString *dump;      /* the fields of the last one, a line each, without packet numbers */
    uint64_t number;    /* of the last one, from 1 */
    uint32_t cut;       /* bytes at the end of packets that the capture lacks */
    bool nameless;      /* the decoder is not told who is the server */
};

void wire_init(struct wire *wire);
void wire_clear(struct wire *wire);

/* Decodes a packet as it is, sent by the server's or the client's end; A is the client. */
void wire_packet(struct wire *wire, enum qs_direction direction, struct qs_view bytes);

/* The same with a header before `payload`. */
void wire_send(struct wire *wire, enum qs_direction direction, uint32_t flags, uint32_t sequence,
               struct qs_view payload);

/* Decodes messages of the server as a demo's block. */
void wire_block(struct wire *wire, struct qs_view messages);

/* Whether the dump has the line "OFFSET+LENGTH text", or any line that ends in `text` after those.
 */
bool wire_received(const struct wire *wire, const char *text);

/* Decodes messages of the server, which must be read to their end, without a problem. */
void wire_assert_reads(struct wire *wire, struct qs_view messages);
/* The same of messages of the client, in an unreliable packet of this number. */
void wire_assert_client_reads(struct wire *wire, uint32_t sequence, struct qs_view messages);
void wire_assert_received(const struct wire *wire, const char *const *texts);
#define RECEIVED(...) wire_assert_received(wire, (const char *const[]){__VA_ARGS__, NULL})
/* Messages of the server, which must be read to their end, without a problem, and what is received.
 */
#define READS(messages, ...)                                                                       \
    do {                                                                                           \
        wire_assert_reads(wire, VIEW(messages));                                                   \
        RECEIVED(__VA_ARGS__);                                                                     \
    } while (0)

/* A test of a `wire`. */
#define WIRE_TEST(function) TEST_WITH(function, struct wire, wire, wire_init, wire_clear)

#endif
