/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of the command line. Each is a row of a table that names the member of struct options for
 * its value; each part of the program has its own struct there. */
#ifndef PCAP2DEMO_OPTIONS_H
#define PCAP2DEMO_OPTIONS_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/sessions/sessions.h"

enum option_type {
    OPTION_FLAG,   /* bool */
    OPTION_TEXT,   /* const char *, the last value; NULL if not given */
    OPTION_TEXTS,  /* GPtrArray * of const char *, all values; never NULL */
    OPTION_RANGES, /* GArray * of struct qs_range, all values; never NULL */
    OPTION_COUNT,  /* guint, 1 or more */
    OPTION_SIZE,   /* uint64_t, bytes; from a text such as "1.5G" */
    OPTION_TIME,   /* int64_t, nanoseconds; from a text such as "5 min" */
    OPTION_ACTION, /* first member of a struct action_kind */
    OPTION_GONE    /* option of an earlier version, ignored; `help` names the replacement */
};

struct option_row {
    const char *name; /* long name; NULL in the last row, and in headings, which have a help text */
    char letter;      /* short name, or 0 */
    enum option_type type;
    size_t offset;        /* offset of the value in struct options */
    const char *help;     /* text for --help; NULL: --help does not list the option */
    const char *value;    /* name of the value in --help; NULL: no value, or one of `choices` */
    const char *choices;  /* allowed values, separated by "|"; NULL: any */
    const char *standard; /* default for an omitted value; NULL: a value is required */
};

/* Sets a row's type, and the offset of its value in struct options. */
#define OPTION(kind, member) .type = OPTION_##kind, .offset = offsetof(struct options, member)
#define OPTIONS_END                                                                                \
    {                                                                                              \
        .name = NULL                                                                               \
    }

/* Selection of files and of their packets. */
struct input_options {
    GPtrArray *files; /* names from -r and from words that are no options */
    GPtrArray *ports, *protocol_options;
    const char *filter; /* tcpdump expression, or NULL */
    const char *player; /* part of a player's name, or NULL */
    bool recursive;
};

struct demo_options {
    const char *output; /* folder or file, or NULL */
    GPtrArray *sign_ons;
    const char *qwd_format, *split;
};

struct recorder_options {
    const char *follow;     /* folder to follow; NULL: none, or the folder of `interface` */
    const char *interface;  /* interfaces to capture on, separated by commas; or NULL */
    const char *ring;       /* folder for captured packets, or NULL */
    uint64_t ring_size;     /* maximum size of `ring` in bytes; 0: no limit */
    const char *log_format; /* "text" or "json" */
    const char *metrics;    /* file for Prometheus, or NULL */
    bool players_only;      /* write no demos of spectators */
    int64_t idle; /* idle time after which a session ends (ns); 0: the default of conversions */
    uint64_t max_demo_size; /* maximum size of a demo in bytes; 0: no limit */
    uint64_t min_free;      /* minimum free disk space in bytes */
};

struct list_options {
    const char *sort;
    bool wide; /* print all columns in full */
};

struct check_options {
    bool no_rebuild;    /* do not check whether demos can be rebuilt */
    const char *golden; /* folder of goldens, or NULL */
    const char *expect; /* file of expectations, or NULL */
    bool update;        /* write goldens or expectations instead of comparing */
    GPtrArray *ignored, *problems;
    bool no_default_ignore;
    const char *junit; /* file for a JUnit report, or NULL */

    struct expect *expectations; /* contents of the file `expect`, or NULL */
};

struct anonymize_options {
    bool replace_names, replace_chat, keep_undecoded;
};

struct action_kind;

/* All options. Strings point into the command line. */
struct options {
    const struct action_kind *action; /* action; NULL if none is given */
    bool several_actions;
    const char *argument; /* value of the action's option: a file, a folder or a format; or NULL */
    bool json, quiet, verbose;
    bool show_secrets; /* print passwords in dumps */
    bool force;        /* overwrite files */
    bool help, short_help, version;
    const char *color, *progress; /* auto, always or never; or NULL */
    struct input_options input;
    struct demo_options demo;
    struct recorder_options recorder;
    struct list_options list;
    struct check_options check;
    struct anonymize_options anonymize;
    GArray *packets; /* numbers of the packets that --pcap copies (struct qs_range) */
    GArray *given;   /* all options in order (struct given_option) */

    /* Members derived from the options above. */
    char **files;    /* names of all inputs, also from folders; ends with NULL */
    bool any_folder; /* some files come from a folder */
    struct demo_files *demos;
    struct qs_sessions_options sessions;
};

/* An option of the command line. */
struct given_option {
    const struct option_row *row;
    const char *value; /* value; NULL if it has none */
};

/* Initializes all options as not given, with empty lists. Release them with options_clear(). */
void options_init(struct options *options);
void options_clear(struct options *options);

/* Parses the words of the command line by `rows` (struct option_row). Returns false after reporting
 * an error. */
bool options_read(struct options *options, const GPtrArray *rows, char *const *argv);

/* Returns the name of the first option in `table` that is given, or NULL. `table` may be NULL. */
const char *option_given(const struct options *options, const struct option_row *table);

/* Returns a new text, "DIR", or "[text|json]" if the value is optional; NULL: takes no value. */
char *option_value_form(const struct option_row *row);

/* --- guesses.c: finds options, and suggests corrections of unknown options and files --------- */

/* Returns the row with this long name, or NULL. */
const struct option_row *option_find(const GPtrArray *rows, const char *name);

/* Reports the unknown option `word` ("--lsit") with a hint or with options similar to its `name`
 * ("lsit"). Returns false. */
bool guess_unknown(const GPtrArray *rows, const char *word, const char *name);

/* Reports a missing file and returns false if its name looks like something else: an option, a
 * filter, or, if `demos`, the demo to write. Returns true in all other cases. */
bool guess_missing_file(const GPtrArray *rows, const struct options *options, const char *file,
                        bool demos);

/* Returns the edit distance of two words: the minimum number of insertions, deletions, replacements
 * and swaps of neighboring letters (optimal string alignment). Returns 32 if a word is longer. */
unsigned guess_edits(const char *a, const char *b);

#endif
