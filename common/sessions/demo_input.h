/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Demo files as input. */
#ifndef QS_SESSIONS_DEMO_INPUT_H
#define QS_SESSIONS_DEMO_INPUT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/demo/format.h"

/* A file is held in memory as a whole: at most so many bytes. */
enum { QS_DEMO_INPUT_MAX = 256 * 1024 * 1024 };

/* For reading only. */
struct qs_demo_input {
    struct qs_demo_reader reader; /* its format, and the number of the block that was read last */
    char *name;                   /* for messages */
    char *error;                  /* what is wrong and where, for a message; NULL: nothing so far */
    GByteArray *bytes;
    char *load_problem; /* why `bytes` is not all of the file, or NULL */
};

/*
 * Takes over a file and what source_load() reported of it. `name` is what the user calls it, "-"
 * for standard input. Its content decides which format it is, and its name only where that leaves a
 * doubt. NULL where it is no demo; then `*error` is a new text.
 */
struct qs_demo_input *qs_demo_input_open(GByteArray *bytes, char *problem, const char *name,
                                         char **error);
void qs_demo_input_close(struct qs_demo_input *input);

/* The number of its protocol in qs_protocols[]. */
int qs_demo_input_protocol(const struct qs_demo_input *input);

/* The next block. False: there is none, or what follows is damaged; see `error`. */
bool qs_demo_input_next(struct qs_demo_input *input, struct qs_demo_block *block);

#endif
