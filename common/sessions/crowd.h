/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many sessions may go on at once, and which of them are too little to be told of one by one.
 *
 * Anybody can send packets in the name of as many clients as there are addresses. So a conversation
 * is only kept as a live session where both ends take part in it, or where one of them went on for
 * a while. Live sessions are bounded by number and by memory. When there are too
 * many, the one idle longest ends where it was idle for QS_CROWD_BUSY; else those that go on stay
 * whole, and the new one is left out.
 */
#ifndef QS_SESSIONS_CROWD_H
#define QS_SESSIONS_CROWD_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* What is no live session yet: conversations that were answered, and others. */
enum { QS_CROWD_WAITING_MAX = 4096 };

/* Sessions without content that are told of one by one; further ones are counted together. */
enum { QS_CROWD_TOLD_MAX = 8 };

/* Live sessions, unless the user says otherwise. */
enum { QS_CROWD_SESSIONS_MAX = 16384 };

/* Nanoseconds: whoever plays sends something in that time. */
#define QS_CROWD_BUSY (INT64_C(5) * 1000000000)

/* Sessions that are counted together. */
struct qs_crowd_others {
    uint64_t sessions, packets;
};

struct qs_crowd {
    guint max;
    bool (*has_memory)(guint live); /* for one more beside so many; NULL: always */
    uint64_t ended;                 /* live sessions, before their time */
    uint64_t left_out;              /* sessions */
    guint told;                     /* sessions without content */
    struct qs_crowd_others others;
};

void qs_crowd_init(struct qs_crowd *crowd, guint max, bool (*has_memory)(guint live));

/* Whether one more may live beside so many. */
bool qs_crowd_has_room(const struct qs_crowd *crowd, guint live);

/* A session without content, of so many packets, is over. Whether it is told of; else it is
 * counted. */
bool qs_crowd_tells(struct qs_crowd *crowd, uint64_t packets);

/* "and 12 more sessions, of 14 packets in all: ...", a new text. */
char *qs_crowd_others_text(const struct qs_crowd_others *others);

#endif
