/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many sessions may go on at once, and which of them are too little to be told of one by one.
 *
 * Anybody can send packets in the name of as many clients as there are addresses. So a conversation
 * is only kept as a live session where both ends take part in it, or where one of them went on for
 * a while. Live sessions are bounded by number (--max-sessions) and by memory. When there are too
 * many, the one idle longest ends where it was idle for CROWD_BUSY; else those that go on stay
 * whole, and the new one is left out.
 */
#ifndef PCAP2DEMO_CROWD_H
#define PCAP2DEMO_CROWD_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* What is no live session yet: conversations that were answered, and others. */
enum { CROWD_WAITING_MAX = 4096 };

/* Sessions without content that are told of one by one; further ones are counted together. */
enum { CROWD_TOLD_MAX = 8 };

/* Live sessions, unless the user says otherwise. */
enum { CROWD_SESSIONS_MAX = 16384 };

/* Nanoseconds: whoever plays sends something in that time. */
#define CROWD_BUSY (INT64_C(5) * 1000000000)

/* Sessions that are counted together. */
struct crowd_others {
    uint64_t sessions, packets;
};

struct crowd {
    guint max;
    uint64_t memory_max; /* bytes in use by the program */
    uint64_t ended;      /* live sessions, before their time */
    uint64_t left_out;   /* sessions */
    guint told;          /* sessions without content */
    struct crowd_others others;
};

void crowd_init(struct crowd *crowd, guint max);

/* Whether one more may live beside so many. */
bool crowd_has_room(const struct crowd *crowd, guint live);

/* A session without content, of so many packets, is over. Whether it is told of; else it is
 * counted. */
bool crowd_tells(struct crowd *crowd, uint64_t packets);

/* Says what did not go as it should have, once; raises the exit status then. */
void crowd_report(const struct crowd *crowd);

/* "and 12 more sessions, of 14 packets in all: ...", a new text. */
char *crowd_others_text(const struct crowd_others *others);

#endif
