/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the command line asks for. */
#ifndef PCAP2DEMO_OPTIONS_H
#define PCAP2DEMO_OPTIONS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "pcap2demo/regression/golden_check.h"
#include "pcap2demo/sessions/sessions.h"

enum purpose {
    PURPOSE_CONVERT,
    PURPOSE_LIST,
    PURPOSE_DUMP,
    PURPOSE_CHECK,
    PURPOSE_STATS,
    PURPOSE_PCAP,
    PURPOSE_EXTRACT
};

struct options {
    enum purpose purpose;
    bool json;
    bool quiet, verbose;
    struct session_options sessions;
    struct golden_options golden;
    bool no_rebuild; /* of a check: whether demos can be made does not matter */
    bool tap;        /* report test cases on standard output */
    char *junit;     /* and in this file; or NULL */
    bool apart;      /* each input stands by itself, its sessions are numbered from 1 */
    char **files;    /* ends with NULL */
    char *interface; /* NULL: read `files` */
    char *filter;    /* or NULL */
    char *pcap;      /* the capture to make of demos, or NULL */
    char *extract;   /* the folder for files that servers sent, or NULL */
};

enum options_verdict {
    OPTIONS_GOOD,
    OPTIONS_WRONG, /* the user was told why */
    OPTIONS_DONE   /* the version was asked for, and printed */
};

/*
 * Reads the command line; does not return when it asks for help. The result, good or not, lives
 * until options_clear().
 */
enum options_verdict options_parse(struct options *options, int *argc, char ***argv);

void options_clear(struct options *options);

#endif
