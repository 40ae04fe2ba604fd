/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goldens: stored decodes, for comparison with later ones.
 *
 * A golden is a compact dump (see common/dump/dump.h) between a first and a last line:
 *
 *     # pcap2demo golden, schema 1, ignoring: packet.time qw.qport, expecting: undecoded
 *     ...
 *     # end, 1500 packets
 *
 * The first line names the version of the format, the fields that are left out, and the problems
 * that are no failures. Lines may end with CR LF. Passwords are hidden.
 */
#ifndef PCAP2DEMO_GOLDEN_H
#define PCAP2DEMO_GOLDEN_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/dump/dump.h"

/* --- golden.c: names, files, first line ------------------------------------------------------ */

/* Names in the first line (char *). */
struct golden_names {
    GPtrArray *ignored;  /* fields; each also matches names that begin with it and a dot */
    GPtrArray *expected; /* problems that are no failures */
};
void golden_names_clear(struct golden_names *names);

/* Returns a new array of fields that vary: capture times, addresses, challenges, qports. */
GPtrArray *golden_varying_fields(void);
/* True if an element of `ignored`, a GPtrArray, matches the name. For qs_dump_text_leave_out(). */
bool golden_is_ignored(void *ignored, const char *name);

/* True if `name` matches a field of any protocol, or of packets in general. */
bool golden_is_field(const char *name);

/* True if `name` is a problem that --check finds: undecoded bytes, or the suffix of a note. */
#define GOLDEN_UNDECODED "undecoded"
bool golden_is_problem(const char *name);

/* Returns the file name of an input's golden, without a folder. The caller frees it. */
char *golden_name(const char *file);

/* Returns the sorted paths of goldens in `folder` whose name is none of `names`. The caller frees
 * the array. */
GPtrArray *golden_orphans(const char *folder, GHashTable *names);

/* Maximum size of a golden, in bytes. */
enum { GOLDEN_SIZE_MAX = 1 << 30 };

/* Returns the text of a regular file with LF line ends. Returns NULL and sets `*problem` if it
 * cannot be read. The caller frees both. */
char *golden_read_text(const char *path, char **problem);

/* Write and read the first line. golden_head() returns a new text; golden_read_head() sets `names`,
 * or returns false if the text is no golden. */
char *golden_head(const struct golden_names *names);
bool golden_read_head(const char *text, struct golden_names *names);

/* --- golden_check.c: comparison of decodes with goldens -------------------------------------- */

/* Maximum numbers of differences in an input, of lines in a difference, and of bytes in a line,
 * which is then cut with "…". Further differences and lines are only counted. */
enum { GOLDEN_DIFFERENCES_MAX = 20, GOLDEN_LINES_MAX = 20, GOLDEN_LINE_SIZE_MAX = 4000 };

/* A packet that differs, is missing or is new. */
struct golden_difference {
    uint64_t packet;  /* number in the input; of a missing packet, number in the golden */
    GPtrArray *lines; /* lines (char *): "-" and one of the golden, "+" and one of the input */
    guint more;       /* number of lines that were not kept */
};

struct golden_options {
    const char *folder;
    bool update; /* write goldens instead of comparing */
    /* An option chooses packets: an update writes no golden if no packet is chosen. */
    bool selected;
    bool no_default_ignore;
    GPtrArray *ignored, *expected; /* names that an update adds to the golden's (char *) */
};

enum golden_verdict {
    GOLDEN_SAME,
    GOLDEN_DIFFERENT,
    GOLDEN_WRITTEN,   /* written by an update */
    GOLDEN_UNCHANGED, /* not written by an update: the same contents */
    GOLDEN_UNUSABLE   /* not compared or written: see `error` */
};

/* Returns "the same", "different", ... */
const char *golden_verdict_name(enum golden_verdict verdict);

struct golden_result {
    char *path; /* path of the golden */
    enum golden_verdict verdict;
    uint64_t packets;       /* number of packets in the input */
    uint64_t count;         /* number of packets that differ */
    GPtrArray *differences; /* first differences (struct golden_difference); NULL: not compared */
    char *error;            /* error text, or NULL */
};
void golden_result_free(struct golden_result *result);

/*
 * Compares two goldens. Searches for matching packets, and for matching lines in packets that
 * differ, within GOLDEN_WINDOW of both sides: the time is linear in their size. Ignores the
 * distance of a packet from the one before ("packet +2 ").
 */
enum { GOLDEN_WINDOW = 256 };
void golden_compare(struct golden_result *result, const char *was, const char *is);

/* Comparison of inputs, with these calls for each: begin, packets, end. `options` must outlive
 * it. */
struct golden_check;
struct golden_check *golden_check_new(const struct golden_options *options);
void golden_check_free(struct golden_check *check);

/* Returns the sink for all packets. It belongs to `check`. */
struct qs_sink *golden_check_sink(struct golden_check *check);

void golden_check_begin(struct golden_check *check, const char *file);
/* True if the input's golden expects the problem. */
bool golden_check_expects(const struct golden_check *check, const char *problem);
/* Adds the last decoded packet. */
void golden_check_packet(struct golden_check *check, const struct qs_dump_packet *about);
/* Discards the last decoded packet, which is not to be compared. */
void golden_check_discard(struct golden_check *check);
/* Ends an input: compares or writes. Fails if not `whole`: the input was not read to its end. */
struct golden_result *golden_check_end(struct golden_check *check, bool whole);
/* Returns the sorted paths of goldens that neither `files` nor an input so far has. The caller
 * frees the array. */
GPtrArray *golden_check_orphans(const struct golden_check *check, char *const *files);

#endif
