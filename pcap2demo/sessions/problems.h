/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The problems of one demo, summed up: those that say the same but for its numbers are one, with
 * the packets where it came up.
 */
#ifndef PCAP2DEMO_PROBLEMS_H
#define PCAP2DEMO_PROBLEMS_H

#include <glib.h>
#include <stdint.h>

#include "pcap2demo/output/message.h"

enum {
    DEMO_PROBLEMS_MAX = 10,       /* of different kinds; further ones are only counted */
    DEMO_PROBLEM_PACKETS_MAX = 10 /* of one kind; further ones are only counted */
};

struct demo_problem {
    struct location location; /* of the first */
    char *kind;               /* the text without its numbers */
    char *text;               /* of the first */
    uint64_t count;
    GArray *packets; /* uint64_t: their numbers */
};

struct problems {
    GPtrArray *kinds; /* struct demo_problem *, by their first */
    uint64_t count;   /* of all */
    uint64_t others;  /* of further kinds */
};

void problems_init(struct problems *problems);
void problems_clear(struct problems *problems);

/* Its text is made printable. `location` has no packet where it is of none. */
void problems_add(struct problems *problems, struct location location, const char *text);

/* What it says, with how often and where, as a new text: "… (3 times: packets 12, 45, 99)". */
char *demo_problem_text(const struct demo_problem *problem);

#endif
