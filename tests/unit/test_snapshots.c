/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plugin keeps the state of sessions as changed bytes. */
#include "plugin/snapshots.h"

#include "common/quakeworld/session.h"
#include "tests/unit/unit.h"

static struct qw_session *new_session(void)
{
    struct qw_session *session = g_malloc0(sizeof *session);

    qw_protocol.session_init(&session->base);
    qs_table_set(&session->models, 1, qs_view_of("maps/dm6.bsp"));
    return session;
}

static void free_session(struct qw_session *session)
{
    qw_protocol.session_clear(&session->base);
    g_free(session);
}

static struct qw_session *copy_of(const struct qw_session *session)
{
    struct qw_session *copy = g_malloc(sizeof *copy);

    qw_protocol.session_copy(&copy->base, &session->base);
    return copy;
}

/* Single bytes and many in a row, near the beginning and the end of the session. */
TEST(changed_bytes_are_restored)
{
    struct qw_session *whole = new_session();

    for (unsigned changed = 0; changed < 400; changed++) {
        struct qw_session *session = copy_of(whole), *again = copy_of(whole);
        uint8_t changes[SNAPSHOT_CHANGES_MAX];
        int size;

        memset(&session->base.to_client, 1, changed % 50);
        session->base.server = (enum qs_end)(changed % 3);
        session->header_size = changed;
        size = snapshot_compare(&qw_protocol, &whole->base, &session->base, changes);
        assert_true(size >= 0);
        snapshot_apply(changes, (unsigned)size, &again->base);
        assert_memory_equal(again, session, sizeof *again);
        assert_true(qw_protocol.session_shares(&again->base, &session->base));
        free_session(again);
        free_session(session);
    }
    free_session(whole);
}

TEST(too_many_changes_are_no_snapshot)
{
    struct qw_session *whole = new_session(), *session = copy_of(whole);
    uint8_t changes[SNAPSHOT_CHANGES_MAX];

    memset(&session->base.to_server, 1, sizeof session->base.to_server);
    memset(&session->base.to_client, 2, sizeof session->base.to_client);
    assert_int_equal(snapshot_compare(&qw_protocol, &whole->base, &session->base, changes), -1);
    free_session(session);
    free_session(whole);
}
