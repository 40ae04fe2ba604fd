/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Console commands as --sanitize keeps them: those of a list, written anew, so that every engine
 * reads the same command and no other. Engines differ in what ends a command and a word: `;`, CR,
 * `//`, an escaped quote, a quote that is never closed, a macro that is put in for `$`.
 */
#ifndef QS_DEMO_SANITIZE_COMMANDS_H
#define QS_DEMO_SANITIZE_COMMANDS_H

#include <glib.h>

#include "common/core/reader.h"

/* What may follow a command's name. Everything else is left out, with the command where it needs
 * it. */
enum command_arguments {
    COMMAND_ALONE, /* nothing */
    COMMAND_WORDS, /* words of letters, digits and `_+-./` */
    COMMAND_INFO,  /* an info string in quotes */
    COMMAND_REMARK /* what clients read out of a comment: printable, without `;`, `$` and `\` */
};

struct command {
    const char *name; /* of a remark: "//" and its first word */
    enum command_arguments arguments;
};

/* No engine that plays demos accepts a longer line. */
enum { COMMAND_LENGTH_MAX = 1000 };

/*
 * Appends `text`, a command without its end, as it may stay, and a line feed. False, with nothing
 * appended, where the list does not have it or its arguments are not as they must be. A list ends
 * with a name NULL.
 */
bool command_append(const struct command *list, struct qs_view text, GByteArray *out);

#endif
