/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints a dictionary for libFuzzer, as the tables of the games have it: of each message and word
 * what it begins with, alone and before as many zeros as most messages are long; of words also what
 * stands behind the mark. Console commands and keys that have a meaning of their own are in
 * words.dict.
 */
#include <stdio.h>

#include "tests/fuzz/made_seeds.h"

enum { BODY = 9, MARK = 4 };

static void print_bytes(const uint8_t *data, guint size)
{
    putchar('"');
    while (size--)
        printf("\\x%02x", *data++);
    printf("\"\n");
}

int main(void)
{
    for (unsigned number = 0; number < made_number_count; number++) {
        g_autoptr(GByteArray) head = made_head(number);
        const uint8_t zeros[BODY] = {0};

        print_bytes(head->data, head->len);
        if (head->len > BODY)
            print_bytes(head->data + MARK, head->len - MARK);
        else
            print_bytes(g_byte_array_append(head, zeros, BODY - head->len)->data, BODY);
    }
    return 0;
}
