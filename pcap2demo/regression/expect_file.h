/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file of expectations: its syntax, which the manual page describes, and how
 * its rules widen. */
#ifndef PCAP2DEMO_EXPECT_FILE_H
#define PCAP2DEMO_EXPECT_FILE_H

#include <glib.h>
#include <stdbool.h>

#include "common/protocols.h"

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
    bool seen;                 /* a message of the session that is compared */
    char *was;                 /* its value when the file was read; or NULL */
    bool had;                  /* a group: there were rules in it then */
    char *comment;             /* the lines before it; or NULL */
};

struct expect_file {
    GPtrArray *rules; /* struct expect_rule, sorted */
    char *comment;    /* the lines behind them; or NULL */
};

/* Reads a file; an empty one if there is none and it may be missing. NULL:
 * *problem is a new text, with the line and the key. */
struct expect_file *expect_file_read(const char *path, bool may_miss, char **problem);
void expect_file_free(struct expect_file *file);

/* New. */
char *expect_file_text(const struct expect_file *file);

/* Lines about rules that changed since the file was read, in groups that it
 * had: char *, new. */
GPtrArray *expect_file_changes(const struct expect_file *file);

/* NULL: there is none. */
struct expect_rule *expect_find(const struct expect_file *file, const struct qs_protocol *protocol,
                                const char *group, const char *key);

/* Adds a rule that has no value yet, and its group. */
struct expect_rule *expect_add(struct expect_file *file, const struct qs_protocol *protocol,
                               const char *group, const char *key);

/* Whether the group has rules. */
bool expect_has_rules(const struct expect_file *file, const struct qs_protocol *protocol,
                      const char *group);

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

#endif
