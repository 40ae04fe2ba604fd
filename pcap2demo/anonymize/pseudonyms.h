/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pseudonyms for passwords and names: of the same length, and always the same for a word. */
#ifndef PCAP2DEMO_PSEUDONYMS_H
#define PCAP2DEMO_PSEUDONYMS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/reader.h"

struct pseudonyms;

struct pseudonyms *pseudonyms_new(void);
void pseudonyms_free(struct pseudonyms *pseudonyms);
unsigned pseudonyms_count(const struct pseudonyms *pseudonyms);

/* The pseudonym of a nonempty word. It lives as long as `pseudonyms`. */
const uint8_t *pseudonyms_replace(struct pseudonyms *pseudonyms, struct qs_view word);

/* Search options. */
struct pseudonyms_search {
    uint32_t letters; /* minimum length */
    bool whole;       /* only without an adjacent letter or digit */
};

/* Calls `each` for every word in `bytes`, without overlap; the longest if several begin at a byte.
 */
typedef void word_found(void *user, uint32_t at, uint32_t size, const uint8_t *pseudonym);
void pseudonyms_find(const struct pseudonyms *pseudonyms, struct qs_view bytes,
                     struct pseudonyms_search look, word_found *each, void *user);

#endif
