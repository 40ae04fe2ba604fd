/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Passwords that a packet carries: a decoder's redactor finds them, and may hide them.
 *
 * A password is the value of a row SECRET, or stands in a text: behind its key in an info string
 * ("\password\..."), behind a console variable or command that has one ("rcon ...",
 * "setinfo password ..."), or alone in the text that follows one with the key. So a text that may
 * hold one needs no row of its own kind. Undecoded bytes are searched in the same way.
 *
 * Sources: the engines' commands and keys, as the table in secret.c names them.
 */
#ifndef QS_DUMP_SECRET_H
#define QS_DUMP_SECRET_H

#include <glib.h>
#include <stdbool.h>

#include "common/core/decoder.h"

/* Stands for a password that is hidden in a text. Bytes have an asterisk for each byte. */
#define QS_SECRET_MASK "*****"

/*
 * Maximum number of a packet's passwords that are remembered, to find them in parts of texts. If
 * there are more, all later texts are hidden completely.
 */
enum { QS_SECRET_SPANS_MAX = 32 };

struct qs_secret_word;

/* Several decoders may share one if their decodes do not overlap. */
struct qs_secret_redactor {
    struct qs_redactor base;
    bool hide;      /* gives asterisks to the sink and the summary; else passwords are only found */
    unsigned count; /* of the packet; valid until the next decode */

    /* For secret.c, of the packet. */
    struct qs_view spans[QS_SECRET_SPANS_MAX]; /* in its bytes */
    unsigned span_count;
    bool too_many;                    /* there are more spans */
    const struct qs_secret_word *key; /* the text before was this; or NULL */
    GString *masked;
    struct qs_field mask; /* the row of a number that is hidden: a text */
};

/* Counts the passwords and reports them to the sink. */
void qs_secret_redactor_init(struct qs_secret_redactor *redactor, bool hide);
void qs_secret_redactor_clear(struct qs_secret_redactor *redactor);

/*
 * The next password in `text` at or after `*pos`, which moves behind it; the empty view where there
 * is none. `from_client`: some commands have a password only there, and are words of servers'
 * prints.
 */
bool qs_secret_next(struct qs_view text, bool from_client, uint32_t *pos, struct qs_view *secret);

/* The text is nothing but a key or command that a password follows; NULL: it is not. */
const struct qs_secret_word *qs_secret_key(struct qs_view text);

/* The password in the text that follows the key; false if it has none. */
bool qs_secret_behind(const struct qs_secret_word *key, struct qs_view text,
                      struct qs_view *secret);

#endif
