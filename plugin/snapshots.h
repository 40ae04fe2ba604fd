/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Differences between sessions. Between packets only a few numbers change, so a packet's state has
 * only the changes, not a copy of the session before it (see qs_protocol.session_shares).
 */
#ifndef QS_PLUGIN_SNAPSHOTS_H
#define QS_PLUGIN_SNAPSHOTS_H

#include <stdint.h>

#include "common/core/protocol.h"

enum { SNAPSHOT_CHANGES_MAX = 80 };

/*
 * Writes the differences of `session` from `before`, with which it shares all storage. Returns the
 * number of bytes written, or -1 if more than SNAPSHOT_CHANGES_MAX may be needed.
 */
int snapshot_compare(const struct qs_protocol *protocol, const struct qs_session *before,
                     const struct qs_session *session, uint8_t changes[SNAPSHOT_CHANGES_MAX]);

/* Changes a copy of `before` to the session that was compared. */
void snapshot_apply(const uint8_t *changes, unsigned size, struct qs_session *session);

#endif
