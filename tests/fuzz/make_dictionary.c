/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints a dictionary for libFuzzer, as the tables of the games have it: of each message its
 * number, alone and before as many zeros as most messages are long; words of connectionless
 * packets. Console commands and keys that have a meaning of their own are in words.dict.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { BODY = 9 };

static void print_bytes(const void *data, size_t size)
{
    const unsigned char *bytes = data;

    putchar('"');
    while (size--)
        printf("\\x%02x", *bytes++);
    printf("\"\n");
}

static void print_message(unsigned number)
{
    unsigned char message[BODY] = {(unsigned char)number};

    print_bytes(message, 1);
    print_bytes(message, sizeof message);
}

static void print_word(const char *word)
{
    char packet[64] = "\xff\xff\xff\xff";

    snprintf(packet + 4, sizeof packet - 4, "%s ", word);
    print_bytes(packet, strlen(packet));
    print_bytes(word, strlen(word));
}

static void print_quakeworld(void)
{
    /* clang-format off */
#define SVC(id, number, name, read, blurb) print_message(number);
#define CLC(id, number, name, read, blurb) print_message(number);
#define TE(id, number, name, read) print_bytes((const unsigned char[]){23, number}, 2);
#define HIDDEN(id, number, name, read, blurb) print_bytes((const unsigned char[]){number, 0}, 2);
#define OOB(name, read, asks, answers) print_word(name);
#include "common/quakeworld/messages.def"
    /* clang-format on */
}

static void print_quake(void)
{
    /* clang-format off */
#define SVC(id, number, dialect, name, read, blurb) print_message(number);
#define CLC(id, number, name, read, blurb) print_message(number);
#define TE(id, number, name, read) print_bytes((const unsigned char[]){23, number}, 2);
#define CONTROL(id, number, name, read, asks, answers) \
    print_bytes((const unsigned char[]){0x80, 0, 0, 12, number}, 5);
#include "common/quake/messages.def"
    /* clang-format on */
}

static void print_quake2(void)
{
    /* clang-format off */
#define SVC(id, number, name, read, demo, blurb) print_message(number);
#define CLC(id, number, name, read, blurb) print_message(number);
#define SVC_Q2REPRO(id, number, name, read, blurb) print_message(number);
#define SVC_R1Q2 SVC
#define TE(id, number, name, parts) print_bytes((const unsigned char[]){3, number}, 2);
#define OOB(name, read, asks, answers) print_word(name);
#include "common/quake2/messages.def"
    /* clang-format on */
}

int main(void)
{
    print_quakeworld();
    print_quake();
    print_quake2();
    return 0;
}
