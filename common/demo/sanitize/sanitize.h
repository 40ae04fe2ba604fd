/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --sanitize: a stage between a rebuilder and its demo file.
 *
 * It decodes each block of the demo, as an engine would, and writes the messages that are on the
 * game's list (rules.h) and decode to their end, with their texts rewritten. All others are left
 * out and counted. If the start of a level is left out, the whole level is.
 */
#ifndef QS_DEMO_SANITIZE_H
#define QS_DEMO_SANITIZE_H

#include <glib.h>

#include "common/core/decode.h"
#include "common/demo/format.h"
#include "common/demo/writer.h"

struct qs_sanitizer;

struct qs_sanitizer *qs_sanitizer_new(const struct qs_demo_format *format);
void qs_sanitizer_free(struct qs_sanitizer *sanitizer); /* NULL is allowed */

/* Starts a new demo. Must be called before the first qs_sanitizer_write(). */
void qs_sanitizer_begin(struct qs_sanitizer *sanitizer);

/* Adds the next bytes of the demo, and writes the blocks that they complete to `out`. */
void qs_sanitizer_write(struct qs_sanitizer *sanitizer, struct qs_demo_writer *out,
                        struct qs_view bytes);

/* --- stufftext.c ------------------------------------------------------------------------------ */

/*
 * Filters the console commands that a server sends to its clients (svc_stufftext): removes those
 * that a demo must not have, and, with --sanitize, all that are not needed.
 *
 * --sanitize keeps only the commands of a list, and rewrites them so that every engine reads the
 * same command and no other. Engines differ in what ends a command or a word: `;`, CR, `//`, an
 * escaped quote, an unclosed quote, a macro after `$`.
 */

/*
 * A command that stays, and a letter for each argument: d a decimal number, n a 32-bit integer, p a
 * player slot, c its entity (1 to 32), e an entity below 2048, w a word of letters, digits and
 * `_+-.`, f a file name, t a text, i an info string. Those after `?` are optional; `*` ends a part
 * that repeats. Further arguments are dropped; a command with another kind of argument is left out.
 */
struct qs_needed_command {
    const char *name; /* one or more words; those of remarks begin with "//" */
    const char *arguments;
};

/* No engine that plays demos accepts longer lines; FTE has room for 32 models of //vwep. */
enum { QS_STUFFTEXT_LENGTH_MAX = 1000, QS_STUFFTEXT_ARGUMENTS_MAX = 32 };

struct qs_stufftext {
    struct qs_demo_writer *out;             /* receives reports of what was left out */
    uint8_t id;                             /* number of the game's svc_stufftext */
    const struct qs_needed_command *needed; /* those that stay with --sanitize; NULL: without it */
    const char *const *never;               /* commands that are always removed; or NULL */
    GString *pending;                       /* start of a line without its end yet; with `needed` */
};

/* Exactly one of `needed` and `never` is set. They end with an element whose name is NULL, or with
 * NULL. `out` may be set later. */
void qs_stufftext_init(struct qs_stufftext *stufftext, struct qs_demo_writer *out, uint8_t id,
                       const struct qs_needed_command *needed, const char *const *never);
void qs_stufftext_clear(struct qs_stufftext *stufftext);

/*
 * Appends the message (its id, the text, a NUL) with the commands that stay, or nothing if none
 * does. With `needed`, each command gets a message of its own, and only whole lines are read: the
 * start of a line waits for messages with the rest.
 */
void qs_stufftext_filter(struct qs_stufftext *stufftext, struct qs_view message, GByteArray *out);

#endif
