/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recording: what others capture is followed, and the options that only it has. */
#ifndef PCAP2DEMO_RECORDING_OPTIONS_H
#define PCAP2DEMO_RECORDING_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "pcap2demo/actions/action.h"

struct recorder_options {
    char *follow;           /* the folder that is followed; NULL: none, or that of `interface` */
    char *interface;        /* or several, with commas between them: they are captured; or NULL */
    char *ring;             /* folder for what is captured; or NULL */
    uint64_t ring_size;     /* bytes; 0: no limit */
    bool json;              /* events as JSON */
    char *metrics;          /* file for Prometheus; or NULL */
    gboolean players_only;  /* no demos of spectators */
    int64_t idle;           /* nanoseconds; 0: as in a conversion */
    uint64_t max_demo_size; /* bytes; 0: no limit */
    uint64_t min_free;      /* bytes of the disk */
};

extern struct recorder_options recorder_options;
extern const GOptionEntry recorder_entries[];

/* Whether --follow or --interface was given. */
bool recorder_is_wanted(void);

/* Parses the values of the others. False: an error was reported. */
bool recorder_options_parse(void);

/*
 * Follows a folder, and captures to it if that is wanted, until stopped. Calls `prepare` when it is
 * no longer root. Failures are reported; the exit status is EXIT_WELL after a stop that was asked
 * for.
 */
void recorder_run(const struct options *options, void (*prepare)(const struct options *options));

#endif
