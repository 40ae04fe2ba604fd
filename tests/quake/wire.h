/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A conversation of Quake for tests: packets made and decoded, and the lines that they show. */
#ifndef TESTS_QUAKE_WIRE_H
#define TESTS_QUAKE_WIRE_H

#include <glib.h>

#include "common/core/decode.h"
#include "common/quake/constants.h"
#include "common/quake/session.h"
#include "tests/unit/text_listener.h"

struct wire {
    struct qs_decoder decoder;
    struct nq_session session;
    struct text_listener listener; /* of the last packet or block */
    GByteArray *packet;            /* bytes of the last packet, before the cut */
    uint64_t number;               /* number of the last packet, from 1 */
    uint32_t cut; /* number of bytes at the end of packets that the capture lacks */
    bool server_is_unknown;
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

/* Decodes messages of the server, which must be read to their end, without a problem. */
void wire_assert_reads(struct wire *wire, struct qs_view messages);
/* The same of messages of the client, in an unreliable packet of this number. */
void wire_assert_client_reads(struct wire *wire, uint32_t sequence, struct qs_view messages);

/* Lines of the last packet, in order. */
#define RECEIVED(...)                                                                              \
    text_listener_assert(&wire->listener, (const char *const[]){__VA_ARGS__, NULL})
#define NOT_RECEIVED(part) text_listener_assert_not(&wire->listener, part)
/* Messages of the server, or of the client in an unreliable packet of this number, which must be
 * read to their end without a problem. */
#define SERVER_SENDS(messages) wire_assert_reads(wire, VIEW(messages))
#define CLIENT_SENDS(sequence, messages) wire_assert_client_reads(wire, sequence, VIEW(messages))
/* Messages of the server, without a problem, and lines that they show. */
#define READS(messages, ...)                                                                       \
    do {                                                                                           \
        SERVER_SENDS(messages);                                                                    \
        RECEIVED(__VA_ARGS__);                                                                     \
    } while (0)

/* svc_serverinfo with two models, a sound and four players, in protocols of Quake, QuakeSpasm and
 * DarkPlaces, and the name of the first player. */
#define LISTS "\4\1Level\0maps/m.bsp\0progs/a.mdl\0\0s/1.wav\0\0\x0d\0bob\0"
#define SERVERINFO(low, high) "\x0b" low high "\0\0" LISTS
#define QUAKE SERVERINFO("\x0f", "\0")
#define FITZQUAKE SERVERINFO("\x9a", "\2")
#define RMQ(flags) "\x0b\xe7\3\0\0" flags "\0\0\0" LISTS
#define DP1 SERVERINFO("\x60", "\0")
#define DP2 SERVERINFO("\x61", "\0")
#define DP3 SERVERINFO("\xac", "\x0d")
#define DP4 SERVERINFO("\xad", "\x0d")
#define DP5 SERVERINFO("\xae", "\x0d")
#define DP6 SERVERINFO("\xaf", "\x0d")
#define DP7 SERVERINFO("\xb0", "\x0d")
#define DP8 SERVERINFO("\xb1", "\x0d")

/* A test of a `wire`. */
#define WIRE_TEST(function) TEST_WITH(function, struct wire, wire, wire_init, wire_clear)

#endif
