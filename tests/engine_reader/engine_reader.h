/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A second, strict reader of demos, which shares no decoding code with common/: it reads a demo
 * that was written under --sanitize by the rules of each engine that plays such demos, and reports
 * every console command that one of them would carry out and that the manual does not list.
 *
 * Engines disagree about where a text ends, which bits of a byte are a message's number, and what
 * ends a command: `struct engine` in message.h has their rules, each demo is read once for each.
 * Only lengths and texts are read; the shapes of messages stand in one table a game.
 */
#ifndef TESTS_ENGINE_READER_H
#define TESTS_ENGINE_READER_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct engine_report {
    GString *findings; /* a line each; empty: the demo is harmless */
    unsigned found;    /* lines in it */
    uint64_t bytes;    /* of all messages */
    uint64_t unread;   /* of them behind a message that the first engine cannot read */
    GString *unknown;  /* what these messages are, a line each */
};

void engine_report_init(struct engine_report *report);
void engine_report_clear(struct engine_report *report);

/* Reads a demo of the format with this extension: "qwd", "mvd", "dm2", "dem". */
void engine_reader_read(const char *extension, const uint8_t *demo, size_t size,
                        struct engine_report *report);

#endif
