/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live capture from several network interfaces. Waits for an interface that goes down; reopens one
 * that disappears and comes back, if permitted.
 */
#ifndef PCAP2DEMO_LIVE_H
#define PCAP2DEMO_LIVE_H

#include <stdbool.h>

#include "pcap2demo/capture/frame_reader.h"

struct live_setup {
    char *const *names; /* ends with NULL */
    const char *filter; /* a tcpdump expression, or NULL */
    unsigned buffer;    /* MiB of the kernel's buffer, for each interface */
    /* Reports a change of an interface; `good`: it works again. */
    void (*tell)(const char *interface, const char *what, bool good);
};

struct live;

/* NULL on failure; then `*error` is a new string, and `*name` the interface, one of setup's. */
struct live *live_open(const struct live_setup *setup, const char **name, char **error);
void live_close(struct live *live);

/* The name of an interface's link type. */
const char *live_link_name(const struct live *live, unsigned interface);

/* The next frame of all interfaces by time, with its number over all of them, valid until the next
 * call; `*interface` is an index into setup's names. NULL: none is available now. */
struct input_frame *live_next(struct live *live, unsigned *interface);

/* From now on frames do not wait for earlier ones of other interfaces: no more will come. */
void live_take_at_once(struct live *live);

/* The longest time from a frame's arrival until live_next() returns it. */
enum { LIVE_HANDED_OUT_MS = 200 };

/* Waits until frames are available, a signal arrives or `milliseconds` have passed. */
void live_wait(const struct live *live, int milliseconds);

/* Checks interfaces that are down or gone, or whose name another one has; call it about every
 * second. */
void live_tend(struct live *live);

/* Whether no interface is left and none can be reopened. */
bool live_is_over(const struct live *live);

/* Whether an interface is back that this run has no permission to open; a restart could. */
bool live_lacks_right(const struct live *live);

/* Frames lost so far. */
struct live_drops {
    uint64_t kernel, interface;
};
struct live_drops live_drops(struct live *live);

#endif
