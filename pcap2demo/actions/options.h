/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line options that all actions share. Other options are static in their module, whose
 * GOptionEntry rows GOption fills. Before the command line is read, and after the run, they are
 * false or NULL.
 */
#ifndef PCAP2DEMO_OPTIONS_H
#define PCAP2DEMO_OPTIONS_H

#include <glib.h>
#include <stdbool.h>

#include "pcap2demo/output/demo_files.h"
#include "common/sessions/sessions.h"

struct action_kind;

struct options {
    const struct action_kind *action;
    char *argument; /* of the action: a file, a folder, a format; or NULL */
    bool json;
    bool quiet, verbose;
    bool show_secrets; /* in output and in goldens */
    bool force;        /* overwrite files */
    char **files;      /* ends with NULL */
    bool any_folder;   /* some of them come from a folder */
    struct demo_files *demos;
    struct qs_sessions_options sessions;
};

#endif
