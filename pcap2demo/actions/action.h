/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Actions on the input's sessions: convert, list, dump, check, ... Each action is a file with a
 * record, which actions.c lists.
 */
#ifndef PCAP2DEMO_ACTION_H
#define PCAP2DEMO_ACTION_H

#include <glib.h>
#include <stdbool.h>

#include "common/sessions/sessions.h"
#include "pcap2demo/options.h"
#include "pcap2demo/output/files.h"
#include "pcap2demo/output/message.h"

struct rows;

/*
 * A running action. Any function except `end` may be NULL. Implementations begin with this struct;
 * the handler gets packets and sessions.
 */
struct action {
    struct qs_sessions_handler handler;
    const struct options *options;
    struct qs_small_sessions others; /* counted by action_add_others() */
    unsigned sessions;               /* that were reported, one way or another */
    uint16_t likely_ports[2];        /* see struct qs_missed_games */
    struct {
        uint64_t packets, datagrams, segments; /* of the inputs: all, UDP's, TCP's */
        uint64_t cut;                          /* of all: the capture has only their beginning */
        const char *file;                      /* the last input */
        unsigned files;
    } read;
    struct rows *rows;    /* of a report */
    bool separate_inputs; /* sessions end with each input; numbers restart at 1 */
    bool interrupted;     /* set by the caller: the inputs were not read to the end */
    /*
     * If not NULL, the inputs are read twice: it is called before the first pass (`begins`) and
     * after it; messages are muted meanwhile.
     */
    void (*first_pass)(struct action *action, bool begins);
    bool reads_again; /* `end` reads the inputs again */
    /* An input is open, and will be read. */
    void (*input_start)(struct action *action, const char *file);
    /* The input was read, up to its end or the first damage. */
    void (*input_over)(struct action *action, const char *file, uint64_t frames);
    /* All inputs were read; `report`: any could be. Clears what `begin` made. */
    void (*end)(struct action *action, bool report);
};

/* Where --help lists an action. */
enum task { TASK_LOOK, TASK_TEST, TASK_CAPTURE, TASK_RECORD };

/* An action, as the command line knows it. */
struct action_kind {
    struct option_row option; /* of type OPTION_ACTION */
    enum task task;
    bool json; /* --json is allowed */
    /* Returns what is wrong with the argument, a new string, or NULL. NULL: all are valid. */
    char *(*problem)(const char *argument);
    const struct option_row *rows; /* its own options; or NULL */
    bool is_implied;               /* any of them selects the action */
    /* Parses its own options, when the files are known. False: an error was reported. Or NULL. */
    bool (*parse)(struct options *options);
    size_t size;           /* of the struct that begins with struct action; zeros behind that */
    struct action running; /* what it begins with; `begin` sets the rest, or is NULL */
    void (*begin)(struct action *action);
    /* Replaces these for actions without input: the files are words. Or NULL. */
    void (*print)(const struct options *options);
};

/* The action of these options. New. */
struct action *action_new(const struct options *options);
void action_free(struct action *action);

/* A handler of sessions that are only counted. */
void action_add_others(struct qs_sessions_handler *handler, const struct qs_small_sessions *others);

/* A handler of games that were not decoded: reports the one that a server sent its client to. */
void action_add_missed(struct qs_sessions_handler *handler, const struct qs_missed_games *missed);

/* All inputs were read: reports that there was no session, unless something else was wrong. */
void action_report_no_session(const struct action *action);

/* The default action. */
extern const struct action_kind convert_action;

/* Those of them that are asked for by name. */
extern const struct action_kind check_action, dump_action, pcap_action, extract_action;

/* --- Rows of a report ------------------------------------------------------------------------- */

/* Stores rows of a report, added in any order and read in order of their numbers. */

struct rows;

struct rows *rows_new(void);
void rows_free(struct rows *rows);

/* Numbers start again from 1: later rows follow the present ones. */
void rows_begin_part(struct rows *rows);

/* Adds a row of any bytes. `number`: 1 or more; of equal ones the first comes first. */
void rows_add(struct rows *rows, unsigned number, const void *bytes, gsize size);

/* Receives a row; a NUL follows the bytes. */
typedef void row_visitor(void *user, const char *bytes, gsize size);

/* Calls `each` for all rows in order. No rows can be added afterwards. */
void rows_each(struct rows *rows, row_visitor *each, void *user);

#endif
