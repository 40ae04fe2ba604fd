/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/regression/golden_pieces.h"

#include "pcap2demo/regression/golden.h"

bool golden_take(struct golden_rest *rest, char c)
{
    if (rest->at == rest->end || *rest->at != c)
        return false;
    rest->at++;
    return true;
}

struct golden_piece golden_take_while(struct golden_rest *rest, bool (*is_in)(char))
{
    struct golden_piece words = {rest->at, 0};

    while (rest->at < rest->end && is_in(*rest->at))
        rest->at++;
    words.length = (gsize)(rest->at - words.at);
    return words;
}

static bool is_of_number(char c)
{
    return g_ascii_isdigit(c);
}

bool golden_is_plain(char c)
{
    return c != ' ' && c != '(' && c != ')' && c != '{' && c != '}' && c != '@' && c != '"';
}

bool golden_take_number(struct golden_rest *rest, uint64_t max, uint64_t *number)
{
    const struct golden_piece digits = golden_take_while(rest, is_of_number);

    *number = 0;
    for (gsize i = 0; i < digits.length; i++) {
        const unsigned digit = (unsigned)(digits.at[i] - '0');

        if (*number > (max - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return digits.length > 0;
}

/* Behind its first quotation mark: up to the last. */
static void skip_text(struct golden_rest *rest)
{
    while (rest->at < rest->end && *rest->at != '"') {
        rest->at += *rest->at == '\\' && rest->at + 1 < rest->end;
        rest->at++;
    }
}

struct golden_piece golden_take_piece(struct golden_rest *rest)
{
    struct golden_piece piece = {rest->at, 0};
    int depth = 0;

    for (; rest->at < rest->end && (depth > 0 || *rest->at != ' '); rest->at++) {
        depth += *rest->at == '(' || *rest->at == '{';
        depth -= *rest->at == ')' || *rest->at == '}';
        if (*rest->at != '"')
            continue;
        rest->at++;
        skip_text(rest);
        if (rest->at == rest->end)
            break;
    }
    piece.length = (gsize)(rest->at - piece.at);
    return piece;
}

bool golden_take_bracketed(struct golden_rest *rest, struct golden_piece *name)
{
    unsigned depth = 1;

    name->at = rest->at;
    for (; rest->at < rest->end; rest->at++) {
        depth += *rest->at == '(';
        depth -= *rest->at == ')';
        if (!depth)
            break;
    }
    name->length = (gsize)(rest->at - name->at);
    return golden_take(rest, ')');
}

static bool take_part(struct golden_rest *rest, struct golden_part *part)
{
    *part = (struct golden_part){.name = golden_take_while(rest, golden_is_name_character)};
    if (!part->name.length)
        return false;
    if (!golden_take(rest, '='))
        return true;
    part->value = golden_take_while(rest, golden_is_plain);
    if (golden_take(rest, '(')) {
        struct golden_piece name;

        if (!golden_take_bracketed(rest, &name))
            return false;
        part->value.length = (gsize)(rest->at - part->value.at);
    }
    return true;
}

bool golden_take_parts(struct golden_rest *rest, struct golden_part parts[GOLDEN_PARTS_MAX],
                       guint *count)
{
    *count = 0;
    if (!golden_take(rest, '{'))
        return true;
    do
        if (*count == GOLDEN_PARTS_MAX || !take_part(rest, &parts[(*count)++]))
            return false;
    while (golden_take(rest, ' '));
    return golden_take(rest, '}');
}
