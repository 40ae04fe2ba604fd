/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Seeds that are made, for messages that captures lack. */
#ifndef TESTS_FUZZ_MADE_SEEDS_H
#define TESTS_FUZZ_MADE_SEEDS_H

#include <glib.h>
#include <stdbool.h>

#include "common/core/protocol.h"
#include "common/core/reader.h"

/* Messages of known content: the rows of made_messages.def. */
enum made_kind {
    MADE_SERVER,
    MADE_CLIENT,
    MADE_OOB_SERVER, /* without a connection */
    MADE_OOB_CLIENT,
    MADE_BARE_CLIENT,   /* a whole packet */
    MADE_STREAM_SERVER, /* bytes of a TCP stream */
    MADE_STREAM_CLIENT,
    MADE_STREAM_LOST /* the server's, behind some that were not captured */
};
struct made_message {
    const char *sequence; /* the rows before it of the same name come first; or NULL */
    const char *level;    /* the session that it stands in; a stream's protocol */
    enum made_kind kind;
    struct qs_view bytes;
    const char *fields; /* lines "name = value", "! note" */
};
extern const struct made_message made_messages[];
extern const unsigned made_message_count;

bool made_is_stream(const struct made_message *message);
bool made_is_from_server(const struct made_message *message);
/* The row that the message's sequence begins with. */
const struct made_message *made_first(const struct made_message *message);

/*
 * An input of fuzz_decode: the session's beginning, then the message, a packet for each row of its
 * sequence. Of a stream: an input of fuzz_stream. Free it.
 */
GByteArray *made_seed_of(const struct made_message *message);

#endif
