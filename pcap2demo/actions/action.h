/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Actions on sessions of the input: convert, list, dump, check, ... Each action is a file with a
 * struct action_kind, which command_line.c lists. */
#ifndef PCAP2DEMO_ACTION_H
#define PCAP2DEMO_ACTION_H

#include <glib.h>
#include <stdbool.h>

#include "common/sessions/sessions.h"
#include "pcap2demo/options.h"
#include "pcap2demo/output/files.h"
#include "pcap2demo/output/message.h"

struct rows;

/* A running action. Actions begin with this struct; the handler receives packets and sessions.
 * Every function except `end` may be NULL. */
struct action {
    struct qs_sessions_handler handler;
    const struct options *options;
    struct qs_small_sessions others; /* sum of sessions only counted */
    unsigned sessions; /* number of sessions reported; 0: action_report_no_session() prints why */
    uint16_t likely_ports[2]; /* ports of a likely game, see struct qs_missed_games */
    struct {
        uint64_t packets, datagrams, segments; /* numbers in all inputs */
        uint64_t cut;                          /* number of packets that the capture truncated */
        uint64_t identity;                     /* see struct input_visitor */
        const char *file;                      /* name of the last input */
        unsigned files;
        bool overlap; /* two captures have packets of the same time */
    } read;
    struct rows *rows;    /* rows of the report */
    bool separate_inputs; /* sessions end with each input; numbers restart at 1 */
    bool interrupted;     /* an interrupt ended the reading of files early; set by the caller */
    /* If not NULL, the inputs are read twice. Called before the first pass (`begins`) and after it;
     * messages are muted until then. */
    void (*first_pass)(struct action *action, bool begins);
    bool reads_again; /* `end` reads the inputs once more */
    /* qs_packet.number counts in the whole input, qs_packet.frame in the file. */
    bool numbers_of_input;
    /* Called after an input was opened, before its first packet. */
    void (*input_start)(struct action *action, const char *file);
    /* Called after an input was read, up to its end or to damage. */
    void (*input_over)(struct action *action, const char *file, uint64_t frames);
    /* Called last; releases what `begin` created. `report`: at least one input was read. */
    void (*end)(struct action *action, bool report);
};

/* Section of --help that lists an action. */
enum task { TASK_LOOK, TASK_TEST, TASK_CAPTURE, TASK_RECORD };

/* Description of an action for the command line. */
struct action_kind {
    struct option_row option; /* option that selects the action, of type OPTION_ACTION */
    enum task task;
    bool json; /* the action supports --json */
    /* Returns NULL, or a new error text about the argument. May be NULL: any argument is valid. */
    char *(*problem)(const char *argument);
    const struct option_row *rows; /* the action's own options, or NULL */
    bool is_implied;               /* each of `rows` selects the action */
    /* Checks `rows` after the files are known. False after reporting an error. May be NULL. */
    bool (*parse)(struct options *options);
    size_t size; /* size of the struct that begins with struct action; the rest is set to 0 */
    struct action running; /* initial value; `begin`, which may be NULL, sets the rest */
    void (*begin)(struct action *action);
    /* Performs an action without inputs: the files are words. NULL for other actions. */
    void (*print)(const struct options *options);
};

/* Creates the action of these options. Free it with action_free(). */
struct action *action_new(const struct options *options);
void action_free(struct action *action);

/* Adds up sessions that are only counted. For qs_sessions_handler.others. */
void action_add_others(struct qs_sessions_handler *handler, const struct qs_small_sessions *others);

/* Handler of missed games: stores likely ports, and reports the game that a server sent its client
 * to. The capture has no packet of that game. */
void action_add_missed(struct qs_sessions_handler *handler, const struct qs_missed_games *missed);

/* Warns that the action makes one capture, with one clock, of captures that may have several. */
void action_warn_of_clocks(const struct action *action);

/* After all inputs: reports that there is no session, unless another problem was reported. */
void action_report_no_session(const struct action *action);

/* The default action. */
extern const struct action_kind convert_action;

/* Actions that other files refer to. */
extern const struct action_kind check_action, dump_action, pcap_action, extract_action;

/* --- Rows of a report ------------------------------------------------------------------------- */

/* Rows of a report: added in any order, visited in the order of their numbers. */

struct rows;

/* Begins a part, such as an input, whose numbers restart at 1. Its rows follow the earlier ones. */
void rows_begin_part(struct rows *rows);

/* Copies a row. `number` is 1 or more; rows with equal numbers keep their order. */
void rows_add(struct rows *rows, unsigned number, const void *bytes, gsize size);

/* Receives a row. A NUL follows its bytes. */
typedef void row_visitor(void *user, const char *bytes, gsize size);

/* Calls `each` for all rows in order. Call it once, after all rows were added. */
void rows_each(struct rows *rows, row_visitor *each, void *user);

#endif
