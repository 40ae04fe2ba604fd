/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the command line asks for. */
#ifndef PCAP2DEMO_OPTIONS_H
#define PCAP2DEMO_OPTIONS_H

#include <glib.h>
#include <stdbool.h>

#include "pcap2demo/actions/check_options.h"
#include "pcap2demo/actions/cut.h"
#include "pcap2demo/output/demo_files.h"
#include "pcap2demo/recorder/options.h"
#include "common/sessions/sessions.h"

struct action_kind;

struct options {
    const struct action_kind *action;
    char *argument; /* of the action: a file, a folder, a format; or NULL */
    bool json;
    bool quiet, verbose;
    bool wide;                            /* lists are not cut to the terminal's width */
    gboolean replace_names, replace_chat; /* with --anonymize */
    bool show_secrets;                    /* in what is printed, and in goldens */
    bool force;                           /* overwrite files */
    struct demo_files *demos;             /* where they go */
    char **files;                         /* ends with NULL */
    bool any_folder;                      /* a folder stood for some of them */
    char *interface; /* or several, with commas between them; NULL: read `files` */
    char **ports;    /* texts of --port, ends with NULL; or NULL */
    char *user;      /* who goes on when the interface is open; or NULL */
    char *filter;    /* or NULL */
    char **sign_ons; /* demos that may lend their sign-on, ends with NULL; or NULL */
    struct qs_sessions_options sessions;
    struct check_options check;
    struct cut_options cut;
    struct recorder_options recorder;
};

#endif
