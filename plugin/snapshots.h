/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How two sessions differ. Between packets only a few numbers change, so that a packet's state has
 * no copy of the session before it, only what has changed (see qs_protocol.session_shares).
 */
#ifndef QS_PLUGIN_SNAPSHOTS_H
#define QS_PLUGIN_SNAPSHOTS_H

#include <stdint.h>

#include "common/core/protocol.h"

enum { SNAPSHOT_CHANGES_MAX = 80 };

/*
 * Writes how `session` differs from `before`, which shares all that it owns. Returns the number of
 * bytes written, -1 if more than SNAPSHOT_CHANGES_MAX could be.
 */
int snapshot_compare(const struct qs_protocol *protocol, const struct qs_session *before,
                     const struct qs_session *session, uint8_t changes[SNAPSHOT_CHANGES_MAX]);

/* Makes a copy of `before` the session that was compared. */
void snapshot_apply(const uint8_t *changes, unsigned size, struct qs_session *session);

#endif
