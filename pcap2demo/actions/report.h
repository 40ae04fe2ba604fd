/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Describes sessions to people and to programs, for all actions.
 *
 * A JSON report is one object: {"schema": 1, "program": ..., "kind": "list" or "check", ...}; see
 * the manual page.
 */
#ifndef PCAP2DEMO_REPORT_H
#define PCAP2DEMO_REPORT_H

#include <glib.h>
#include <jansson.h>

#include "common/core/sink.h"
#include "common/sessions/session.h"
#include "common/sessions/sessions.h"
#include "pcap2demo/actions/action.h"
#include "pcap2demo/output/message.h"

/* The JSON reports' version; it grows with incompatible changes. */
enum { REPORT_SCHEMA = 1 };

/* "QuakeWorld 28 FTE", and "QW 28 FTE"; `flags`: "QW 28 FTE 0x21407000 FTE2 0x2". New. */
char *report_game(const struct qs_client_session *session);
char *report_short_game(const struct qs_client_session *session, bool flags);

/* "dm4, dm6", or "?". New. */
char *report_maps(const struct qs_client_session *session);

/* When it began, in nanoseconds since the epoch; 0: a demo does not tell. */
int64_t report_start(const struct qs_client_session *session);

/* "3:07", "1:02:45". New. */
char *report_duration(const struct qs_client_session *session);

/* The demo that can be or was rebuilt: "qwd, 2 problems". New. */
char *report_demo(const struct qs_client_session *session);

/* Where a sign-on that the capture lacks is from, "from session 2", or "missing"; NULL: the
 * capture has it. New. */
char *report_sign_on(const struct qs_client_session *session);

/* The location of the session's start. */
struct qs_location report_location(const struct qs_client_session *session);

/* Reports problems of the session's demo and raises the exit status. */
void report_demo_problems(const struct qs_client_session *session);

/* Untrusted text, such as a file's name, as a printable JSON string; null for NULL. New. */
json_t *report_text_json(const char *text);

json_t *report_number(uint64_t value);

/* An array of what these items are in JSON; without a function they are texts. `items` may be NULL:
 * none. New. */
typedef json_t *report_item(gconstpointer item);
json_t *report_array(const GPtrArray *items, report_item *item);

/* The session as a JSON object. New. */
json_t *report_session_json(const struct qs_client_session *session);

/* The levels, with who played in each and how it ended, as a JSON array. New. */
json_t *report_levels_json(const struct qs_client_session *session);

/* Appends to the array of this name, which the first value makes. */
void report_append(json_t *object, const char *name, json_t *value);

/* Seconds since the session's start, to the millisecond. New. */
json_t *report_seconds_json(const struct qs_client_session *session, int64_t time);

/* Milliseconds or percents, to three digits; null where `value` is below 0. New. */
json_t *report_figure_json(double value);

/* What a recorder keeps of its sessions in the folder of its demos. */
#define STATUS_FILE "pcap2demo-status.json"

/* Begins a JSON report of this kind. New. */
json_t *report_json(const char *kind);

/* Adds an object, which it frees, as a row for report_print_json(). */
void report_add_json(struct rows *rows, unsigned number, json_t *object);

/*
 * Prints a JSON report, and frees it. The action's rows replace the empty array of its member
 * "sessions"; "others" are sessions that are only counted.
 */
void report_print_json(json_t *report, const struct action *action);

/* Reports that these sessions give no demos, and raises the exit status. */
void report_fail_others(const struct qs_small_sessions *others);

/* Prints a line about these sessions, if any. */
void report_print_others(const struct qs_small_sessions *others);

/* --- play.c: what the players did ------------------------------------------------------------- */

/*
 * What players of a session say, and where they go: chat, and the ways of those whose positions the
 * packets have. Both are bounded; ways get coarser instead of ending.
 */

/* Keeps the chat and the positions of the packet that is decoded. */
struct play_sink;
struct play_sink *play_sink_new(void);
void play_sink_free(struct play_sink *sink);

/* Another packet is decoded next, into the sink that it returns. */
struct qs_sink *play_sink_begin(struct play_sink *sink);

/* Of a session. */
struct play;
struct play *play_new(void);
/* NULL: nothing. */
void play_free(struct play *play);

/* Adds what the sink has of the session's last packet. */
void play_add(struct play *play, const struct play_sink *sink,
              const struct qs_client_session *session, int64_t time);

/* Members "chat", "chat_left_out" and "ways". New. */
json_t *play_json(const struct play *play, const struct qs_client_session *session);

/* --- The path over time ----------------------------------------------------------------------- */

/*
 * The quality of a session's path over time, in bins of equal length. If the session outgrows the
 * bins, pairs of them become one.
 */

struct series;

struct series *series_new(void);
/* NULL: nothing. */
void series_free(struct series *series);

/* Adds the session's last packet. */
void series_add(struct series *series, const struct qs_client_session *session, int64_t time);

/* The figures of the bins. New. */
json_t *series_json(const struct series *series, const struct qs_client_session *session);

#endif
