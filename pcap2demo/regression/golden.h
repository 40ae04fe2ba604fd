/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goldens: stored decodes, for comparison with later ones.
 *
 * A golden is a compact dump (see common/dump/dump.h) between two lines of its own:
 *
 *     # pcap2demo golden, schema 1, ignoring: packet.time qw.qport, expecting: undecoded
 *     ...
 *     # end, 1500 packets
 *
 * The first names the version of the format, the fields that are left out, and the problems that
 * are no failures. Lines may end with CR LF. Passwords are hidden.
 */
#ifndef PCAP2DEMO_GOLDEN_H
#define PCAP2DEMO_GOLDEN_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/dump/dump.h"

/* --- golden.c: names, files, the first line */

/* Of char *. */
struct golden_names {
    GPtrArray *ignored;  /* fields; each also matches the names that begin with it and a dot */
    GPtrArray *expected; /* problems */
};
void golden_names_clear(struct golden_names *names);

/* Fields that vary from run to run: capture times, addresses, challenges, qports. New. */
GPtrArray *golden_varying_fields(void);
bool golden_is_ignored(void *ignored, const char *name);

/* Whether `name` matches a field of any protocol, or of packets as such. */
bool golden_is_field(const char *name);

/* Whether it is a problem that --check finds: undecoded bytes, or the suffix of a note. */
#define GOLDEN_UNDECODED "undecoded"
bool golden_is_problem(const char *name);

/* The name of an input's golden, without folder: new. */
char *golden_name(const char *file);

/* The sorted paths of the goldens in `folder` that belong to none of `files`: new, with its
 * strings. */
GPtrArray *golden_orphans(const char *folder, char *const *files);

/* Maximum bytes of a golden. */
enum { GOLDEN_SIZE_MAX = 1 << 30 };

/* The text of a regular file, of no pipe or device, without carriage returns: new. NULL: `*problem`
 * is a new text. */
char *golden_read_text(const char *path, char **problem);

/* The first line: new; its names, or false: it is not a golden's. */
char *golden_head(const struct golden_names *names);
bool golden_read_head(const char *text, struct golden_names *names);

/* --- golden_check.c: --check with --golden: compares each input's decode, or writes the golden */

/* Maximum differences of an input, lines of one, and bytes of a line, followed by "…". Others are
 * counted. */
enum { GOLDEN_DIFFERENCES_MAX = 20, GOLDEN_LINES_MAX = 20, GOLDEN_LINE_SIZE_MAX = 4000 };

/* A packet that differs, is missing or is new. */
struct golden_difference {
    uint64_t packet;  /* its number today; of one that is missing: in the golden */
    GPtrArray *lines; /* char *: "-" and a line of the golden, "+" and one of today */
    guint more;       /* lines that were not kept */
};

struct golden_options {
    const char *folder;
    bool update; /* write goldens, do not compare */
    /* Of char *, for an update; NULL: as in the golden, or the default. */
    GPtrArray *ignored, *expected;
};

enum golden_verdict {
    GOLDEN_SAME,
    GOLDEN_DIFFERENT,
    GOLDEN_WRITTEN,   /* by an update */
    GOLDEN_UNCHANGED, /* an update would have written the same */
    GOLDEN_UNUSABLE   /* see `error` */
};

/* "the same", "different", ... */
const char *golden_verdict_name(enum golden_verdict verdict);

struct golden_result {
    char *path; /* of the golden */
    enum golden_verdict verdict;
    uint64_t packets;       /* of the input */
    uint64_t count;         /* packets that differ */
    GPtrArray *differences; /* struct golden_difference: the first of them; NULL: not compared */
    char *error;            /* or NULL */
};
void golden_result_free(struct golden_result *result);

/*
 * Compares two goldens. Packets that match are looked for within GOLDEN_WINDOW of both sides, and
 * so are lines of those that differ: the work is proportional to the size of both, for any
 * contents. The distance of a packet from the one before, "packet +2 ", is no difference.
 */
enum { GOLDEN_WINDOW = 256 };
void golden_compare(struct golden_result *result, const char *was, const char *is);

/* For each input: begin, packets, end. */
struct golden_check;
struct golden_check *golden_check_new(const struct golden_options *options);
void golden_check_free(struct golden_check *check);

/* Must receive every decode. */
struct qs_sink *golden_check_sink(struct golden_check *check);

void golden_check_begin(struct golden_check *check, const char *file);
/* Whether the input's golden names a problem. */
bool golden_check_expects(const struct golden_check *check, const char *problem);
void golden_check_packet(struct golden_check *check, const struct qs_dump_packet *about);
/* Drops the packet decoded last, which is not wanted. */
void golden_check_discard(struct golden_check *check);
/* `whole` false: the input was not read to its end. New. */
struct golden_result *golden_check_end(struct golden_check *check, bool whole);

#endif
