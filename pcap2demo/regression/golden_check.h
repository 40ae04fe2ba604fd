/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --check with --golden: compares each input's decode with its golden, or writes the golden. */
#ifndef PCAP2DEMO_GOLDEN_CHECK_H
#define PCAP2DEMO_GOLDEN_CHECK_H

#include "common/dump/dump.h"
#include "pcap2demo/regression/golden_diff.h"

/* Differences reported for each input; others are counted. */
enum { GOLDEN_MAX_DIFFERENCES = 20 };

struct golden_options {
    char *folder;       /* NULL: there are no goldens */
    gboolean update;    /* write goldens, do not compare */
    GPtrArray *ignored; /* char *, for an update; NULL: as in the golden, or the default */
    bool show_secrets;
};

enum golden_verdict {
    GOLDEN_SAME,
    GOLDEN_DIFFERENT,
    GOLDEN_WRITTEN,   /* for an update: it was different or missing */
    GOLDEN_UNCHANGED, /* for an update: it was the same, and is not written */
    GOLDEN_UNUSABLE   /* see `error` */
};

/* "the same", "different", ... */
const char *golden_verdict_name(enum golden_verdict verdict);

struct golden_result {
    char *path; /* of the golden */
    enum golden_verdict verdict;
    uint64_t packets;       /* compared, or written */
    uint64_t count;         /* packets that differ */
    GPtrArray *differences; /* struct golden_difference: the first of them; NULL: not compared */
    char *error;            /* with the line, or NULL */
};
void golden_result_free(struct golden_result *result);

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
