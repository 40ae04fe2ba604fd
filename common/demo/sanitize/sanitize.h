/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --sanitize: a stage between a rebuilder and the file of its demo.
 *
 * It decodes each block of the demo, as a player of demos will, and writes the messages that are on
 * the game's list (rules.h) and that decode to their end, with their texts written anew. All others
 * are left out and counted. A level whose beginning is left out is left out.
 */
#ifndef QS_DEMO_SANITIZE_H
#define QS_DEMO_SANITIZE_H

#include <glib.h>

#include "common/core/decode.h"
#include "common/demo/format.h"
#include "common/demo/writer.h"

struct qs_sanitizer;

struct qs_sanitizer *qs_sanitizer_new(const struct qs_demo_format *format);
void qs_sanitizer_free(struct qs_sanitizer *sanitizer); /* or NULL */

/* A demo begins. */
void qs_sanitizer_begin(struct qs_sanitizer *sanitizer);

/* Takes the next bytes of the demo, and writes to `out` the blocks that they complete. */
void qs_sanitizer_write(struct qs_sanitizer *sanitizer, struct qs_demo_writer *out,
                        struct qs_view bytes);

/* --- stufftext.c ------------------------------------------------------------------------------ */

/*
 * Filters the console commands that a server stuffs into its clients (svc_stufftext): those that a
 * demo must not have, and those that --sanitize leaves out.
 *
 * --sanitize keeps the commands of a list, written anew, so that every engine reads the same
 * command and no other. Engines differ in what ends a command and a word: `;`, CR, `//`, an escaped
 * quote, a quote that is never closed, a macro that is put in for `$`.
 */

/*
 * A command, and a letter for each argument: d a decimal number, n a whole one of 32 bits, p a
 * player's slot, c its entity (1 to 32), e an entity below 2048, w a word of letters, digits and
 * `_+-.`, f a file's name, t a text, i an info string. Those behind `?` may be missing; `*` ends
 * what repeats. What follows is dropped; a command with another argument is left out.
 */
struct command {
    const char *name; /* its words; a remark's begin with "//" */
    const char *arguments;
};

/* No engine that plays demos accepts a longer line; FTE has room for 32 models of //vwep. */
enum { COMMAND_LENGTH_MAX = 1000, COMMAND_ARGUMENTS_MAX = 32 };

struct stufftext {
    struct qs_demo_writer *out;   /* receives what was left out */
    uint8_t id;                   /* svc_stufftext of the game */
    const struct command *needed; /* what stays, with --sanitize; NULL: without */
    const char *const *never;     /* commands that never stay, whatever is needed; or NULL */
    GString *pending;
};

/* The lists end with NULL, or a name NULL. */
void stufftext_init(struct stufftext *stufftext, struct qs_demo_writer *out, uint8_t id,
                    const struct command *needed, const char *const *never);
void stufftext_clear(struct stufftext *stufftext);

/*
 * Appends to `out` the message (its id, the text, a NUL) with the commands that stay; nothing when
 * none does. With `needed` each has a message of its own. Commands end with a line feed, and
 * may be spread over messages: what has no end yet waits for it.
 */
void stufftext_filter(struct stufftext *stufftext, struct qs_view message, GByteArray *out);

#endif
