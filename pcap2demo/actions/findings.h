/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Findings of --check in one file, and their report. */
#ifndef PCAP2DEMO_FINDINGS_H
#define PCAP2DEMO_FINDINGS_H

#include <jansson.h>

#include "common/core/decode.h"
#include "pcap2demo/regression/expect.h"
#include "pcap2demo/regression/golden.h"

struct finding {
    uint64_t packet;
    uint32_t offset;
    const struct qs_protocol *protocol;
    bool expected; /* the golden expects this problem */
    char *text;
};

/* Findings in one file. */
struct findings {
    const char *file;
    bool demo;        /* the file is a demo; its packets are blocks */
    uint64_t frames;  /* number of packets in the file */
    uint64_t packets; /* number of packets of known games */
    uint64_t notes[QS_NOTE_KINDS];
    uint64_t undecoded; /* number of undecoded bytes */
    uint64_t secrets;   /* number of passwords; counted only with a golden */
    uint64_t problem_count;
    GPtrArray *problems; /* first problems (struct finding) */
    unsigned demos;      /* number of sessions with a demo; counted only if inputs are separate */
    struct golden_result *golden; /* result of the comparison with a golden, or NULL */
    GPtrArray *expected;          /* results of expectations (struct expect_finding), or NULL */
};

/* Creates the findings of a file without any. Free them with findings_free(). */
struct findings *findings_new(const char *file);

/* Frees findings, or a struct finding. For GPtrArray. */
void findings_free(gpointer findings);
void problem_free(gpointer problem);

/* Prints the problems to standard error, and raises the exit status. */
void findings_print_problems(const struct findings *findings);

/* Prints the counts to standard output. */
void findings_print(const struct findings *findings);

/* Returns a text such as "x.golden: the same, 12 packets". The caller frees it. */
char *findings_verdict(const struct findings *findings);

/* Prints the differences from the golden; if `show`, also the verdict. Raises the exit status. */
void findings_print_golden(const struct findings *findings, bool show);

/* Returns struct findings as a new JSON object. */
json_t *findings_json(gconstpointer item);

#endif
