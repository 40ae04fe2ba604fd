/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The problems of one demo, summed up: those that say the same but for its numbers are one, with
 * the packets where it came up.
 */
#ifndef QS_SESSIONS_PROBLEMS_H
#define QS_SESSIONS_PROBLEMS_H

#include <glib.h>
#include <stdint.h>

#include "common/sessions/location.h"

enum {
    QS_DEMO_PROBLEMS_MAX = 10,       /* of different kinds; further ones are only counted */
    QS_DEMO_PROBLEM_PACKETS_MAX = 10 /* of one kind; further ones are only counted */
};

struct qs_session_demo_problem {
    struct qs_location location; /* of the first */
    char *kind;                  /* the text without its numbers */
    char *text;                  /* of the first */
    uint64_t count;
    GArray *packets; /* uint64_t: their numbers */
};

struct qs_session_problems {
    GPtrArray *kinds; /* struct qs_session_demo_problem *, by their first */
    uint64_t count;   /* of all */
    uint64_t others;  /* of further kinds */
};

void qs_session_problems_init(struct qs_session_problems *problems);
void qs_session_problems_clear(struct qs_session_problems *problems);

/* Its text is made printable. `location` has no packet where it is of none. */
void qs_session_problems_add(struct qs_session_problems *problems, struct qs_location location,
                             const char *text);

/* What it says, with how often and where, as a new text: "… (3 times: packets 12, 45, 99)". */
char *qs_session_demo_problem_text(const struct qs_session_demo_problem *problem);

#endif
