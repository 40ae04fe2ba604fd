/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a session has on the wire, rule by rule, as expectations are written. */
#ifndef PCAP2DEMO_EXPECT_SESSION_H
#define PCAP2DEMO_EXPECT_SESSION_H

#include "common/sessions/sessions.h"
#include "common/dump/dump.h"
#include "common/stats/stats.h"
#include "pcap2demo/regression/expect_file.h"

/* Counts of a session that is running. */
struct expect_counts;
struct expect_counts *expect_counts_new(void);
void expect_counts_free(gpointer counts);
void expect_counts_add(struct expect_counts *counts, const struct qs_message_counter *counter,
                       const struct qs_decoded_packet *decoded);

/* Counts a connectionless packet's command, "qw c2s connect": struct qs_share by these words. */
void expect_count_word(GHashTable *words, const char *word,
                       const struct qs_decoded_packet *decoded);

/* What the session has of a key. */
struct expect_fact {
    /* What an update makes of it. */
    struct expect_rule rule;
    bool fresh;    /* the file has nothing of this group yet */
    bool optional; /* a file does not get its key unless somebody writes it */

    enum qs_direction direction; /* unknown: of both */
    uint64_t packet;             /* the first that has it; 0: of none */
    double value;                /* in a range, with its unit, " bytes"; or NAN: not measured */
    const char *unit;
    /* Of a message; NULL: the session has none of a rule of the file. */
    const struct qs_type_count *type;
    guint seconds, of; /* seconds of play that have it, of so many */
};

/* Visits all facts of a session that is over, with the file's rule or NULL. */
typedef void expect_visit(void *user, struct expect_rule *rule, const struct expect_fact *fact);
void expect_each_fact(struct expect_file *file, const struct expect_counts *counts,
                      const struct qs_client_session *session, GHashTable *words,
                      expect_visit *visit, void *user);

#endif
