/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pseudonyms for passwords and names: of the same length, and always the same for a word. Words are
 * compared as engines print them: without case, the colors of the font's upper half, and, in names,
 * color codes ("^1", "^xf00", "&cf00", "&r"), which stay where they are without their digits.
 */
#ifndef PCAP2DEMO_PSEUDONYMS_H
#define PCAP2DEMO_PSEUDONYMS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/reader.h"

struct pseudonyms;

struct pseudonyms *pseudonyms_new(bool with_codes);
void pseudonyms_free(struct pseudonyms *pseudonyms);
unsigned pseudonyms_count(const struct pseudonyms *pseudonyms);

/* Adds none for a word that is known or prints nothing; nor for one that is longer than words are,
 * or if there are too many: false, it is known only where it stands. */
enum { PSEUDONYM_SIZE_MAX = 64, PSEUDONYMS_MAX = 65536 };
bool pseudonyms_add(struct pseudonyms *pseudonyms, struct qs_view word);

/* Search options. */
struct pseudonyms_search {
    uint32_t letters; /* minimum length */
    bool whole;       /* only without an adjacent letter or digit */
};

/* Calls `each` for every word in `bytes`, without overlap, with the bytes that replace it; the
 * longest word if several begin at a byte. */
typedef void word_found(void *user, uint32_t at, uint32_t size, const uint8_t *replacement);
void pseudonyms_find(struct pseudonyms *pseudonyms, struct qs_view bytes,
                     struct pseudonyms_search look, word_found *each, void *user);

#endif
