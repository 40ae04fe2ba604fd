/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stand-ins for passwords and names: of as many letters, the same wherever they occur. */
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

/* The stand-in of a word that is not empty. It lives as long as `words`. */
const uint8_t *pseudonyms_replace(struct pseudonyms *pseudonyms, struct qs_view word);

/* How words are looked for. */
struct pseudonyms_search {
    uint32_t letters; /* no shorter ones */
    bool whole;       /* only where neither a letter nor a digit stands beside them */
};

/* Calls `each` for every place in `bytes` where a word stands: from where one ends on for the next,
 * and where several begin for the longest. */
typedef void word_found(void *user, uint32_t at, uint32_t size, const uint8_t *pseudonym);
void pseudonyms_find(const struct pseudonyms *pseudonyms, struct qs_view bytes,
                     struct pseudonyms_search look, word_found *each, void *user);

#endif
