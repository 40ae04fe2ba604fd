/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sinks that do not need Wireshark: text, JSON lines, counts.
 *
 * Text is an event log that diffs well, one line a field, packets in order:
 *
 *     17 42+2 qw.playerinfo.origin.x = -512.125
 *
 * that is packet number, offset and length in the payload, name, value. Inside joined fragments or
 * inflated bytes the offset is written `1:42`: in the packet's first such source. A group has no
 * value. A derived value stands behind `:=` instead of `=`. Enumerated values are followed by their
 * name in parentheses; texts are quoted, with JSON's escapes, and followed by `[raw hex]` where the
 * readable text is not the same bytes. Each packet, and each unit of a stream, begins with lines
 * named `packet.*`; a unit has the number of the packet that completed it.
 *
 * JSON is one packet a line; see README, "JSON".
 */
#ifndef QS_DUMP_DUMP_H
#define QS_DUMP_DUMP_H

#include <glib.h>
#include <stdio.h>

#include "common/core/decoder.h"
#include "common/core/sink.h"

/* The version of both dump formats; it grows when a consumer could break. */
enum { QS_DUMP_SCHEMA = 1 };

/* What a dump says of a packet beside its fields. */
struct qs_dump_packet {
    const struct qs_packet *packet;
    const struct qs_decoder *decoder; /* after qs_decode(), of the same packet */
    unsigned session;                 /* number of the session it belongs to; 0: none */
};

/* Both give their sink to qs_decode(), and print at `end`, which also readies them for the next
 * packet. */
struct qs_text_sink;
struct qs_text_sink *qs_text_sink_new(FILE *out); /* `out` may be NULL where nothing is printed */
struct qs_sink *qs_text_sink_base(struct qs_text_sink *sink);
void qs_text_sink_end(struct qs_text_sink *sink, const struct qs_dump_packet *about);
/* The same without printing: what would be printed, valid until the next page. */
const GString *qs_text_sink_lines(struct qs_text_sink *sink, const struct qs_dump_packet *about);
void qs_text_sink_discard(struct qs_text_sink *sink); /* readies without printing */
void qs_text_sink_free(struct qs_text_sink *sink);

/*
 * From now on lines whose names pass the test are left out. It is asked once for each field, and
 * for a note whenever one comes.
 */
typedef bool qs_name_test(void *user, const char *name);
void qs_text_sink_leave_out(struct qs_text_sink *sink, qs_name_test *test, void *user);

struct qs_json_sink;
struct qs_json_sink *qs_json_sink_new(FILE *out);
struct qs_sink *qs_json_sink_base(struct qs_json_sink *sink);
void qs_json_sink_end(struct qs_json_sink *sink, const struct qs_dump_packet *about);
void qs_json_sink_discard(struct qs_json_sink *sink); /* readies without printing */
void qs_json_sink_free(struct qs_json_sink *sink);

/* Counts what it hears. */
struct qs_count_sink {
    struct qs_sink base;
    uint64_t groups, fields, generated;
    uint64_t notes[QS_NOTE_KINDS];
    int depth; /* groups open now */
};
void qs_count_sink_init(struct qs_count_sink *sink);

/* The value as text dumps write it, without quotes for texts. */
void qs_value_append(GString *out, const struct qs_field *field, const struct qs_value *value);

/* "127.0.0.1:27500", "[::1]:27500". */
void qs_address_append(GString *out, const struct qs_address *address);

/* "c2s", "s2c" or "?". */
const char *qs_direction_name(enum qs_direction direction);

#endif
