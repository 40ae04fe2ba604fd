/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The log of a recording: a line for each event on standard output. As text,
 *
 *     2026-11-20T15:54:01Z session 3 begins: QuakeWorld, 192.0.2.7:27001 with 192.0.2.1:27500
 *
 * without the time if systemd's journal reads it, which adds its own; or as JSON, an object a line:
 * {"time": ..., "event": "session_begin", "message": the text, and the event's members}.
 *
 * Lines wait in memory until they can be written at once: recording never waits for their reader.
 * If that is slow or the disk is full, lines are dropped and counted.
 */
#ifndef PCAP2DEMO_LOG_H
#define PCAP2DEMO_LOG_H

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>
#include <syslog.h>

enum { LOG_WAITING_MAX = 1024 * 1024 /* bytes */ };

struct log_setup {
    bool messages; /* print events as messages: another action has standard output */
    bool json;
    bool events; /* false: only warnings */
};

/* A terminal that is stopped takes less at once than it says. Opens standard output once more, if
 * it is one, to never wait for it; before the sandbox. */
void log_open_terminal(void);

/* From now on messages (output/message.h) are events, too. */
void log_open(const struct log_setup *setup);

/* Writes what waits, as far as that is possible within so long; to be called often, with 0. */
void log_flush(int milliseconds);

/* Writes what waits, unless that takes longer than two seconds. */
void log_close(void);

/* If standard output is a file: opens it by its name again, for logrotate(8). */
void log_reopen(void);

/* The present time as in the log: UTC, as in the names of demos. New. */
char *log_time(void);

/* An event of priority LOG_INFO, or LOG_WARNING, which is always logged. Takes over `members` of
 * its JSON object, or NULL. */
void log_event(int priority, const char *event, json_t *members, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

#endif
