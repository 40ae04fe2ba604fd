/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expectations: rules of a file, whose syntax the manual page describes; and the facts of a
 * session, rule by rule.
 */
#ifndef PCAP2DEMO_EXPECT_RULES_H
#define PCAP2DEMO_EXPECT_RULES_H

#include "common/dump/dump.h"
#include "common/protocols.h"
#include "common/stats/stats.h"
#include "pcap2demo/regression/expect.h"

enum expect_kind {
    EXPECT_NO_KEY,
    EXPECT_GROUP, /* "[QuakeWorld s2c]" */
    EXPECT_LIST,
    EXPECT_RANGE,
    EXPECT_MESSAGE,
    EXPECT_FLAG /* a list of one item, true or false */
};

/* When a message comes. */
enum expect_phase {
    EXPECT_SIGN_ON,      /* in every sign-on */
    EXPECT_EVERY_SECOND, /* in every second of play */
    EXPECT_PLAY,         /* or not */
    EXPECT_PHASES
};

/* "65..75", "..1450", "9"; open ends are infinite. "": min > max, nothing was
 * measured. */
struct expect_range {
    double min, max;
};

/* What is expected of a key, or what a session has of it. */
struct expect_rule {
    GSequenceIter *place; /* in its file */
    const struct qs_protocol *protocol;
    char *group; /* "s2c player", or "" */
    char *key;   /* or "": the rule stands for the group */
    enum expect_kind kind;
    bool known;                /* it has a value */
    enum expect_phase phase;   /* of a message, as the next four are */
    bool once;                 /* a level */
    bool sized;                /* its size is no chance */
    bool few;                  /* too few were seen to expect their size and fields of others */
    struct expect_range range; /* or a message's bytes */
    GPtrArray *items;          /* or a message's fields, NULL: any. Texts, sorted */
    unsigned seen;             /* a message: the last session that had it, see `sessions` */
    char *was;                 /* its value when the file was read; or NULL */
    bool had;                  /* a group: it had rules then */
    unsigned members;          /* its rules now */
    char *comment;             /* the lines before it; or NULL */
};

struct expect_file {
    GSequence *rules;  /* struct expect_rule, sorted */
    char *comment;     /* the lines behind them */
    unsigned sessions; /* compared so far */
};

/* Reads a file; an empty one if there is none and it may be missing. NULL:
 * *problem is a new text, with the line and the key. */
struct expect_file *expect_file_read(const char *path, bool may_miss, char **problem);
void expect_file_free(struct expect_file *file);

/* New. Adds lines, unless `changes` is NULL, about rules that changed since the file was read, in
 * groups that it had: char *, new. */
char *expect_file_text(const struct expect_file *file, GPtrArray *changes);

/* NULL: there is none. */
struct expect_rule *expect_find(const struct expect_file *file, const struct qs_protocol *protocol,
                                const char *group, const char *key);

/* The rule behind this one, or the first; NULL: there is none. */
struct expect_rule *expect_next(const struct expect_file *file, const struct expect_rule *before);

/* Adds a rule that has no value yet, and its group. */
struct expect_rule *expect_add(struct expect_file *file, const struct qs_protocol *protocol,
                               const char *group, const char *key);

/* The rule allows what `by` has, too: in any order, rules come to the same. */
void expect_widen(struct expect_rule *rule, const struct expect_rule *by);

extern const struct expect_range expect_nothing;
bool expect_range_has(const struct expect_range *range, double value);
char *expect_range_text(const struct expect_range *range);

GPtrArray *expect_items_new(void);
bool expect_items_have(const GPtrArray *items, const char *item);
void expect_items_add(GPtrArray *items, const char *item);
char *expect_items_text(const GPtrArray *items, const char *between);

/* Adds the value 0, "FTE 0x0", of extensions that only `others` have. */
void expect_add_zeros(GPtrArray *extensions, const GPtrArray *others);

/* A field's name in the file: "origin.x" of "qw.sound.origin.x". NULL: it has
 * none, as it is a part of another one or of what all messages have. */
const char *expect_field_name(const struct qs_field *field);

/* --- Facts of a session */

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
    bool optional; /* --update does not write its key: the user does */

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

/* Compares a session's facts with its file, and adds findings. */
void expect_compare(struct expect_file *file, const struct expect_counts *counts,
                    const struct qs_client_session *session, GHashTable *words,
                    GPtrArray *findings);

#endif
