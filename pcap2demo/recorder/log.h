/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a recording says while it goes on: a line for each event on standard output, and on a
 * terminal a status line on standard error. As text,
 *
 *     2026-11-20T15:54:01Z session 3 begins: QuakeWorld, 192.0.2.7:27001 with 192.0.2.1:27500
 *
 * without the time where systemd's journal reads it, which has its own; or as JSON, an object a
 * line: {"time": ..., "event": "session_begin", "message": the text, and what belongs to the
 * event}.
 *
 * Where nobody reads standard output any more, recording goes on.
 */
#ifndef PCAP2DEMO_LOG_H
#define PCAP2DEMO_LOG_H

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>

struct log_setup {
    bool messages; /* events are messages: standard output is for something else */
    bool json;
    bool events; /* false: only what is wrong is told */
    bool status; /* a status line, where standard error is a terminal */
};

/* From now on, messages (output/message.h) are events, too. Before, and where the setup says so,
 * events are messages. */
void log_open(const struct log_setup *setup);
void log_close(void);

/* An event. Takes over `members` of its JSON object, or NULL. */
void log_event(const char *event, json_t *members, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* The same of what is wrong, which is told in any case. */
void log_warning(const char *event, json_t *members, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* Whether there is a status line; what it says from now on. */
bool log_has_status(void);
void log_set_status(const char *text);

#endif
