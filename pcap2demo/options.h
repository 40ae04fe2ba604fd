/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of the command line. Each is a row of a table, which says where in struct options its
 * value goes; each part of the program has its own struct there.
 */
#ifndef PCAP2DEMO_OPTIONS_H
#define PCAP2DEMO_OPTIONS_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/sessions/sessions.h"

enum option_type {
    OPTION_FLAG,   /* bool */
    OPTION_TEXT,   /* const char *, the last one; NULL: none was given */
    OPTION_TEXTS,  /* GPtrArray * of const char *, all that were given; never NULL */
    OPTION_RANGES, /* GArray * of struct qs_range, of all that were given; never NULL */
    OPTION_COUNT,  /* guint, from 1 */
    OPTION_SIZE,   /* uint64_t, bytes: "1.5G" */
    OPTION_TIME,   /* int64_t, nanoseconds: "5 min" */
    OPTION_ACTION, /* the row begins a struct action_kind */
    OPTION_GONE /* of an earlier version: its help, which is not printed, says what replaces it */
};

struct option_row {
    const char *name; /* NULL: the end of a table; a heading, if it has help */
    char letter;      /* or 0 */
    enum option_type type;
    size_t offset;        /* of the value in struct options */
    const char *help;     /* NULL: --help leaves it out */
    const char *value;    /* the value's name in --help; NULL: it takes none, or one of `choices` */
    const char *choices;  /* the values that it takes, with "|" between them; or NULL: any */
    const char *standard; /* the value if none is given; NULL: one is required */
};

/* A row's type and offset, for a member of struct options. */
#define OPTION(kind, member) .type = OPTION_##kind, .offset = offsetof(struct options, member)
#define OPTIONS_END                                                                                \
    {                                                                                              \
        .name = NULL                                                                               \
    }

/* Which files, and which of their packets. */
struct input_options {
    GPtrArray *files; /* of -r and without an option */
    GPtrArray *ports, *protocol_options;
    const char *filter; /* a tcpdump expression; or NULL */
    const char *player; /* a part of a name; or NULL */
    bool recursive;
};

struct demo_options {
    const char *output; /* a folder or a file; or NULL */
    GPtrArray *sign_ons;
    const char *qwd_format, *split;
};

struct recorder_options {
    const char *follow;     /* the folder that is followed; NULL: none, or that of `interface` */
    const char *interface;  /* or several, with commas between them: they are captured; or NULL */
    const char *ring;       /* folder for what is captured; or NULL */
    uint64_t ring_size;     /* bytes; 0: no limit */
    const char *log_format; /* text or json */
    const char *metrics;    /* file for Prometheus; or NULL */
    bool players_only;      /* no demos of spectators */
    int64_t idle;           /* nanoseconds; 0: as in a conversion */
    uint64_t max_demo_size; /* bytes; 0: no limit */
    uint64_t min_free;      /* bytes of the disk */
};

struct list_options {
    const char *sort;
    bool wide; /* all columns, and none is cut */
};

struct check_options {
    bool no_rebuild;    /* do not check whether demos can be made */
    const char *golden; /* the folder of goldens; or NULL */
    const char *expect; /* the file of expectations; or NULL */
    bool update;        /* write them, do not compare */
    GPtrArray *ignored, *problems;
    bool no_default_ignore;
    const char *junit; /* report test cases in this file; or NULL */

    struct expect *expectations; /* of the file; or NULL */
};

struct anonymize_options {
    bool replace_names, replace_chat, keep_undecoded;
};

struct action_kind;

/* All of them. Texts live as long as the command line. */
struct options {
    const struct action_kind *action; /* NULL: none was given */
    bool several_actions;
    const char *argument; /* of the action: a file, a folder, a format; or NULL */
    bool json, quiet, verbose;
    bool show_secrets; /* in output and in goldens */
    bool force;        /* overwrite files */
    bool help, short_help, version;
    const char *color, *progress; /* auto, always or never; or NULL */
    struct input_options input;
    struct demo_options demo;
    struct recorder_options recorder;
    struct list_options list;
    struct check_options check;
    struct anonymize_options anonymize;
    GArray *packets; /* of captures that --pcap cuts */
    GArray *given;   /* struct given_option, in order */

    /* Made of those above. */
    char **files;    /* with those in folders; ends with NULL */
    bool any_folder; /* some of them come from a folder */
    struct demo_files *demos;
    struct qs_sessions_options sessions;
};

/* An option of the command line. */
struct given_option {
    const struct option_row *row;
    const char *value; /* NULL: it takes none */
};

/* None is given: lists are empty. Release them with options_clear(). */
void options_init(struct options *options);
void options_clear(struct options *options);

/* Reads the words of the command line by the rows (struct option_row). False: an error was
 * reported. */
bool options_read(struct options *options, const GPtrArray *rows, char *const *argv);

/* The first row of a table, which may be NULL, that was given; or NULL. */
const char *option_given(const struct options *options, const struct option_row *table);

/* "DIR", or "[text|json]" if it is optional; NULL: it takes no value. New. */
char *option_value_form(const struct option_row *row);

/* --- guesses.c: names of options, and what a user may have meant by one, or a file, that does not
 * exist */

/* The row of this long name, or NULL. */
const struct option_row *option_find(const GPtrArray *rows, const char *name);

/*
 * Reports that `word` ("--lsit") is no option, with what may be meant by its `name` ("lsit").
 * Returns false.
 */
bool guess_unknown(const GPtrArray *rows, const char *word, const char *name);

/*
 * True, unless the file does not exist and its name looks like something else: an option, a filter,
 * or, with `demos`, the demo to write. That is reported.
 */
bool guess_missing_file(const GPtrArray *rows, const struct options *options, const char *file,
                        bool demos);

/* How many letters to add, leave out, replace or exchange with the next one (optimal string
 * alignment) make one word the other; at most 32. */
unsigned guess_edits(const char *a, const char *b);

#endif
