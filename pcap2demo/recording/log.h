/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The log of a recording: a line for each event on standard output. As text,
 *
 *     2026-11-20T15:54:01Z session 3 begins: QuakeWorld, 192.0.2.7:27001 with 192.0.2.1:27500
 *
 * without the time if systemd's journal reads it, which adds its own; or as JSON, an object a line:
 * {"time": ..., "event": "session_begin", "message": the text, and the event's members}.
 */
#ifndef PCAP2DEMO_LOG_H
#define PCAP2DEMO_LOG_H

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>
#include <syslog.h>

/* From now on messages (output/message.h) are events, too. `events` false: only warnings are
 * logged. */
void log_open(bool json, bool events);
void log_close(void);

/* Whether its lines are JSON. */
bool log_is_json(void);

/* The present time as in the log: UTC, as in the names of demos. New. */
char *log_time(void);

/* An event of priority LOG_INFO, or LOG_WARNING, which is always logged. Takes over `members` of
 * its JSON object, or NULL. */
void log_event(int priority, const char *event, json_t *members, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

#endif
