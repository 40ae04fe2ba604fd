/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/snapshots.h"

#include "common/quakeworld/session.h"
#include "tests/unit/unit.h"

enum { MOMENTS = 5000, WORDS_OF_A_PACKET = 24, NUMBERS = 300, LISTS = 7 };

static struct qw_session *new_session(void)
{
    struct qw_session *session = g_malloc(sizeof *session);

    qw_protocol.session_init(&session->base);
    return session;
}

static void free_session(void *session)
{
    qw_protocol.session_clear(session);
    g_free(session);
}

static void set_model(struct qw_session *session, uint32_t index, uint32_t value)
{
    char name[32];

    g_snprintf(name, sizeof name, "maps/%u.bsp", value);
    qs_table_set(&session->models, index, qs_view_of(name));
}

/* As packets change it: numbers nearly always, a list now and then. */
static void go_on(struct qw_session *session, uint32_t moment)
{
    session->base.to_server.sequence = moment;
    session->base.to_client.accepted += moment % 2;
    session->moved = true;
    session->cmds[2].msec = (uint8_t)moment;
    if (moment % NUMBERS == 0)
        session->base.level++;
    if (moment % (NUMBERS * LISTS) == 0)
        set_model(session, 1, moment);
}

static struct qw_session *copy_of(const struct qw_session *session)
{
    struct qw_session *copy = g_malloc(sizeof *copy);

    qw_protocol.session_copy(&copy->base, &session->base);
    qw_protocol.session_forget_packet(&copy->base);
    return copy;
}

static void assert_is(const struct qs_snapshots *snapshots, uint32_t number,
                      const struct qw_session *expected)
{
    struct qw_session session;

    qs_snapshots_restore(snapshots, number, &session.base);
    assert_memory_equal(&session.base.to_server, &expected->base.to_server,
                        sizeof session.base.to_server);
    assert_int_equal(session.base.to_client.accepted, expected->base.to_client.accepted);
    assert_int_equal(session.base.level, expected->base.level);
    assert_false(session.moved);
    assert_int_equal(session.cmds[2].msec, 0);
    assert_true(qw_protocol.session_shares(&session.base, &expected->base));
    qw_protocol.session_clear(&session.base);
}

/* Two conversations in turn; then any moment of either, as if the rest had not been. */
TEST(any_moment_can_be_had_again)
{
    struct qs_snapshots *snapshots = qs_snapshots_new(&qw_protocol);
    struct qs_snapshot_base bases[2] = {{0}};
    struct qw_session *sessions[2] = {new_session(), new_session()};
    g_autoptr(GPtrArray) copies = g_ptr_array_new_with_free_func(free_session);
    uint32_t numbers[MOMENTS];

    for (uint32_t i = 0; i < MOMENTS; i++) {
        struct qw_session *session = sessions[i % 3 != 0];

        go_on(session, i);
        numbers[i] = qs_snapshots_take(snapshots, &bases[i % 3 != 0], &session->base);
        g_ptr_array_add(copies, copy_of(session));
    }
    for (uint32_t i = MOMENTS; i--;)
        assert_is(snapshots, numbers[i], g_ptr_array_index(copies, i));
    assert_true(qs_snapshots_size(snapshots) < MOMENTS * WORDS_OF_A_PACKET * sizeof(uint32_t));
    free_session(sessions[0]);
    free_session(sessions[1]);
    qs_snapshots_free(snapshots);
}

TEST(the_same_is_kept_once)
{
    struct qs_snapshots *snapshots = qs_snapshots_new(&qw_protocol);
    struct qs_snapshot_base base = {0};
    struct qw_session *session = new_session();
    uint32_t first, other;

    first = qs_snapshots_take(snapshots, &base, &session->base);
    session->moved = true;
    assert_int_equal(qs_snapshots_take(snapshots, &base, &session->base), first);
    session->base.version = 28;
    other = qs_snapshots_take(snapshots, &base, &session->base);
    assert_int_not_equal(other, first);
    assert_int_equal(qs_snapshots_take(snapshots, &base, &session->base), other);
    free_session(session);
    qs_snapshots_free(snapshots);
}

/* All at once, so that another whole session is kept. */
TEST(much_may_change)
{
    struct qs_snapshots *snapshots = qs_snapshots_new(&qw_protocol);
    struct qs_snapshot_base base = {0};
    struct qw_session *session = new_session();
    struct qw_session *before = copy_of(session), *behind;
    uint32_t first, second;

    first = qs_snapshots_take(snapshots, &base, &session->base);
    memset(&session->base.to_server, 1, sizeof session->base.to_server);
    memset(&session->base.to_client, 2, sizeof session->base.to_client);
    memset(&session->reliable_to_client, 3, sizeof session->reliable_to_client);
    second = qs_snapshots_take(snapshots, &base, &session->base);
    behind = copy_of(session);
    assert_is(snapshots, first, before);
    assert_is(snapshots, second, behind);
    free_session(before);
    free_session(behind);
    free_session(session);
    qs_snapshots_free(snapshots);
}

TEST(nothing_is_known_of_none)
{
    struct qs_snapshots *snapshots = qs_snapshots_new(&qw_protocol);
    struct qw_session session;

    qs_snapshots_restore(snapshots, 0, &session.base);
    assert_int_equal(session.base.server, QS_END_UNKNOWN);
    qw_protocol.session_clear(&session.base);
    qs_snapshots_free(snapshots);
}
