/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --check with --expect: compares what sessions have on the wire with a file of expectations, or
 * widens that file.
 */
#ifndef PCAP2DEMO_EXPECT_H
#define PCAP2DEMO_EXPECT_H

#include "common/core/decode.h"
#include "common/dump/dump.h"
#include "common/sessions/sessions.h"
#include "common/stats/stats.h"

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

/* --- Rules ------------------------------------------------------------------------------------ */

/*
 * Expectations: the rules of a file, whose head and the manual page say what they mean; and what a
 * session has of them.
 *
 * A file consists of groups of keys: "[QuakeWorld s2c]", "svc_damage=bytes 9; armor; health". The
 * value of a key is one or more parts: words of a list, or names with a range.
 */

/* "65..75", "..1450", "9"; open ends are infinite. */
struct expect_range {
    double min, max;
};

extern const struct expect_range expect_anything;
bool expect_range_has(struct expect_range range, double value);
char *expect_range_text(struct expect_range range);

/* Keys of directions; others are messages. */
#define EXPECT_PACKETS "packets-per-second"
#define EXPECT_MOVES "moves-per-second"

/* Parts of messages; others are fields. */
#define EXPECT_BYTES "bytes"
#define EXPECT_EVERY_SECOND "every-second"
#define EXPECT_PER_LEVEL "per-level"
#define EXPECT_PER_SECOND "per-second"

/* The value of a key. */
struct expect_rule {
    GHashTable *parts; /* struct expect_range by the name: a word of a list, or "bytes". A word or
                          name alone has the range expect_anything; a key's range the name "" */
    char *was;         /* the value that was read */
};

/* NULL: it has none of that name. */
struct expect_range *expect_part(const struct expect_rule *rule, const char *name);

/* Adds a part, or widens it by the range. */
void expect_widen(struct expect_rule *rule, const char *name, struct expect_range range);

/* Removes EXPECT_BYTES and the names of fields without a range. */
void expect_remove_format(struct expect_rule *rule);

/* The parts' names, sorted; ends with NULL. New, with the rule's strings. */
char **expect_names(const struct expect_rule *rule);

/* A field's name in the file: "origin.x" of "qw.sound.origin.x". NULL: it has none. */
const char *expect_field_name(const struct qs_field *field);

/* --- The file */

struct expect_file;

/* Reads a file, or begins a new one if there is none and it may be missing. NULL: *problem is a new
 * text. */
struct expect_file *expect_file_read(const char *path, bool may_miss, char **problem);
void expect_file_free(struct expect_file *file);

/* New. Adds lines about keys that changed since the file was read: char *, new. */
char *expect_file_text(const struct expect_file *file, GPtrArray *changes);

/* NULL: there is none. */
struct expect_rule *expect_find(const struct expect_file *file, const char *group, const char *key);
struct expect_rule *expect_add(struct expect_file *file, const char *group, const char *key);

/* The group's keys, in the file's order: g_strfreev() it. */
char **expect_keys(const struct expect_file *file, const char *group);

/* --- Sessions */

enum { EXPECT_UNDECODED = QS_NOTE_KINDS, EXPECT_PROBLEMS };

/* Counts of a session. */
struct expect_counts {
    struct qs_tally sign_on; /* of each level up to the first packet that places a player */
    struct qs_tally play;
    uint32_t level;
    bool playing;
    uint64_t update; /* the packet that ended the last level's sign-on */
    struct qs_share problems[EXPECT_PROBLEMS];
    int64_t moved; /* time of the last packet in which entities moved */
    GArray *moves; /* guint: microseconds from one such packet to the next */
};

/* Of a session that is over: adds findings; NULL: widens the file until it allows all that the
 * session has. */
void expect_visit(struct expect_file *file, const struct expect_counts *counts,
                  const struct qs_client_session *session, GPtrArray *findings);

#endif
