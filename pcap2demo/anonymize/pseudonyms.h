/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pseudonyms for passwords and names. A word always gets the same pseudonym, which has its length.
 * Words are compared as engines print them: without case and colors of the font's upper half, and,
 * in names, without color codes ("^1", "^xf00", "&cf00", "&r"), which stay in place without their
 * digits.
 */
#ifndef PCAP2DEMO_PSEUDONYMS_H
#define PCAP2DEMO_PSEUDONYMS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/packet.h"
#include "common/core/reader.h"

struct pseudonyms;

/* Creates an empty set. `with_codes`: words may contain color codes. */
struct pseudonyms *pseudonyms_new(bool with_codes);
void pseudonyms_free(struct pseudonyms *pseudonyms);
unsigned pseudonyms_count(const struct pseudonyms *pseudonyms);

/* Gives a word a pseudonym, unless it has one or prints nothing. Returns false if it is longer than
 * PSEUDONYM_SIZE_MAX or there are too many: then pseudonyms_find() does not find it. */
enum { PSEUDONYM_SIZE_MAX = 64, PSEUDONYMS_MAX = 65536 };
bool pseudonyms_add(struct pseudonyms *pseudonyms, struct qs_view word);

/* Search options. */
struct pseudonyms_search {
    uint32_t letters; /* minimum length */
    bool whole;       /* true: only if no letter or digit is adjacent */
};

/* Calls `each` for every word in `bytes`, without overlap, with the bytes that replace it. If
 * several words begin at a byte, the longest one counts. */
typedef void word_found(void *user, uint32_t at, uint32_t size, const uint8_t *replacement);
void pseudonyms_find(struct pseudonyms *pseudonyms, struct qs_view bytes,
                     struct pseudonyms_search look, word_found *each, void *user);

/* Returns the byte without color. The font's upper half repeats the lower one in another color, and
 * both have golden digits. */
char uncolored(uint8_t byte);

/* --- addresses.c ----------------------------------------------------------------------------- */

/*
 * Replacements of IP addresses, from the documentation ranges: 192.0.2.0/24, 198.51.100.0/24 and
 * 203.0.113.0/24 (RFC 5737), 2001:db8::/32 (RFC 3849). An address always gets the same one.
 *
 * The first 762 IPv4 addresses get ones from those ranges, further ones from 198.18.0.0/15,
 * reserved for benchmarks (RFC 2544). In texts a replacement has as many characters as the address,
 * so that nothing moves: padded with leading zeros if shorter, and in 0.0.0.0/8 if longer
 * ("10.0.0.1").
 */

struct addresses;

struct addresses *addresses_new(void);
void addresses_free(struct addresses *addresses);

/* Returns the number of addresses replaced so far. */
unsigned addresses_count(const struct addresses *addresses);

/* Returns the replacement, with the same port. Returns family 0 (no address) unchanged. */
struct qs_address addresses_replace(struct addresses *addresses, const struct qs_address *address);

/*
 * Finds the next address in a text at or after `*at`: IPv4 or IPv6, in any color; eight hexadecimal
 * digits of an IPv4 address that has a replacement already; or a MAC address. Moves `*at` past it,
 * and sets `*length` and its replacement `text`. Returns false if there is none.
 */
enum { ADDRESS_TEXT_MAX = 64 };
bool addresses_next_in(struct addresses *addresses, struct qs_view bytes, uint32_t *at,
                       uint32_t *length, char text[ADDRESS_TEXT_MAX]);

#endif
