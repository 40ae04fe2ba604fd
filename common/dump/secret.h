/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Passwords that a packet carries.
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

#include "common/core/field.h"
#include "common/core/reader.h"

/* Engines' names are shorter; UTF-8 has up to four bytes a character. */
enum { QS_SECRET_CHARACTERS = 31, QS_SECRET_USER_MAX = 4 * QS_SECRET_CHARACTERS + 1 };

struct qs_secret {
    unsigned row;                  /* the field that has it */
    const char *purpose;           /* "rcon" */
    char user[QS_SECRET_USER_MAX]; /* UTF-8; empty: none is told, or no engine's */
};

/* What a decoder does about passwords. */
enum qs_secrets_mode {
    QS_SECRETS_SHOWN,  /* nothing */
    QS_SECRETS_FOUND,  /* counts them, and tells the sink where they are */
    QS_SECRETS_HIDDEN, /* the same, and gives asterisks to the sink and the summary */
};

/* A text in which a password is hidden has this for it. Bytes have an asterisk for each byte. */
#define QS_SECRET_MASK "*****"

/*
 * Of one packet no more are remembered, by which parts of texts are known again. Where there are
 * more, all texts from then on are hidden whole.
 */
enum { QS_SECRET_SPANS_MAX = 32 };

struct qs_secret_word;

struct qs_secrecy {
    enum qs_secrets_mode mode;                 /* set by the caller of qs_decode() */
    unsigned count;                            /* of the packet */
    struct qs_view spans[QS_SECRET_SPANS_MAX]; /* in the packet's bytes */
    unsigned span_count;
    bool too_many;                    /* passwords, to tell where they are */
    const struct qs_secret_word *key; /* the text before was this; or NULL */
    GString *masked;
    struct qs_field mask; /* the row of a number that is hidden: a text */
};

struct qs_decoder;
struct qs_value;

/*
 * For parse functions: the field `row` of the packet at hand has a password. `user`: raw Quake
 * text, or the empty view. Of one packet no more than QS_SECRETS_MAX are kept.
 */
void qs_add_secret(struct qs_decoder *d, unsigned row, const char *purpose, struct qs_view user);

/* The same for the user info with which a client connects; nothing where it has no password. */
void qs_add_userinfo_secret(struct qs_decoder *d, unsigned row, struct qs_view userinfo);

/*
 * The next password in `text` at or after `*pos`, which moves behind it; the empty view where there
 * is none. `from_client`: some commands have a password only there, and are words of servers'
 * prints.
 */
bool qs_secret_next(struct qs_view text, bool from_client, uint32_t *pos, struct qs_view *secret);

/* The text is nothing but a key or command that a password follows; NULL: it is not. */
const struct qs_secret_word *qs_secret_key(struct qs_view text);

/* The password in the text that follows the key; false where it has none. */
bool qs_secret_behind(const struct qs_secret_word *key, struct qs_view text,
                      struct qs_view *secret);

/* --- For the core: where values and texts pass, and where a packet begins */

void qs_secrecy_init(struct qs_decoder *d);
void qs_secrecy_clear(struct qs_decoder *d);
void qs_secrecy_begin(struct qs_decoder *d);

/*
 * Looks for passwords in the value. Where they are hidden, it has another one afterwards. True: the
 * row is a number, the value is now a text for it.
 */
bool qs_guard_value(struct qs_decoder *d, const struct qs_field *row, struct qs_value *value);

/* The text, or one in which passwords are hidden, valid until the next such call. */
struct qs_view qs_guard_text(struct qs_decoder *d, struct qs_view text);

#endif
