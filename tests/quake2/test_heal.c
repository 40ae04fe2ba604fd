/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames that are made of what another client was told. */
#include "common/demo/dm2/late_join.h"
#include "tests/quake2/unit.h"

enum { MOVER = 20, STANDER = 21, OFFSET = 5, KNOWN = 10 };

struct two {
    struct dm2_healing healing;
    struct q2_session session, peer;
};

static void open_session(struct q2_session *session, int32_t version, int16_t player)
{
    q2_protocol.session_init(&session->base);
    session->base.version = version;
    session->level.servercount = 77;
    session->level.max_clients = 8;
    session->player = player;
    q2_tracker_attach(q2_tracker_new(), session);
}

static void close_session(struct q2_session *session)
{
    q2_tracker_free(session->tracker);
    q2_protocol.session_clear(&session->base);
}

/* One entity moves, the other stands where it is until it is moved. */
static void add_frame(struct q2_session *session, int32_t number, int32_t moved, int32_t stands)
{
    const struct q2_entity mover = {.number = MOVER, .model = {1}, .origin = {moved, 0, 0}};
    const struct q2_entity stander = {.number = STANDER, .model = {2}, .origin = {stands, 0, 0}};
    struct q2_frame frame = {.trust = Q2_FRAME_WHOLE, .number = number};

    frame.player.clientnum = session->player;
    q2_entities_append(frame.entities, &mover);
    q2_entities_append(frame.entities, &stander);
    q2_tracker_insert(session->tracker, &frame);
    q2_frame_clear(&frame);
}

/* The peer's frames have other numbers. The last one shows that the second entity was moved. */
static void open_two(struct two *two)
{
    open_session(&two->session, Q2_PROTOCOL_VANILLA, 0);
    open_session(&two->peer, Q2_PROTOCOL_Q2PRO, 1);
    for (int32_t i = 1; i <= KNOWN; i++) {
        add_frame(&two->session, i, 8 * i, 100);
        add_frame(&two->peer, i + OFFSET, 8 * i, 100);
    }
    add_frame(&two->peer, KNOWN + 1 + OFFSET, 8 * (KNOWN + 1), 500);
}

static void close_two(struct two *two)
{
    close_session(&two->session);
    close_session(&two->peer);
}

static int32_t place_of(const struct q2_frame *frame, uint32_t number)
{
    guint index;

    assert_true(q2_entities_find(frame->entities, number, &index));
    return q2_entities_at(frame->entities, index)->origin[0];
}

TEST(test_frame_of_a_peer)
{
    const struct q2_frame *healed;
    struct two two = {0};

    open_two(&two);
    assert_true(dm2_heal(&two.healing, &two.session, &two.peer, KNOWN + 1));
    healed = q2_tracker_frame(two.session.tracker, KNOWN + 1);
    assert_non_null(healed);
    assert_int_equal(healed->trust, Q2_FRAME_GUESSED);
    assert_int_equal(place_of(healed, MOVER), 8 * (KNOWN + 1));
    assert_int_equal(place_of(healed, STANDER), 500);
    close_two(&two);
}

TEST(test_peers_that_cannot_help)
{
    struct two two = {0};

    open_two(&two);
    assert_false(
        dm2_heal(&two.healing, &two.session, &two.peer, KNOWN + 2)); /* it has no such frame */
    assert_false(dm2_heal(&two.healing, &two.session, &two.session, KNOWN + 1));
    two.peer.level.servercount++;
    assert_false(dm2_heal(&two.healing, &two.session, &two.peer, KNOWN + 1)); /* another level */
    close_two(&two);
}

/* In each frame one entity moves by `moves`, the other by `other`: the peer's is `apart`. */
static void expect_no_frame(int32_t moves, int32_t other, int32_t apart)
{
    struct two two = {0};

    open_session(&two.session, Q2_PROTOCOL_VANILLA, 0);
    open_session(&two.peer, Q2_PROTOCOL_VANILLA, 1);
    for (int32_t i = 1; i <= KNOWN; i++) {
        add_frame(&two.session, i, 8 + moves * i, 1000 + other * i);
        add_frame(&two.peer, i, 8 + moves * i, 1000 + apart + other * i);
    }
    add_frame(&two.peer, KNOWN + 1, 8 + moves * (KNOWN + 1), 2500);
    assert_false(dm2_heal(&two.healing, &two.session, &two.peer, KNOWN + 1));
    close_two(&two);
}

/* Where nothing moves, nothing tells which frames are of one time. */
TEST(test_nothing_to_compare)
{
    expect_no_frame(0, 0, 0);
}

/* Where one entity moves alike and another one does not, the frames are not of one time. */
TEST(test_peer_that_contradicts)
{
    expect_no_frame(8, 16, 1000);
}

/* In each frame all entities change in ways of which the peer has seen none. */
static void add_changes(struct q2_session *session, int32_t number, int32_t away)
{
    enum { ENTITIES = 1000 };
    struct q2_frame frame = {.trust = Q2_FRAME_WHOLE, .number = number};

    for (uint16_t i = 1; i <= ENTITIES; i++)
        q2_entities_append(frame.entities,
                           &(struct q2_entity){.number = i, .origin = {8 * number + away, 0, 0}});
    q2_tracker_insert(session->tracker, &frame);
    q2_frame_clear(&frame);
}

/* Whoever sends few bytes cannot ask for much work with them. */
TEST(test_work_has_a_limit)
{
    enum { MISSING = 100, PACKET = 60, MOST = 750 * 1000 };
    struct two two = {0};

    open_session(&two.session, Q2_PROTOCOL_VANILLA, 0);
    open_session(&two.peer, Q2_PROTOCOL_VANILLA, 1);
    for (int32_t i = 1; i <= Q2_FRAMES_KEPT; i++) {
        add_changes(&two.session, i, 0);
        add_changes(&two.peer, i, 4);
    }
    for (unsigned i = 0; i < MISSING; i++) {
        dm2_healing_earn(&two.healing, PACKET);
        assert_false(
            dm2_heal(&two.healing, &two.session, &two.peer, Q2_FRAMES_KEPT + 1 + (int32_t)i));
    }
    assert_true(two.healing.spent < MOST); /* one search of all would be 1.1 millions */
    /* A session that goes on has earned it. */
    dm2_healing_earn(&two.healing, MOST);
    dm2_heal(&two.healing, &two.session, &two.peer, Q2_FRAMES_KEPT + 1);
    assert_true(two.healing.spent > MOST);
    close_two(&two);
}
