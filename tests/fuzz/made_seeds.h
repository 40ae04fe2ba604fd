/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Seeds that are made, for messages that captures lack. */
#ifndef TESTS_FUZZ_MADE_SEEDS_H
#define TESTS_FUZZ_MADE_SEEDS_H

#include <glib.h>

#include "common/core/reader.h"

/* Messages of known content: the rows of made_messages.def. */
enum made_kind { MADE_SERVER, MADE_CLIENT, MADE_OOB_SERVER, MADE_OOB_CLIENT };
struct made_message {
    const char *level; /* the session that it stands in */
    enum made_kind kind;
    struct qs_view bytes;
    const char *fields; /* lines "name = value" */
};
extern const struct made_message made_messages[];
extern const unsigned made_message_count;

/* An input of fuzz_decode: the session's beginning, then a packet with the message. Free it. */
GByteArray *made_seed_of(const struct made_message *message);

/* Writes fuzz_decode's made seeds into the folder. */
void made_seeds_write(const char *folder);

#endif
