/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sessions that live in one of Wireshark's memory pools and are cleared when the pool is freed. */
#ifndef QS_PLUGIN_SESSIONS_H
#define QS_PLUGIN_SESSIONS_H

#include "plugin/ws_compat.h"

#include "common/core/protocol.h"
#include "plugin/snapshots.h"

struct qs_session *session_new(wmem_allocator_t *pool, const struct qs_protocol *protocol);
struct qs_session *session_restore(wmem_allocator_t *pool, const struct qs_snapshots *snapshots,
                                   const struct qs_protocol *protocol, uint32_t snapshot);

#endif
