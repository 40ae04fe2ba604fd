/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inputs for messages that captures lack, made of the rows of made_messages.def. */
#ifndef TESTS_FUZZ_MADE_SEEDS_H
#define TESTS_FUZZ_MADE_SEEDS_H

#include <glib.h>
#include <stdbool.h>

#include "common/core/protocol.h"
#include "common/core/reader.h"

enum made_kind {
    MADE_SERVER,
    MADE_CLIENT,
    MADE_OOB_SERVER,    /* without a connection */
    MADE_BARE_CLIENT,   /* a whole packet */
    MADE_STREAM_SERVER, /* bytes of a TCP stream */
    MADE_STREAM_CLIENT,
    MADE_STREAM_LOST /* bytes of the server, behind a hole */
};
struct made_message {
    const char *sequence; /* the previous rows with the same name precede it; or NULL */
    const char *level;    /* variant of the session; for a stream, the protocol */
    enum made_kind kind;
    struct qs_view bytes;
    const char *fields; /* lines "name = value", "! note" */
};
extern const struct made_message made_messages[];
extern const unsigned made_message_count;

bool made_is_stream(const struct made_message *message);
bool made_is_from_server(const struct made_message *message);
/* Returns the first row of the message's sequence. */
const struct made_message *made_first(const struct made_message *message);

/*
 * Returns an input of fuzz_decode: the start of a level, and a packet for each row of the sequence
 * up to the message. For a stream, an input of fuzz_stream. The caller frees it.
 */
GByteArray *made_seed_of(const struct made_message *message);

#endif
