/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What lists of sessions show of one. */
#ifndef Q2_DESCRIBE_H
#define Q2_DESCRIBE_H

#include "common/core/protocol.h"

void q2_session_describe(const struct qs_session *session, struct qs_description *description);

#endif
