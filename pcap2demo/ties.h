/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What ties inputs together, so that they cannot be read apart from each other. Each input's
 * process listens to what it reads, and tells the parent by ties_give(); the parent finds out by
 * ties_find() which inputs are tied to others:
 *
 * - Packets went between the same two ports in both, of which one input knows the game: a session
 *   may go on in the other. Unless the other begins longer after it than sessions may be silent,
 *   with the beginning of a connection.
 * - A session has no beginning, or has lost packets, and the other input has a session with the
 * same server, which may lend to it (lending.h).
 * - Sessions of the two went on at the same time and may be one under two addresses
 * (nat_duplicates.h).
 * - The input ends within a datagram's fragments or a stream; has sessions that are counted
 *   together, or more conversations than are looked at; or all inputs together have.
 *   It is not known then what else it is tied to: all are.
 *
 * An input may also be tied to nobody and need to be read in its turn all the same: where what is
 * said of its sessions names other sessions by their numbers.
 */
#ifndef PCAP2DEMO_TIES_H
#define PCAP2DEMO_TIES_H

#include <glib.h>
#include <stdbool.h>

#include "common/sessions/sessions.h"

/* GVariant's format of what one input gives. */
#define TIES_GIVEN "(bbxxuua(aybb)a(ayuxxayb))"

struct ties;

/* Listens instead of `handler`, which it passes everything to. */
struct ties *ties_new(struct qs_sessions_handler *handler);
void ties_free(struct ties *ties);

struct qs_sessions_handler *ties_handler(struct ties *ties);

/* For qs_sessions_options.claim, with the ties as its user: hears of datagrams of no known game. */
int ties_hear_of_unclaimed(void *ties, const struct qs_packet *packet);

/* The input was read to its end. `open`: it ends within something. */
void ties_end_input(struct ties *ties, bool open);

/* Floating. */
GVariant *ties_give(struct ties *ties);

/* `given`: of each input; NULL: it could not be read. `tied`: set for those that are. */
void ties_find(GVariant *const *given, unsigned count, bool *tied);

#endif
