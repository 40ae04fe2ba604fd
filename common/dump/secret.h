/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Passwords in packets: a redactor of the decoder, which finds them and may hide them.
 *
 * A password is the value of a row SECRET or part of a text: after its key in an info string
 * ("\password\..."), after a console variable or command ("rcon ...", "setinfo password ..."), or
 * the whole text after a text with the key. So texts that may contain a password need no row of
 * their own kind. Undecoded bytes are searched in the same way.
 *
 * Sources: the engines' commands and keys, listed at the table in secret.c.
 */
#ifndef QS_DUMP_SECRET_H
#define QS_DUMP_SECRET_H

#include <glib.h>
#include <stdbool.h>

#include "common/core/decoder.h"

/* Replaces a password in a text. In bytes, an asterisk replaces each byte. */
#define QS_SECRET_MASK "*****"

/*
 * Maximum number of passwords of a packet that are remembered, to find them in parts of texts. If
 * there are more, all later texts are hidden completely.
 */
enum { QS_SECRET_SPANS_MAX = 32 };

struct qs_secret_word;

/* Redactor. Several decoders may share one if their decodes do not overlap. */
struct qs_secret_redactor {
    struct qs_redactor base;
    bool hide; /* true: hides passwords from the sink and the summary; false: only finds them */
    unsigned count; /* number of passwords in the packet; valid until the next decode */

    /* Private to secret.c: state of the current packet. */
    struct qs_view spans[QS_SECRET_SPANS_MAX]; /* passwords in its bytes */
    unsigned span_count;
    bool too_many;                    /* there are more than `spans` holds */
    const struct qs_secret_word *key; /* key that was the previous text; or NULL */
    GString *masked;
    struct qs_field mask; /* row of a hidden number, as a text */
};

/* Initializes a redactor, which counts passwords and reports them to the sink (qs_sink.secret).
 * qs_secret_redactor_clear() frees its memory. */
void qs_secret_redactor_init(struct qs_secret_redactor *redactor, bool hide);
void qs_secret_redactor_clear(struct qs_secret_redactor *redactor);

/*
 * Finds the next password in `text` at or after `*pos`, and moves `*pos` past it. Returns false if
 * there is none. `from_client`: also finds commands with a password, which are plain words in
 * servers' texts.
 */
bool qs_secret_next(struct qs_view text, bool from_client, uint32_t *pos, struct qs_view *secret);

#endif
