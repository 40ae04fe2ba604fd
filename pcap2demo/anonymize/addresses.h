/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stand-ins for IP addresses, from the ranges that are kept for documentation: 192.0.2.0/24,
 * 198.51.100.0/24 and 203.0.113.0/24 (RFC 5737), 2001:db8::/32 (RFC 3849). Each address has one,
 * the same wherever it occurs.
 *
 * The first 762 of IPv4 are from those ranges, further ones from 198.18.0.0/15, which is kept for
 * benchmarks (RFC 2544). In texts a stand-in has as many characters as the address, so that nothing
 * moves: it is chosen by that, has leading zeros where it is shorter, and is in 0.0.0.0/8
 * where no address that is left is as short ("10.0.0.1").
 */
#ifndef PCAP2DEMO_ADDRESSES_H
#define PCAP2DEMO_ADDRESSES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/packet.h"
#include "common/core/reader.h"

struct addresses;

struct addresses *addresses_new(void);
void addresses_free(struct addresses *addresses);

/* How many have a stand-in. */
unsigned addresses_count(const struct addresses *addresses);

/* The stand-in, with the same port. One without an address (family 0) stays. */
struct qs_address addresses_replace(struct addresses *addresses, const struct qs_address *address);

/*
 * The next address in a text at or after `*at`, which moves behind it: of IPv4 all, of IPv6 those
 * that have a stand-in already. `*length` is how long it is, `text` what stands there instead.
 */
enum { ADDRESS_TEXT_MAX = 64 };
bool addresses_next_in(struct addresses *addresses, struct qs_view bytes, uint32_t *at,
                       uint32_t *length, char text[ADDRESS_TEXT_MAX]);

#endif
