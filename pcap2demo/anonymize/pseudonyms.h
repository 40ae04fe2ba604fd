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

#include "common/core/packet.h"
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

/*
 * Replaces IP addresses with ones from the documentation ranges: 192.0.2.0/24, 198.51.100.0/24 and
 * 203.0.113.0/24 (RFC 5737), 2001:db8::/32 (RFC 3849). An address always gets the same replacement.
 *
 * The first 762 IPv4 addresses get ones from those ranges, further ones from 198.18.0.0/15,
 * reserved for benchmarks (RFC 2544). In texts a replacement has as many characters as the address,
 * so that nothing moves: padded with leading zeros if shorter, and in 0.0.0.0/8 if longer
 * ("10.0.0.1").
 */

struct addresses;

struct addresses *addresses_new(void);
void addresses_free(struct addresses *addresses);

/* The number of addresses replaced so far. */
unsigned addresses_count(const struct addresses *addresses);

/* The replacement, with the same port. Family 0 (no address) stays. */
struct qs_address addresses_replace(struct addresses *addresses, const struct qs_address *address);

/*
 * Finds the next address in a text at or after `*at`, which moves past it: IPv4 or IPv6, in any
 * color; eight hexadecimal digits of an IPv4 address that has a replacement already; or a MAC
 * address.
 * `*length`
 * is its length, `text` its replacement.
 */
enum { ADDRESS_TEXT_MAX = 64 };
bool addresses_next_in(struct addresses *addresses, struct qs_view bytes, uint32_t *at,
                       uint32_t *length, char text[ADDRESS_TEXT_MAX]);

#endif
