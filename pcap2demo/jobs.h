/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work in child processes: a process for each piece, several at once. What a piece gives waits in a
 * temporary file without a name until it is asked for.
 */
#ifndef PCAP2DEMO_JOBS_H
#define PCAP2DEMO_JOBS_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

struct jobs_setup {
    unsigned count;           /* of pieces */
    unsigned at_once;         /* processes */
    const GVariantType *type; /* of what a piece gives */
    /* Does piece `index`, in its process; what it gives, floating. */
    GVariant *(*work)(void *user, unsigned index);
    /* A process is over, in the parent. `well`: it has given something. */
    void (*over)(void *user, unsigned index, pid_t process, bool well);
    void *user;
};

struct jobs;

/* `setup` must live as long. */
struct jobs *jobs_new(const struct jobs_setup *setup);

/* Ends what is still at work. */
void jobs_free(struct jobs *jobs);

/*
 * Waits for a piece; pieces behind it are done in the meantime. What it gave; or NULL: the run was
 * interrupted, or `*problem` is a new text about how the process ended.
 */
GVariant *jobs_wait(struct jobs *jobs, unsigned index, char **problem);

#endif
