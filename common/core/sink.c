/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/sink.h"

const struct qs_note_kind qs_note_kinds[QS_NOTE_KINDS] = {
    [QS_NOTE_MALFORMED] = {"malformed", QS_SEVERITY_ERROR, QS_GROUP_MALFORMED, true,
                           "Malformed: runs past its end or contradicts itself"},
    [QS_NOTE_UNKNOWN_MESSAGE] = {"unknown_message", QS_SEVERITY_WARN, QS_GROUP_UNDECODED, true,
                                 "Message that this protocol version does not have"},
    [QS_NOTE_PROTOCOL_UNDECODED] = {"protocol.undecoded", QS_SEVERITY_WARN, QS_GROUP_UNDECODED,
                                    true, "Protocol extension or version not decoded"},
    [QS_NOTE_CUT] = {"cut", QS_SEVERITY_NOTE, QS_GROUP_UNDECODED, true,
                     "The capture holds only the first bytes of this packet"},
    [QS_NOTE_CHECKSUM_BAD] = {"move.checksum.bad", QS_SEVERITY_WARN, QS_GROUP_CHECKSUM, true,
                              "Move checksum does not match"},
    [QS_NOTE_SEQUENCE_GAP] = {"sequence.gap", QS_SEVERITY_CHAT, QS_GROUP_SEQUENCE, false,
                              "Sequence numbers skipped"},
    [QS_NOTE_SEQUENCE_STALE] = {"sequence.stale", QS_SEVERITY_NOTE, QS_GROUP_SEQUENCE, false,
                                "Late packet: the receiver drops it"},
    [QS_NOTE_SEQUENCE_DUPLICATE] = {"sequence.duplicate", QS_SEVERITY_NOTE, QS_GROUP_SEQUENCE,
                                    false, "Duplicate packet: the receiver drops it"},
    [QS_NOTE_NOT_CAPTURED] = {"sequence.not_captured", QS_SEVERITY_WARN, QS_GROUP_SEQUENCE, false,
                              "Something that was received is not in the capture"},
    [QS_NOTE_RETRANSMISSION] = {"retransmission", QS_SEVERITY_NOTE, QS_GROUP_SEQUENCE, false,
                                "Sent again"},
    [QS_NOTE_LIMIT] = {"limit", QS_SEVERITY_WARN, QS_GROUP_UNDECODED, true,
                       "More than is decoded of one packet"},
    [QS_NOTE_UNUSUAL] = {"unusual", QS_SEVERITY_CHAT, QS_GROUP_PROTOCOL, false,
                         "Legal but unusual"},
};
