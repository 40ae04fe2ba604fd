/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Demo files as input. */
#ifndef QS_SESSIONS_DEMO_INPUT_H
#define QS_SESSIONS_DEMO_INPUT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/demo/format.h"

/* Maximum size of a file, which is held in memory as a whole (bytes). */
enum { QS_DEMO_INPUT_MAX = 256 * 1024 * 1024 };

/* A demo file that is open. Read-only for callers. */
struct qs_demo_input {
    struct qs_demo_reader reader; /* format, and number of the last block read */
    char *name;                   /* name for messages */
    char *error;                  /* error and its offset, for messages; NULL if none */
    GByteArray *bytes;
    char *load_problem; /* why `bytes` is not the whole file, or NULL */
};

/*
 * Opens a demo file. Takes over both results of source_load(), `bytes` and `problem`. `name` is the
 * user's name for it, "-" for standard input. Its content decides the format, or else its name.
 * Returns NULL if it is no demo; then frees both and sets `*error` to a new text.
 */
struct qs_demo_input *qs_demo_input_open(GByteArray *bytes, char *problem, const char *name,
                                         char **error);
void qs_demo_input_close(struct qs_demo_input *input);

/* Returns the index of its protocol in qs_protocols[]. */
int qs_demo_input_protocol(const struct qs_demo_input *input);

/* Reads the next block. False at the end, or if the rest is damaged: see `error`. */
bool qs_demo_input_next(struct qs_demo_input *input, struct qs_demo_block *block);

#endif
