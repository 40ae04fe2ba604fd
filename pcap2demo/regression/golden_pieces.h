/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes a line of the compact form apart, piece by piece; see golden_expand.h. */
#ifndef PCAP2DEMO_GOLDEN_PIECES_H
#define PCAP2DEMO_GOLDEN_PIECES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Parts of one number are fewer. */
enum { GOLDEN_PARTS_MAX = 64 };

/* What is left of a line. */
struct golden_rest {
    const char *at, *end;
};

/* A piece of a line. */
struct golden_piece {
    const char *at;
    gsize length;
};

/* A part of a number that is not 0. */
struct golden_part {
    struct golden_piece name, value; /* value.at NULL: true */
    bool used;
};

/* Each goes behind what it takes. False, or an empty piece, where something else stands there. */
bool golden_take(struct golden_rest *rest, char c);
struct golden_piece golden_take_while(struct golden_rest *rest, bool (*is_in)(char));
bool golden_take_number(struct golden_rest *rest, uint64_t max, uint64_t *number);

/* Characters of a value that is neither a text nor a name in parentheses. */
bool golden_is_plain(char c);

/* Up to the next blank that is in no text, parentheses or braces: "a=1@4+2", "b=(1 2)". */
struct golden_piece golden_take_piece(struct golden_rest *rest);

/* Up to the parenthesis that closes the one before `rest`. */
bool golden_take_bracketed(struct golden_rest *rest, struct golden_piece *name);

/* "{reliable sequence=7}", or nothing. */
bool golden_take_parts(struct golden_rest *rest, struct golden_part parts[GOLDEN_PARTS_MAX],
                       guint *count);

#endif
