/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The findings of --check in a file, and their report. */
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
    bool expected; /* by the golden */
    char *text;
};

/* The findings in one file. */
struct findings {
    const char *file;
    bool demo;        /* its packets are blocks */
    uint64_t frames;  /* all packets of the file */
    uint64_t packets; /* those of a known game */
    uint64_t notes[QS_NOTE_KINDS];
    uint64_t undecoded; /* bytes */
    uint64_t secrets;   /* passwords; counted beside a golden */
    uint64_t problem_count;
    GPtrArray *problems;          /* struct finding: the first ones */
    unsigned demos;               /* sessions that give a demo; counted with separate inputs */
    struct golden_result *golden; /* or NULL */
    GPtrArray *expected;          /* struct expect_finding; or NULL */
};

struct findings *findings_new(const char *file);

/* For GPtrArray. */
void findings_free(gpointer findings);
void problem_free(gpointer problem);

/* Prints the problems to standard error; they raise the exit status. */
void findings_print_problems(const struct findings *findings);

/* Prints the counts to standard output. */
void findings_print(const struct findings *findings);

/* "x.golden: the same, 12 packets". New. */
char *findings_verdict(const struct findings *findings);

/* Prints the differences from the golden, and the verdict where `show`. */
void findings_print_golden(const struct findings *findings, bool show);

/* Of struct findings. New. */
json_t *findings_json(gconstpointer item);

#endif
