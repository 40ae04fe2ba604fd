/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tcpdump, once for each interface, with a ring of files of its own. Whatever becomes of this
 * process, it ends: a process between the two waits for that.
 */
#ifndef PCAP2DEMO_CAPTURERS_H
#define PCAP2DEMO_CAPTURERS_H

#include <glib.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdint.h>

struct capturers;

/*
 * `interfaces`: names with commas between them. `size`: bytes of all rings. `ring`: their folder,
 * an absolute path. `user`: whom tcpdump becomes, or NULL. NULL on failure; then `*error` is a new
 * string.
 */
struct capturers *capturers_start(const char *interfaces, const char *ring, uint64_t size,
                                  const char *filter, const struct passwd *user, char **error);

/* What is captured: UDP, IP fragments, TCP on the ports of streams and of --port (`ports`, or
 * NULL); and of that what `filter` matches, if it is not NULL. New. */
char *capturers_filter(const GPtrArray *ports, const char *filter);

/* Asks for the count of dropped packets, which comes later. */
void capturers_ask(struct capturers *capturers);

/* Logs what they print. Returns how many run. */
unsigned capturers_check(struct capturers *capturers);

/* Packets that were dropped. False: none of them has told. */
bool capturers_dropped(const struct capturers *capturers, uint64_t *dropped);

/* Ends them, and logs what they print. */
void capturers_stop(struct capturers *capturers);
void capturers_free(struct capturers *capturers);

#endif
