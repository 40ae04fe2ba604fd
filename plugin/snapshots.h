/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sessions before each packet, for dissecting packets again in any order. Between packets only a
 * few numbers change, so that a packet's state has the bytes that differ from a session that the
 * packets of a conversation share (see qs_protocol.session_shares).
 */
#ifndef QS_PLUGIN_SNAPSHOTS_H
#define QS_PLUGIN_SNAPSHOTS_H

#include <stdint.h>

#include "common/core/protocol.h"

enum { SNAPSHOT_CHANGES_MAX = 128 };

/*
 * Writes how `session` differs from `whole`, which shares all that it owns. Returns the number of
 * bytes written, -1 if more than SNAPSHOT_CHANGES_MAX would be.
 */
int snapshot_compare(const struct qs_protocol *protocol, const struct qs_session *whole,
                     const struct qs_session *session, uint8_t changes[SNAPSHOT_CHANGES_MAX]);

/* Makes `to`, raw memory, the session that was compared; its caller clears it. */
void snapshot_restore(const struct qs_protocol *protocol, const struct qs_session *whole,
                      const uint8_t *changes, unsigned size, struct qs_session *to);

#endif
