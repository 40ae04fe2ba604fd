/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sink receives what a decoder reads, in wire order: groups open and close, with fields and notes
 * between them.
 *
 * An implementation embeds `struct qs_sink` as its first member. Any function may be NULL. Views in
 * values, and texts, are valid only during the call. Offsets count from the start of the packet,
 * PDU or demo file, or of the bytes last passed to `source`.
 */
#ifndef QS_CORE_SINK_H
#define QS_CORE_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/field.h"
#include "common/core/reader.h"

/*
 * Notes: problems and remarkable facts of a packet, with the same kinds in all protocols.
 *
 * The plugin turns a note into an expert info named `<protocol>.<suffix>`; `pcap2demo --dump`
 * prints it under the same name; `--check` fails on those that are problems.
 */

enum qs_note {
    QS_NOTE_MALFORMED,
    QS_NOTE_UNKNOWN_MESSAGE,
    QS_NOTE_PROTOCOL_UNDECODED,
    QS_NOTE_CUT,
    QS_NOTE_CHECKSUM_BAD,
    QS_NOTE_SEQUENCE_GAP,
    QS_NOTE_LOST, /* known only from links between packets (netchan/links.h) */
    QS_NOTE_SEQUENCE_STALE,
    QS_NOTE_SEQUENCE_DUPLICATE,
    QS_NOTE_NOT_CAPTURED,
    QS_NOTE_RETRANSMISSION,
    QS_NOTE_LIMIT,
    QS_NOTE_UNUSUAL,
    QS_NOTE_KINDS
};

enum qs_severity { QS_SEVERITY_CHAT, QS_SEVERITY_NOTE, QS_SEVERITY_WARN, QS_SEVERITY_ERROR };

/* Subject of a note: the groups that Wireshark has. */
enum qs_note_group {
    QS_GROUP_MALFORMED,
    QS_GROUP_UNDECODED,
    QS_GROUP_CHECKSUM,
    QS_GROUP_SEQUENCE,
    QS_GROUP_PROTOCOL
};

struct qs_note_kind {
    const char *suffix; /* filter name after the protocol's */
    enum qs_severity severity;
    enum qs_note_group group;
    bool problem; /* a check fails */
    const char *summary;
};

extern const struct qs_note_kind qs_note_kinds[QS_NOTE_KINDS];

/* Sets of kinds of notes, for struct qs_protocol. */
#define QS_NOTE_BIT(kind) (UINT32_C(1) << (kind))
#define QS_NOTES_ALL (QS_NOTE_BIT(QS_NOTE_KINDS) - 1)

struct qs_value {
    uint32_t offset; /* offset of the bytes that the value was read or derived from */
    uint32_t length;
    bool generated; /* derived: these bytes alone do not contain the value */
    union {
        uint64_t u; /* QS_BOOL, QS_U*, QS_X*, QS_FRAMENUM, QS_TIME, QS_DURATION; masked parts are
                       shifted down */
        int64_t i;  /* QS_I* */
        double f;   /* QS_FLOAT, QS_DOUBLE, QS_COORD, QS_ANGLE */
        struct qs_view bytes; /* QS_TEXT, QS_BYTES, QS_IPV4, QS_IPV6 */
    };
};

struct qs_protocol;

struct qs_sink {
    const struct qs_protocol *protocol; /* protocol of the packet; set by qs_decode() */
    void (*open)(struct qs_sink *sink, const struct qs_field *group, uint32_t offset);
    /* Closes the innermost open group; `end` is the offset after its last byte. */
    void (*close)(struct qs_sink *sink, uint32_t end);
    void (*field)(struct qs_sink *sink, const struct qs_field *field, const struct qs_value *value);
    /* Adds UTF-8 text to the title of the innermost open group. */
    void (*label)(struct qs_sink *sink, const char *text);
    void (*note)(struct qs_sink *sink, enum qs_note kind, uint32_t offset, uint32_t length,
                 const char *text);
    /* Reports bytes that are a password, if the decoder's redactor searches for them (see
     * secret.h). */
    void (*secret)(struct qs_sink *sink, uint32_t offset, uint32_t length);
    /*
     * Makes offsets count in `data` (joined fragments, inflated bytes), until a call with NULL
     * returns to the source before.
     */
    void (*source)(struct qs_sink *sink, const char *title, const uint8_t *data, uint32_t size);
};

#endif
