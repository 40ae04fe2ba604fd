/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets of several network interfaces as they come. An interface that goes down is waited for;
 * one that is gone is opened again when it is back, as far as the program may.
 */
#ifndef PCAP2DEMO_LIVE_H
#define PCAP2DEMO_LIVE_H

#include "pcap2demo/capture/input.h"
#include "pcap2demo/capture/link.h"

struct live_setup {
    char *const *names; /* ends with NULL */
    const char *filter; /* as tcpdump takes it, or NULL */
    unsigned buffer;    /* MiB for packets that wait, of each interface */
    /* What became of an interface, to be told; `good`: for the better. */
    void (*tell)(void *user, const char *interface, const char *what, bool good);
    void *user;
};

struct live;

/* NULL on failure, then `*error` is a new text; `*name` of the interface, one of setup's. */
struct live *live_open(const struct live_setup *setup, const char **name, char **error);
void live_close(struct live *live);

/* The kind of link layer of an interface, in words. */
const char *live_link_name(const struct live *live, unsigned interface);

/* The next frame that is there. */
struct live_frame {
    struct input_frame frame; /* numbered over all interfaces */
    link_reader *link;
    unsigned interface; /* number in setup's names, from 0 */
    int link_type;      /* a DLT_ value of libpcap */
};

/* The next one of all interfaces by its time. False: none is there now. */
bool live_next(struct live *live, struct live_frame *frame);

/* From now on frames of one interface do not wait for earlier ones of others: no more will come. */
void live_take_at_once(struct live *live);

/* So long after it came, at the most, a frame is there. */
enum { LIVE_HANDED_OUT_MS = 200 };

/* Waits until frames are there, a signal comes or so many milliseconds have passed. */
void live_wait(const struct live *live, int milliseconds);

/* Looks after interfaces that are down or gone; to be called every second or so. */
void live_tend(struct live *live);

/* Opens interfaces that are gone, or have lost their names to others. No packet is lost by it. */
void live_reopen(struct live *live);

/* Whether no interface is left, and none can come back. */
bool live_is_over(const struct live *live);

/* Whether one is back that the program may not open again; another run of it could. */
bool live_lacks_right(const struct live *live);

/* Frames that were lost so far, of one interface. */
struct live_drops {
    uint64_t kernel, interface;
};
struct live_drops live_drops(struct live *live, unsigned interface);

#endif
