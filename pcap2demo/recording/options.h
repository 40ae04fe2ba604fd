/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recording from network interfaces, and the options that only it has. */
#ifndef PCAP2DEMO_RECORDER_OPTIONS_H
#define PCAP2DEMO_RECORDER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "pcap2demo/actions/action.h"

struct recorder_options {
    char *interface;        /* or several, with commas between them; NULL: nothing is recorded */
    char *user;             /* user to switch to when the interfaces are open; or NULL */
    bool json;              /* events as JSON */
    char *metrics;          /* file for Prometheus; or NULL */
    gboolean players_only;  /* no demos of spectators */
    int64_t idle;           /* nanoseconds */
    uint64_t max_disk;      /* bytes of all demos and captures in the folder; 0: no limit */
    uint64_t max_demo_size; /* bytes; 0: no limit */
    uint64_t keep;          /* seconds; 0: for ever */
    unsigned buffer;        /* MiB of the kernel's packet buffer */
    char *packets;          /* folder for a capture of each session; or NULL */
};

extern struct recorder_options recorder_options;
extern const GOptionEntry recorder_entries[];

/* Parses the values of the others. False: an error was reported. */
bool recorder_options_parse(void);

/*
 * A BPF filter for the ports of --port ("qw=27500"), with IP fragments of any port. New; NULL: no
 * filter, because a protocol's servers open a port for each client.
 */
char *recorder_port_filter(char *const *ports);

/*
 * Records until stopped: opens the interfaces, drops the privileges for this, passes packets to the
 * sessions, and reports the status. Failures are reported; the exit status is EXIT_WELL after a
 * stop that was asked for.
 */
void recorder_run(const struct options *options);

#endif
