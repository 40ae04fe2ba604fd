/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expectations of --check --expect: compares sessions with a file that lists what their packets may
 * contain, or widens that file. */
#ifndef PCAP2DEMO_EXPECT_H
#define PCAP2DEMO_EXPECT_H

#include "common/core/decode.h"
#include "common/dump/dump.h"
#include "common/sessions/sessions.h"
#include "common/stats/stats.h"

/* Result of one expectation in one session. */
struct expect_finding {
    unsigned session;            /* number of the session; 0: the whole input */
    enum qs_direction direction; /* unknown: both directions */
    char *name;                  /* such as "s2c svc_sound" */
    char *text;                  /* difference from the expectation; NULL: none */
    bool failed;                 /* failure, not only a note */
};

struct expect;

/* Reads a file of expectations; with `update` it may be missing. On failure returns NULL, and
 * `*problem` is a new text. */
struct expect *expect_new(const char *path, bool update, char **problem);
void expect_free(struct expect *expect);

/* Returns the sink for all packets. It passes all calls on to `next`, and belongs to `expect`. */
struct qs_sink *expect_sink(struct expect *expect, struct qs_sink *next);

/* Counts a packet; call it after the packet was decoded. */
void expect_packet(struct expect *expect, const struct qs_decoded_packet *decoded);

/* Compare an ended session, or discard one that was left out. */
void expect_session(struct expect *expect, const struct qs_client_session *session);
void expect_left_out(struct expect *expect, const struct qs_client_session *session);

/* Ends an input. Returns its findings (struct expect_finding) by session, in the order of their
 * ends, and by direction. The caller frees the array. */
GPtrArray *expect_end_input(struct expect *expect);

/* Ends the check. With `update`, writes the file if it has changed. Returns texts about the changes
 * (char *), and sets `*problem` to NULL or an error text. The caller frees both. */
GPtrArray *expect_write(struct expect *expect, char **problem);

/* --- Rules ----------------------------------------------------------------------------------- */

/*
 * Rules of a file of expectations. The comment at the file's beginning and the manual page explain
 * them.
 *
 * A file consists of groups of keys: "[QuakeWorld s2c]", "svc_damage=bytes 9; armor; health". The
 * value of a key is one or more parts: words of a list, or names with a range.
 */

/* Range such as "65..75", "..1450" or "9"; open ends are infinite. */
struct expect_range {
    double min, max;
};

extern const struct expect_range expect_anything;
/* True if the value is within the range. */
bool expect_range_has(struct expect_range range, double value);
/* Returns a new text such as "65..75" or "9". */
char *expect_range_text(struct expect_range range);

/* Keys for a whole direction. Other keys are messages. */
#define EXPECT_PACKETS "packets-per-second"
#define EXPECT_MOVES "moves-per-second"

/* Measures of a message. Other parts are its fields. */
#define EXPECT_BYTES "bytes"
#define EXPECT_EVERY_SECOND "every-second"
#define EXPECT_PER_LEVEL "per-level"
#define EXPECT_PER_SECOND "per-second"

/* Rule of one key. */
struct expect_rule {
    /* name -> struct expect_range. Words without a number have expect_anything; a key's own range
     * has the name "". */
    GHashTable *parts;
    char *was; /* value in the file */
};

/* Returns the range of a part, or NULL if the rule does not contain it. It belongs to the rule. */
struct expect_range *expect_part(const struct expect_rule *rule, const char *name);

/* Adds a part, or extends its range to contain `range`. */
void expect_widen(struct expect_rule *rule, const char *name, struct expect_range range);

/* Removes EXPECT_BYTES, and fields without a range. */
void expect_remove_format(struct expect_rule *rule);

/* Returns the sorted names of the parts in a new array, up to NULL. The rule owns the strings. */
char **expect_names(const struct expect_rule *rule);

/* Returns a field's name in the file: "origin.x" for "qw.sound.origin.x". NULL if it has none. */
const char *expect_field_name(const struct qs_field *field);

/* --- File of expectations -------------------------------------------------------------------- */

struct expect_file;

/* Reads a file, or creates an empty one in memory if it does not exist and `may_miss` is set.
 * Returns NULL and sets `*problem`, which the caller frees, on failure. */
struct expect_file *expect_file_read(const char *path, bool may_miss, char **problem);
void expect_file_free(struct expect_file *file);

/* Returns the file's text, and appends lines about changed keys; all are new texts. */
char *expect_file_text(const struct expect_file *file, GPtrArray *changes);

/* Return the rule of a key, or NULL; or add a new one. */
struct expect_rule *expect_find(const struct expect_file *file, const char *group, const char *key);
struct expect_rule *expect_add(struct expect_file *file, const char *group, const char *key);

/* Returns the group's keys in the file's order. Free them with g_strfreev(). */
char **expect_keys(const struct expect_file *file, const char *group);

/* --- Sessions -------------------------------------------------------------------------------- */

enum { EXPECT_UNDECODED = QS_NOTE_KINDS, EXPECT_PROBLEMS };

/* Counts of one session. */
struct expect_counts {
    struct qs_tally sign_on; /* packets of each level until the server sends a player's origin */
    struct qs_tally play;
    uint32_t level;
    bool playing;
    uint64_t update; /* packet that ended the last sign-on */
    struct qs_share problems[EXPECT_PROBLEMS];
    int64_t moved; /* time of the last packet in which entities moved */
    GArray *moves; /* time between such packets, in microseconds (guint) */
};

/* Compares an ended session with the file, and appends to `findings`. NULL: widens the file
 * instead, so that it allows the session. */
void expect_visit(struct expect_file *file, const struct expect_counts *counts,
                  const struct qs_client_session *session, GPtrArray *findings);

#endif
