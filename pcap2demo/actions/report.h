/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Descriptions of sessions for people and for programs, for all actions. All functions return new
 * strings and JSON values, which the caller frees.
 *
 * A JSON report is one object: {"schema": 1, "program": ..., "kind": "list", ...}; see the manual
 * page.
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

/* Version of JSON reports; incremented by incompatible changes. */
enum { REPORT_SCHEMA = 1 };

/* Return the game: "QuakeWorld 28 FTE"; "QW 28 FTE", or "QW 28 FTE 0x21407000 FTE2 0x2"
 * (`flags`). */
char *report_game(const struct qs_client_session *session);
char *report_short_game(const struct qs_client_session *session, bool flags);

/* Returns the maps: "dm4, dm6", or "?". */
char *report_maps(const struct qs_client_session *session);

/* Returns the session's start (ns since the epoch); 0 for demos that do not contain it. */
int64_t report_start(const struct qs_client_session *session);

/* Returns the duration: "3:07", "1:02:45". */
char *report_duration(const struct qs_client_session *session);

/* Describes the rebuilt demo ("qwd, 2 problems"), or says why there is none. */
char *report_demo(const struct qs_client_session *session);
/* Returns the number of the session's demos that were written, or would be. */
guint report_demo_files(const struct qs_client_session *session);

/* Returns the source of a sign-on that the capture lacks: "from session 2", or "missing". NULL if
 * the capture has the sign-on. */
char *report_sign_on(const struct qs_client_session *session);

/* Returns the location of the session's first packet. */
struct qs_location report_location(const struct qs_client_session *session);

/* Reports problems of the session's demo and raises the exit status. */
void report_demo_problems(const struct qs_client_session *session);

/* Returns untrusted text, such as a file's name, as a printable JSON string; null for NULL. */
json_t *report_text_json(const char *text);

/* Returns a number as JSON. */
json_t *report_number(uint64_t value);

/* Returns an array with item(i) of each item; without a function, items are strings. `items` may be
 * NULL: empty. */
typedef json_t *report_item(gconstpointer item);
json_t *report_array(const GPtrArray *items, report_item *item);

/* Returns the session as a JSON object. */
json_t *report_session_json(const struct qs_client_session *session);

/* Returns the levels as a JSON array, with the players, scores and winner of each. */
json_t *report_levels_json(const struct qs_client_session *session);

/* Appends a value to the array `name`, which is created if needed. Takes ownership of the value. */
void report_append(json_t *object, const char *name, json_t *value);

/* Returns a time in seconds since the session's start, truncated to milliseconds. */
json_t *report_seconds_json(const struct qs_client_session *session, int64_t time);

/* Returns a number with three decimals; null if `value` is below 0, that is, unknown. */
json_t *report_figure_json(double value);

/* Name of the status file that a recorder keeps in the folder of its demos. */
#define STATUS_FILE "pcap2demo-status.json"

/* Begins a JSON report. */
json_t *report_json(const char *kind);

/* Adds a JSON object as a row for report_print_json(). Takes ownership of the object. */
void report_add_json(struct rows *rows, unsigned number, json_t *object);

/* Prints a JSON report, and frees it. The action's rows become the elements of its member
 * "sessions", which must be an empty array; "others" are sessions that are only counted. */
void report_print_json(json_t *report, const struct action *action);

/* Reports that these sessions have no demos, and raises the exit status. */
void report_fail_others(const struct qs_small_sessions *others);

/* Prints a line about these sessions, if there are any. */
void report_print_others(const struct qs_small_sessions *others);

/* --- play.c: chat and movement --------------------------------------------------------------- */

/* Chat of a session, and routes of players whose positions the packets contain. Both are
 * bounded: long chat is cut, and routes get coarser. */

/* A sink that collects chat and positions of the current packet. */
struct play_sink;
struct play_sink *play_sink_new(void);
void play_sink_free(struct play_sink *sink);

/* Starts the next packet, and returns the sink to decode it into, which belongs to `sink`. */
struct qs_sink *play_sink_begin(struct play_sink *sink);

/* Chat and routes of one session. */
struct play;
struct play *play_new(void);
/* Accepts NULL. */
void play_free(struct play *play);

/* Adds the chat and positions that the sink collected from the packet. */
void play_add(struct play *play, const struct play_sink *sink,
              const struct qs_client_session *session, int64_t time);

/* Returns an object with the members "chat", "chat_left_out" and "ways". */
json_t *play_json(const struct play *play, const struct qs_client_session *session);

/* --- Path quality over time ------------------------------------------------------------------ */

/* Quality of a session's path over time, in bins of equal duration. If the session outgrows the
 * bins, each two neighbors are merged. */

struct series;

struct series *series_new(void);
/* Accepts NULL. */
void series_free(struct series *series);

/* Adds the session's latest packet, at `time`. */
void series_add(struct series *series, const struct qs_client_session *session, int64_t time);

/* Returns the figures of all bins; null if there are none. `series` may be NULL. */
json_t *series_json(const struct series *series, const struct qs_client_session *session);

#endif
