/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/session_fields.h"

#include <stddef.h>

const struct qs_field qs_session_fields[QS_SESSION_FIELDS] = {
    [QS_SESSION_NUMBER] = {.name = "session",
                           .title = "Session",
                           .type = QS_U32,
                           .blurb = "Number of the connection in the capture, in the order of "
                                    "their beginnings"},
    [QS_SESSION_PLAYER] = {.name = "session.player",
                           .title = "Player",
                           .type = QS_TEXT,
                           .blurb = "Name of the session's player"},
    [QS_SESSION_FROM_SERVER] = {.name = "from_server",
                                .title = "Direction",
                                .type = QS_BOOL,
                                .blurb = "Whether the server sent the packet"},
};
