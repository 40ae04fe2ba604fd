/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How sessions are described to people and to programs, the same way by all actions.
 *
 * JSON reports are one object: {"schema": 1, "program": ..., "kind": "list" or "check", ...}; see
 * the manual page.
 */
#ifndef PCAP2DEMO_REPORT_H
#define PCAP2DEMO_REPORT_H

#include <glib.h>
#include <jansson.h>

#include "pcap2demo/output/rows.h"
#include "common/sessions/sessions.h"
#include "common/sessions/session.h"
#include "pcap2demo/output/message.h"

/* Of the JSON reports; it grows when a consumer could break. */
enum { REPORT_SCHEMA = 1 };

/* "QuakeWorld 28". New. */
char *report_game(const struct qs_client_session *session);

/* "dm4, dm6", or "?". New. */
char *report_maps(const struct qs_client_session *session);

/* "3:07", "1:02:45". New. */
char *report_duration(const struct qs_client_session *session);

/* What can be rebuilt of it, or was, in a few words: "qwd, 2201 blocks". New. */
char *report_demo(const struct qs_client_session *session);

/* Who lends the sign-on that the capture lacks, "lent by session 2", or "missing"; NULL: the
 * capture has it. New. */
char *report_sign_on(const struct qs_client_session *session);

/* The session, and where it begins. */
struct qs_location report_location(const struct qs_client_session *session);

/* Reports what is wrong with the session's demo, and raises the exit status. */
void report_demo_problems(const struct qs_client_session *session);

/* Text from anywhere, such as a file's name, as a printable JSON string; NULL gives null. New. */
json_t *report_text_json(const char *text);

/* The session as a JSON object. New. */
json_t *report_session_json(const struct qs_client_session *session);

/* The start of a JSON report of this kind. New. */
json_t *report_json(const char *kind);

/* Keeps an object, which it frees, as a row of report_print_json(). */
void report_add_json(struct rows *rows, unsigned number, json_t *object);

/*
 * Prints a JSON report, and frees it. The rows are its member "sessions", for which it has an empty
 * array; "others" are those that are counted together.
 */
void report_print_json(json_t *report, struct rows *sessions,
                       const struct qs_small_sessions *others);

/* Reports that rows were lost. */
void report_rows_error(const struct rows *rows);

/* Adds sessions that are counted together to others. */
void report_add_others(struct qs_small_sessions *sum, const struct qs_small_sessions *others);

/* Reports that demos of them are impossible, and raises the exit status. */
void report_fail_others(const struct qs_small_sessions *others);

/* Prints a line about them where there are any. */
void report_print_others(const struct qs_small_sessions *others);

#endif
