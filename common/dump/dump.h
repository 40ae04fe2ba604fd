/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sinks that print: text, compact text, JSON. quakeshark-dump(5) has the grammar of each.
 *
 * Text is an event log that diffs well, one line per field: number of the packet, offset and length
 * in the payload, name, value. The compact form has one line per group, for goldens and for `git
 * diff`, and omits what follows from the preceding text. JSON has one packet per line.
 */
#ifndef QS_DUMP_DUMP_H
#define QS_DUMP_DUMP_H

#include <glib.h>
#include <stdio.h>

#include "common/core/decode.h"
#include "common/core/sink.h"

/* Version of the dump formats; increases when a consumer could break. */
enum { QS_DUMP_SCHEMA = 1 };

/* Properties of a packet that a dump shows besides its fields. */
struct qs_dump_packet {
    const struct qs_packet *packet;
    const struct qs_decoder *decoder; /* decoder of the same packet, after qs_decode() */
    unsigned session;                 /* number of its session; 0: none */
};

/* State of a dump: the sink of a decode, and functions for the text to print after it. */
struct qs_dump {
    struct qs_sink sink;
    /* Returns the packet's text, valid until the next decode, and prepares for that decode. */
    const GString *(*packet)(struct qs_dump *dump, const struct qs_dump_packet *about);
    void (*discard)(struct qs_dump *dump); /* prepares for the next decode without a text */
    void (*free)(struct qs_dump *dump);
};

/* A dump format. */
struct qs_dump_format {
    const char *name;  /* "text", "compact" or "json" */
    bool want_summary; /* the decoder must produce the summary */
    struct qs_dump *(*create)(void);
};
extern const struct qs_dump_format qs_dump_text, qs_dump_compact, qs_dump_json;

/* All formats, ending with NULL. qs_dump_format_find() returns NULL for an unknown name. */
extern const struct qs_dump_format *const qs_dump_formats[];
const struct qs_dump_format *qs_dump_format_find(const char *name);

static inline void qs_dump_print(struct qs_dump *dump, const struct qs_dump_packet *about,
                                 FILE *out)
{
    const GString *text = dump->packet(dump, about);

    fwrite(text->str, 1, text->len, out);
}

/* Lines about the packet itself, at the beginning of each packet in a text dump. */
struct qs_packet_line {
    const char *name;
    bool varies; /* differs from run to run, as QS_VARIES fields do */
};
enum qs_packet_line_id {
    QS_PACKET_TIME,
    QS_PACKET_SOURCE,
    QS_PACKET_DESTINATION,
    QS_PACKET_PROTOCOL,
    QS_PACKET_DIRECTION,
    QS_PACKET_PDU,
    QS_PACKET_SESSION,
    QS_PACKET_LINES
};
extern const struct qs_packet_line qs_packet_lines[QS_PACKET_LINES];

/*
 * Omits later lines of a text dump whose names pass the test, which runs once for each name. The
 * compact form counts packets from here on.
 */
typedef bool qs_name_test(void *user, const char *name);
void qs_dump_text_leave_out(struct qs_dump *dump, qs_name_test *test, void *user);

/* Appends the value as text dumps write it, without quotes around texts. */
void qs_value_append(GString *out, const struct qs_field *field, const struct qs_value *value);

/* Appends "127.0.0.1:27500" or "[::1]:27500". */
void qs_address_append(GString *out, const struct qs_address *address);

/* Returns the same as a new string, which the caller frees. */
char *qs_address_text(const struct qs_address *address);

/* Returns "c2s", "s2c" or "?". */
const char *qs_direction_name(enum qs_direction direction);

/* --- Shared by the formats: lines and sources ------------------------------------------------- */

/* Data that a dump collects of a packet before it writes: lines, and numbers of sources. */

/* --- Sources: numbered from 1, in the order in which they begin */

/* State of the numbering. All zero: the packet's payload is the source. */
struct qs_source_numbers {
    unsigned begun;                 /* number of sources so far */
    unsigned stack[QS_SOURCES_MAX]; /* numbers of the open sources, innermost last */
    unsigned depth;
};

/* Handles a sink's `source` callback. */
static inline void qs_source_numbers_set(struct qs_source_numbers *numbers, const uint8_t *data)
{
    if (data && numbers->depth < QS_SOURCES_MAX)
        numbers->stack[numbers->depth++] = ++numbers->begun;
    else if (!data && numbers->depth)
        numbers->depth--;
}

/* Returns the number of the source that offsets refer to; 0: the payload. */
static inline unsigned qs_source_number(const struct qs_source_numbers *numbers)
{
    return numbers->depth ? numbers->stack[numbers->depth - 1] : 0;
}

/* --- Lines of a text dump */

struct qs_position {
    unsigned source; /* number of the source; 0: the payload */
    uint32_t offset, length;
};

struct qs_dump_line {
    const struct qs_field *row; /* row of the field or group; NULL: a note */
    const char *name;
    const char *separator; /* text before the value; NULL: a group, which has no value */
    bool generated;
    uint64_t number; /* value of an integer or a boolean */
    struct qs_position position;
    gsize text, text_end; /* range of the value in `texts` */
    guint end;            /* for a group: index after its last line */
};

struct qs_dump_lines {
    struct qs_dump_line *at;
    guint count, room;
    GString *texts; /* values of all lines */
};

/* Appends a packet's lines in the compact form after its first line, which has no newline yet. Adds
 * the packet's size to that line unless the packet ends with its last field. */
void qs_compact_append(GString *out, const struct qs_dump_lines *lines,
                       const struct qs_dump_packet *about);

#endif
