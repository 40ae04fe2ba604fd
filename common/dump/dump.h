/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sinks that print: text, compact text, JSON. quakeshark-dump(5) has the grammar of each.
 *
 * Text is an event log that diffs well, one line a field: number of the packet, offset and length
 * in the payload, name, value. The compact form has the same in a line a group, for goldens and for
 * `git diff`, without what follows from what stands before it. JSON is one packet a line.
 */
#ifndef QS_DUMP_DUMP_H
#define QS_DUMP_DUMP_H

#include <glib.h>
#include <stdio.h>

#include "common/core/decode.h"
#include "common/core/sink.h"

/* The version of both dump formats; it grows when a consumer could break. */
enum { QS_DUMP_SCHEMA = 1 };

/* What a dump shows of a packet besides its fields. */
struct qs_dump_packet {
    const struct qs_packet *packet;
    const struct qs_decoder *decoder; /* after qs_decode(), of the same packet */
    unsigned session;                 /* number of the session it belongs to; 0: none */
};

/* The state of a dump: the sink of a decode, and the text to print after it. */
struct qs_dump {
    struct qs_sink sink;
    /* What is to be printed of the packet; valid until the next decode, for which it is ready. */
    const GString *(*packet)(struct qs_dump *dump, const struct qs_dump_packet *about);
    void (*discard)(struct qs_dump *dump); /* gets ready for the next decode without that */
    void (*free)(struct qs_dump *dump);
};

/* A format of dumps. */
struct qs_dump_format {
    const char *name;  /* "text" */
    bool want_summary; /* of the decoder */
    struct qs_dump *(*create)(void);
};
extern const struct qs_dump_format qs_dump_text, qs_dump_compact, qs_dump_json;

/* All formats, ending with NULL, and the one of this name, or NULL. */
extern const struct qs_dump_format *const qs_dump_formats[];
const struct qs_dump_format *qs_dump_format_find(const char *name);

static inline void qs_dump_print(struct qs_dump *dump, const struct qs_dump_packet *about,
                                 FILE *out)
{
    const GString *text = dump->packet(dump, about);

    fwrite(text->str, 1, text->len, out);
}

/* The lines about the packet itself, with which each packet of a text dump begins. */
struct qs_packet_line {
    const char *name;
    bool varies; /* from run to run, as QS_VARIES fields do */
};
enum qs_packet_line_id {
    QS_PACKET_TIME,
    QS_PACKET_SOURCE,
    QS_PACKET_DESTINATION,
    QS_PACKET_PROTOCOL,
    QS_PACKET_DIRECTION,
    QS_PACKET_UNIT,
    QS_PACKET_SESSION,
    QS_PACKET_LINES
};
extern const struct qs_packet_line qs_packet_lines[QS_PACKET_LINES];

/*
 * Omits later lines of a text dump whose names pass the test. The test runs once for each field,
 * and for every note. The compact form counts packets from here on.
 */
typedef bool qs_name_test(void *user, const char *name);
void qs_dump_text_leave_out(struct qs_dump *dump, qs_name_test *test, void *user);

/* The value as text dumps write it, without quotes for texts. */
void qs_value_append(GString *out, const struct qs_field *field, const struct qs_value *value);

/* "127.0.0.1:27500", "[::1]:27500". */
void qs_address_append(GString *out, const struct qs_address *address);

/* "c2s", "s2c" or "?". */
const char *qs_direction_name(enum qs_direction direction);

/* --- For the formats: lines and sources ------------------------------------------------------- */

/* What a dump collects of a packet before it writes: lines, and numbers of sources. */

/* --- Sources: numbered from 1 on, in the order in which they begin */

/* All zero: the packet's payload is the source. */
struct qs_source_numbers {
    unsigned begun;                 /* how many there were */
    unsigned stack[QS_SOURCES_MAX]; /* innermost last */
    unsigned depth;
};

/* For a sink's `source`. */
static inline void qs_source_numbers_set(struct qs_source_numbers *numbers, const uint8_t *data)
{
    if (data && numbers->depth < QS_SOURCES_MAX)
        numbers->stack[numbers->depth++] = ++numbers->begun;
    else if (!data && numbers->depth)
        numbers->depth--;
}

/* The number of the source that offsets count in; 0: the payload. */
static inline unsigned qs_source_number(const struct qs_source_numbers *numbers)
{
    return numbers->depth ? numbers->stack[numbers->depth - 1] : 0;
}

/* --- Lines of a text dump */

struct qs_position {
    unsigned source; /* 0: the payload */
    uint32_t offset, length;
};

struct qs_dump_line {
    const struct qs_field *row; /* NULL: a note */
    const char *name;
    const char *mark; /* before the value; NULL: a group, which has none */
    bool generated;
    uint64_t number; /* of an integer or a boolean */
    struct qs_position position;
    gsize text, text_end; /* the value, in `texts` */
    guint end;            /* of a group: the index behind its last line */
};

struct qs_dump_lines {
    struct qs_dump_line *at;
    guint count, room;
    GString *texts; /* of all lines */
};

/* Appends the lines of a packet in the compact form behind its first one, which has no line end
 * yet; and to that one the packet's size, unless it ends with its last field. */
void qs_compact_append(GString *out, const struct qs_dump_lines *lines,
                       const struct qs_dump_packet *about);

#endif
