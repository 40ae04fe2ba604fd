/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The log of a recording: a line for each event on standard output, and on a terminal a status line
 * on standard error. As text,
 *
 *     2026-11-20T15:54:01Z session 3 begins: QuakeWorld, 192.0.2.7:27001 with 192.0.2.1:27500
 *
 * without the time if systemd's journal reads it, which adds its own; or as JSON, an object a line:
 * {"time": ..., "event": "session_begin", "message": the text, and the event's members}.
 *
 * Recording continues when standard output is closed.
 */
#ifndef PCAP2DEMO_LOG_H
#define PCAP2DEMO_LOG_H

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>

struct log_setup {
    bool messages; /* print events as messages: another action has standard output */
    bool json;
    bool events; /* false: only warnings */
    bool status; /* a status line, where standard error is a terminal */
};

/* From now on messages (output/message.h) are events, too. */
void log_open(const struct log_setup *setup);
void log_close(void);

/* An event. Takes over `members` of its JSON object, or NULL. */
void log_event(const char *event, json_t *members, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* The same for a warning, which is always logged. */
void log_warning(const char *event, json_t *members, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* Whether there is a status line; sets its text. */
bool log_has_status(void);
void log_set_status(const char *text);

#endif
