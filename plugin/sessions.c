/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/sessions.h"

struct owner {
    const struct qs_protocol *protocol;
    struct qs_session *session;
};

static ws_bool clear_session(wmem_allocator_t *pool, wmem_cb_event_t event, void *data)
{
    const struct owner *owner = data;

    (void)pool, (void)event;
    owner->protocol->session_clear(owner->session);
    return FALSE; /* once is enough */
}

/* The caller must make `*session` valid at once. */
static struct qs_session *allocate(wmem_allocator_t *pool, const struct qs_protocol *protocol)
{
    struct owner *owner = wmem_new(pool, struct owner);

    owner->protocol = protocol;
    owner->session = wmem_alloc(pool, protocol->session_size);
    wmem_register_callback(pool, clear_session, owner);
    return owner->session;
}

struct qs_session *session_new(wmem_allocator_t *pool, const struct qs_protocol *protocol)
{
    struct qs_session *session = allocate(pool, protocol);

    protocol->session_init(session);
    return session;
}

struct qs_session *session_restore(wmem_allocator_t *pool, const struct qs_snapshots *snapshots,
                                   const struct qs_protocol *protocol, uint32_t snapshot)
{
    struct qs_session *session = allocate(pool, protocol);

    qs_snapshots_restore(snapshots, snapshot, session);
    return session;
}
