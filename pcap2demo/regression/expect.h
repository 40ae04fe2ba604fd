/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --check with --expect: compares what sessions have on the wire with a file of expectations, or
 * widens that file.
 */
#ifndef PCAP2DEMO_EXPECT_H
#define PCAP2DEMO_EXPECT_H

#include "common/sessions/sessions.h"

/* What came of one expectation in one session. */
struct expect_finding {
    unsigned session;            /* 0: all of the input */
    enum qs_direction direction; /* unknown: of both */
    char *name;                  /* "s2c svc_sound" */
    char *text;                  /* what is not as expected; NULL: all is */
    bool failed;                 /* it is no remark */
};

struct expect;

/* NULL: the file cannot be used, *problem is a new text. */
struct expect *expect_new(const char *path, bool update, char **problem);
void expect_free(struct expect *expect);

/* The sink must receive every decode, and passes it on to `next`. */
struct qs_sink *expect_sink(struct expect *expect, struct qs_sink *next);

/* The packet decoded last. */
void expect_packet(struct expect *expect, const struct qs_decoded_packet *decoded);

/* The session is over; or it was left out. */
void expect_session(struct expect *expect, const struct qs_client_session *session);
void expect_left_out(struct expect *expect, const struct qs_client_session *session);

/* The input is over: struct expect_finding, by session, in the order of their ends, and direction.
 * New. */
GPtrArray *expect_end_input(struct expect *expect);

/* All inputs are over. With `update`, writes the file if it changes. Returns lines about what
 * changed, char *, new; *problem is a new text, or NULL. */
GPtrArray *expect_write(struct expect *expect, char **problem);

#endif
