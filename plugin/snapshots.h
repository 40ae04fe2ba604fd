/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Snapshots of sessions before each packet, for decoding packets again in any order. Between
 * packets only a few numbers change, so most snapshots store only the words that differ from a
 * whole session. The snapshots of a conversation share that session until its contents differ (see
 * qs_protocol.session_shares).
 */
#ifndef QS_PLUGIN_SNAPSHOTS_H
#define QS_PLUGIN_SNAPSHOTS_H

#include <stdint.h>

#include "common/core/protocol.h"

struct qs_snapshots;

/* Of a conversation, for qs_snapshots_take(). Zeroed: it has none yet. */
struct qs_snapshot_base {
    uint32_t whole; /* number of its last whole session */
    uint32_t last;  /* its last snapshot */
};

struct qs_snapshots *qs_snapshots_new(const struct qs_protocol *protocol);
void qs_snapshots_free(struct qs_snapshots *snapshots);

/* The number of a snapshot of the session as it is now: never 0, and the same where nothing
 * changed. */
uint32_t qs_snapshots_take(struct qs_snapshots *snapshots, struct qs_snapshot_base *base,
                           const struct qs_session *session);

/*
 * Makes `to`, raw memory of the protocol's session_size bytes, the session of that snapshot, which
 * its caller clears. Number 0: a session of which nothing is known.
 */
void qs_snapshots_restore(const struct qs_snapshots *snapshots, uint32_t number,
                          struct qs_session *to);

/* Bytes that are held, without what the whole sessions share with others. */
uint64_t qs_snapshots_size(const struct qs_snapshots *snapshots);

#endif
