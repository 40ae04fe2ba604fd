/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Passwords in a packet: a decoder's redactor finds them, and may hide them.
 *
 * A password is the value of a field with QS_ROLE_SECRET, or part of a text: the value of its key
 * in an info string ("\password\..."), the argument of a console variable or command ("rcon ...",
 * "setinfo password ..."), or the whole text after a text that is the key. So texts that may hold a
 * password need no field type of their own. Undecoded bytes are searched in the same way.
 *
 * Sources: the engines' commands and keys, as listed in secret.c.
 */
#ifndef QS_DUMP_SECRET_H
#define QS_DUMP_SECRET_H

#include <glib.h>
#include <stdbool.h>

#include "common/core/decoder.h"

/* Replaces a password in a text. In bytes, an asterisk replaces each byte. */
#define QS_SECRET_MASK "*****"

/*
 * Maximum number of passwords remembered per packet, to find them in parts of texts. If a packet
 * has more, all later texts are hidden completely.
 */
enum { QS_SECRET_SPANS_MAX = 32 };

struct qs_secret_word;

/* Several decoders may share a redactor if their decodes do not overlap. */
struct qs_secret_redactor {
    struct qs_redactor base;
    bool hide; /* true: the sink and the summary get asterisks; false: passwords are only found */
    unsigned count; /* passwords in the packet; valid until the next decode */

    /* Private to secret.c; state of the current packet. */
    struct qs_view spans[QS_SECRET_SPANS_MAX]; /* passwords in its bytes */
    unsigned span_count;
    bool too_many;                    /* it has more passwords */
    const struct qs_secret_word *key; /* the previous text, if it was a key; or NULL */
    GString *masked;
    struct qs_field mask; /* row of a hidden number: a text */
};

/* Prepares a redactor that counts passwords and reports them to the sink. Free it with
 * qs_secret_redactor_clear(). */
void qs_secret_redactor_init(struct qs_secret_redactor *redactor, bool hide);
void qs_secret_redactor_clear(struct qs_secret_redactor *redactor);

/*
 * Finds the next password in `text` at or after `*pos`, and moves `*pos` after it. Returns false if
 * there is none. `from_client`: some commands have a password only in texts of clients; in servers'
 * prints they are ordinary words.
 */
bool qs_secret_next(struct qs_view text, bool from_client, uint32_t *pos, struct qs_view *secret);

/* Returns the key or command if it is the whole text and a password follows it; otherwise NULL. */
const struct qs_secret_word *qs_secret_key(struct qs_view text);

/* Finds the password in the text that follows the key. Returns false if it has none. */
bool qs_secret_behind(const struct qs_secret_word *key, struct qs_view text,
                      struct qs_view *secret);

#endif
