/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The texts of connectionless packets: connectionless.c reads those that begin with a word,
 * connectionless_letters.c those that begin with a letter. Source: see connectionless.c.
 */
#ifndef QW_CONNECTIONLESS_H
#define QW_CONNECTIONLESS_H

#include "common/quakeworld/decode.h"

/* The text of a packet. */
struct qw_oob {
    struct qs_view text; /* all of it, with its terminator */
    uint32_t offset;     /* of the text in the packet */
    struct qs_view line; /* of a text that begins with a word: its first line, */
    uint32_t pos;        /* and how far that was read */
};

/* connectionless_letters.c. NULL: an unknown letter, or its text is malformed. */
struct qw_oob_letter;
const struct qw_oob_letter *qw_find_oob_letter(struct qs_view text);
/* The same for texts without the prefix. */
const struct qw_oob_letter *qw_find_bare_letter(const struct qs_packet *packet);
void qw_read_oob_letter(struct qs_decoder *d, const struct qw_oob *oob,
                        const struct qw_oob_letter *command);

/* connectionless.c */
bool qw_is_known_oob(struct qs_view text);
bool qw_is_quake_request(const struct qs_packet *packet);

/* --- Parts of texts --- */

/* The text up to the first newline or NUL. */
static inline struct qs_view qw_oob_line(struct qs_view text)
{
    for (uint32_t i = 0; i < text.size; i++)
        if (text.data[i] == '\n' || text.data[i] == '\0')
            return (struct qs_view){text.data, i};
    return text;
}

/* The text up to its NUL. */
static inline struct qs_view qw_oob_string(struct qs_view text)
{
    const uint8_t *nul = text.size ? memchr(text.data, 0, text.size) : NULL;

    return nul ? (struct qs_view){text.data, (uint32_t)(nul - text.data)} : text;
}

static inline struct qs_view qw_oob_behind(struct qs_view text, uint32_t count)
{
    return (struct qs_view){text.data + count, text.size - count};
}

static inline void qw_emit_oob_token(struct qs_decoder *d, unsigned id, const struct qw_oob *oob,
                                     const struct qs_token *token)
{
    qs_emit_bytes(d, id, oob->offset + token->offset, token->length, token->text);
}

static inline void qw_emit_oob_number(struct qs_decoder *d, unsigned id, unsigned text_id,
                                      uint32_t offset, const struct qs_token *token)
{
    int64_t number;

    if (qs_view_number_within(token->text, INT32_MIN, UINT32_MAX, &number) &&
        qs_type_holds(d->protocol->fields[id].type, (uint32_t)number))
        qs_emit_uint(d, id, offset + token->offset, token->length, (uint32_t)number);
    else
        qs_emit_bytes(d, text_id, offset + token->offset, token->length, token->text);
}

/* Not empty, and nothing else. */
static inline bool qw_oob_is_digits(struct qs_view text)
{
    for (uint32_t i = 0; i < text.size; i++)
        if (!g_ascii_isdigit(text.data[i]))
            return false;
    return text.size > 0;
}

/* The letter, then a number. */
static inline bool qw_oob_begins_number(struct qs_view text)
{
    return text.size > 1 &&
           (g_ascii_isdigit(text.data[1]) || text.data[1] == '-' || text.data[1] == ' ');
}

/* --- Directions --- */

static inline void qw_oob_of_client(struct qs_decoder *d)
{
    if (!d->probing)
        qs_learn_direction(d, QS_C2S);
}

static inline void qw_oob_of_server(struct qs_decoder *d)
{
    if (!d->probing)
        qs_learn_direction(d, QS_S2C);
}

#endif
