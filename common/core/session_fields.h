/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of a packet beside its bytes, in all protocols alike: rows as those of fields, but
 * with names that stand behind the protocol's ("session" is "qw.session"). Wireshark shows them in
 * the tree; dumps have the same as packet.session and packet.direction.
 */
#ifndef QS_CORE_SESSION_FIELDS_H
#define QS_CORE_SESSION_FIELDS_H

#include "common/core/field.h"

enum qs_session_field {
    QS_SESSION_NUMBER,
    QS_SESSION_PLAYER,
    QS_SESSION_FROM_SERVER,
    QS_SESSION_FIELDS
};

extern const struct qs_field qs_session_fields[QS_SESSION_FIELDS];

#endif
