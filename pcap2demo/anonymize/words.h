/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stand-ins for passwords and names: of as many letters, the same wherever they occur. */
#ifndef PCAP2DEMO_WORDS_H
#define PCAP2DEMO_WORDS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/reader.h"

struct words;

struct words *words_new(void);
void words_free(struct words *words);
unsigned words_count(const struct words *words);

/* The stand-in of a word that is not empty. It lives as long as `words`. */
const uint8_t *words_replace(struct words *words, struct qs_view word);

/* How words are looked for. */
struct words_look {
    uint32_t letters; /* no shorter ones */
    bool whole;       /* only where neither a letter nor a digit stands beside them */
};

/* Calls `each` for every place in `bytes` where a word stands: from where one ends on for the next,
 * and where several begin for the longest. */
typedef void word_found(void *user, uint32_t at, uint32_t size, const uint8_t *stand_in);
void words_find(const struct words *words, struct qs_view bytes, struct words_look look,
                word_found *each, void *user);

#endif
