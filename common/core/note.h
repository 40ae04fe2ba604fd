/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Notes: what is wrong with a packet or worth seeing, of the same kinds in all protocols.
 *
 * The plugin turns a note into an expert info named `<protocol>.<suffix>`; `pcap2demo --dump`
 * prints it under the same name; `--check` fails on those that are problems.
 */
#ifndef QS_CORE_NOTE_H
#define QS_CORE_NOTE_H

#include <stdbool.h>
#include <stdint.h>

enum qs_note {
    QS_NOTE_MALFORMED,
    QS_NOTE_UNKNOWN_MESSAGE,
    QS_NOTE_PROTOCOL_UNDECODED,
    QS_NOTE_CUT,
    QS_NOTE_CHECKSUM_BAD,
    QS_NOTE_SEQUENCE_GAP,
    QS_NOTE_SEQUENCE_STALE,
    QS_NOTE_SEQUENCE_DUPLICATE,
    QS_NOTE_NOT_CAPTURED,
    QS_NOTE_RETRANSMISSION,
    QS_NOTE_LIMIT,
    QS_NOTE_UNUSUAL,
    QS_NOTE_KINDS
};

enum qs_severity { QS_SEVERITY_CHAT, QS_SEVERITY_NOTE, QS_SEVERITY_WARN, QS_SEVERITY_ERROR };

/* What the note is about: the groups that Wireshark knows. */
enum qs_note_group {
    QS_GROUP_MALFORMED,
    QS_GROUP_UNDECODED,
    QS_GROUP_CHECKSUM,
    QS_GROUP_SEQUENCE,
    QS_GROUP_PROTOCOL
};

struct qs_note_kind {
    const char *suffix; /* filter name behind the protocol's */
    enum qs_severity severity;
    enum qs_note_group group;
    bool problem; /* makes a check fail */
    const char *summary;
};

extern const struct qs_note_kind qs_note_kinds[QS_NOTE_KINDS];

/* A set of notes, for the protocol record. */
#define QS_NOTE_BIT(kind) (UINT32_C(1) << (kind))

#endif
