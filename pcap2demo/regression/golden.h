/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goldens: stored decodes, for comparison with later ones.
 *
 * A golden is a compact dump (see common/dump/dump.h) between two lines of its own:
 *
 *     # pcap2demo golden, schema 1, ignoring: packet.time qw.qport
 *     ...
 *     # end, 1500 packets
 *
 * The first names the version of the format and the fields that are left out. Lines may end with
 * CR LF. Passwords are hidden.
 */
#ifndef PCAP2DEMO_GOLDEN_H
#define PCAP2DEMO_GOLDEN_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/dump/dump.h"

/* --- Fields left out: an array of names. Each also matches the names that begin with it and a dot.
 */

/* Fields that vary from run to run: capture times, addresses, challenges, qports. New. */
GPtrArray *golden_varying_fields(void);

bool golden_is_ignored(void *ignored, const char *name);

/* Whether `name` matches a field of any protocol, or of packets as such. */
bool golden_is_field(const char *name);

/* --- Files */

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

/* The first and the last line. New. */
char *golden_head(const GPtrArray *ignored);
char *golden_foot(uint64_t packets);

/* A packet, or one of its lines. */
struct golden_item {
    const char *text; /* of a packet: lines, the first without the distance from the one before */
    size_t size;
    uint64_t number; /* of the packet in its capture */
};

/* A golden, or what today's would be. */
struct golden {
    char *text;         /* golden_parse() changes it: the items point into it */
    GPtrArray *ignored; /* names of fields that are left out; NULL: the first line is damaged */
    GArray *packets;    /* struct golden_item: up to the damage, with further units of streams */
    char *error;        /* the damaged line, and what is wrong with it; or NULL */
};

/* Frees the text when it is freed. */
struct golden *golden_parse(char *text);
void golden_free(struct golden *golden);

/* --- --check with --golden: compares each input's decode with its golden, or writes the golden */

/* Maximum lines of a difference, and bytes of a line, followed by "…". */
enum { GOLDEN_LINES_MAX = 20, GOLDEN_LINE_SIZE_MAX = 4000 };

/* A packet that differs. */
struct golden_difference {
    uint64_t was, is; /* the packet's number in the golden, and today; 0: missing */
    GPtrArray *lines; /* char *: "-" and a line of the golden, "+" and one of today */
    guint more;       /* lines that were not kept */
};

/* Differences reported for each input; others are counted. */
enum { GOLDEN_MAX_DIFFERENCES = 20 };

struct golden_options {
    char *folder;       /* NULL: there are no goldens */
    gboolean update;    /* write goldens, do not compare */
    GPtrArray *ignored; /* char *, for an update; NULL: as in the golden, or the default */
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
    uint64_t packets;       /* compared, or written */
    uint64_t count;         /* packets that differ */
    GPtrArray *differences; /* struct golden_difference: the first of them; NULL: not compared, or
                               an update */
    char *error;            /* with the line, or NULL */
};
void golden_result_free(struct golden_result *result);

/*
 * Sets what came of it. The nearest matching packets are looked for within GOLDEN_WINDOW of both
 * sides, and so are the lines of those that differ: the work is proportional to the size of both,
 * for any contents. What is behind the damage of a golden is not compared.
 */
enum { GOLDEN_WINDOW = 256 };
void golden_compare(struct golden_result *result, const struct golden *was,
                    const struct golden *is);

/* For each input: begin, packets, end. */
struct golden_check;
struct golden_check *golden_check_new(const struct golden_options *options);
void golden_check_free(struct golden_check *check);

/* Must receive every decode. */
struct qs_sink *golden_check_sink(struct golden_check *check);

void golden_check_begin(struct golden_check *check, const char *file);
void golden_check_packet(struct golden_check *check, const struct qs_dump_packet *about);
/* Drops the packet decoded last, which is not wanted. */
void golden_check_discard(struct golden_check *check);
/* `whole` false: the input was not read to its end. New. */
struct golden_result *golden_check_end(struct golden_check *check, bool whole);

#endif
