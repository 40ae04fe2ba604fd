/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields of a converted frame that the server left out, and frames that are passed over. */
#include "common/demo/dm2/dm2.h"
#include "tests/quake2/unit.h"

#include <string.h>

struct conversion {
    struct dm2_converter converter;
    struct q2_session session;
    struct q2_frame frame;
};

static void open_conversion(struct conversion *conversion, int32_t version)
{
    memset(conversion, 0, sizeof *conversion);
    dm2_converter_init(&conversion->converter);
    conversion->session.base.version = version;
    conversion->frame.number = 8;
}

static void close_conversion(struct conversion *conversion)
{
    dm2_converter_clear(&conversion->converter);
    q2_frame_clear(&conversion->frame);
}

static void add_entity(struct conversion *conversion, uint16_t number, uint8_t event)
{
    const struct q2_entity entity = {.number = number, .model = {255}, .event = event};

    q2_entities_append(conversion->frame.entities, &entity);
}

static const struct q2_entity *entity_of(const struct q2_frame *frame, uint32_t number)
{
    guint index;

    assert_non_null(frame);
    assert_true(q2_entities_find(frame->entities, number, &index));
    return q2_entities_at(frame->entities, index);
}

static const struct q2_frame *convert(struct conversion *conversion, uint32_t acknowledged)
{
    return dm2_converter_frame(&conversion->converter, &conversion->session, &conversion->frame,
                               acknowledged);
}

/* The newest move that the packet acknowledges counts, not the newest of all. */
TEST(the_view_is_of_the_move_that_is_acknowledged)
{
    const struct q2_usercmd first = {.angles = {100, 200, 0}}, second = {.angles = {700, 800, 0}};
    struct conversion conversion;
    const struct q2_frame *frame;

    open_conversion(&conversion, Q2_PROTOCOL_R1Q2);
    conversion.frame.player.delta_angles[1] = 32767;
    dm2_converter_move(&conversion.converter, 20, &first);
    dm2_converter_move(&conversion.converter, 23, &second);
    frame = convert(&conversion, 22);
    assert_int_equal(frame->player.viewangles[0], 100);
    assert_int_equal(frame->player.viewangles[1], (int16_t)(32767 + 200));
    assert_true(conversion.converter.view_is_old); /* packet 22 was not captured */
    frame = convert(&conversion, 23);
    assert_int_equal(frame->player.viewangles[0], 700);
    assert_false(conversion.converter.view_is_old);
    dm2_converter_move(&conversion.converter, 24, NULL); /* it has no move */
    frame = convert(&conversion, 24);
    assert_int_equal(frame->player.viewangles[0], 700);
    assert_false(conversion.converter.view_is_old);
    close_conversion(&conversion);
}

static void open_q2pro(struct conversion *conversion)
{
    open_conversion(conversion, Q2_PROTOCOL_Q2PRO);
}

#define CONVERSION_TEST(function)                                                                  \
    TEST_WITH(function, struct conversion, conversion, open_q2pro, close_conversion)

CONVERSION_TEST(a_view_that_was_sent_is_kept)
{
    const struct q2_usercmd move = {.angles = {100, 200, 0}};

    dm2_converter_move(&conversion->converter, 20, &move);
    conversion->frame.player.pm_type = 2;
    assert_int_equal(convert(conversion, 20)->player.viewangles[0], 0);
    conversion->frame.player.pm_type = 0;
    assert_int_equal(convert(conversion, 20)->player.viewangles[0], 100);
    assert_int_equal(convert(conversion, 21)->player.viewangles[0], 100);
    conversion->session.recording = true;
    assert_int_equal(convert(conversion, 21)->player.viewangles[0], 0);
    assert_false(conversion->converter.view_is_old); /* the move of packet 21 does not matter */
}

CONVERSION_TEST(the_own_entity_gets_the_players_origin)
{
    const struct q2_entity *own;

    add_entity(conversion, 1, 0);
    conversion->frame.player.origin[2] = 77;
    conversion->frame.player.viewangles[0] = 300;
    own = entity_of(convert(conversion, 0), 1);
    assert_int_equal(own->origin[2], 77);
    assert_int_equal(own->angles[0], 100);
    assert_int_equal(own->model[0], 255);
}

CONVERSION_TEST(the_player_whose_view_is_shown_is_invisible)
{
    add_entity(conversion, 1, 0);
    add_entity(conversion, 4, 0);
    conversion->frame.player.clientnum = 3;
    assert_int_equal(entity_of(convert(conversion, 0), 4)->model[0], 0);
    assert_int_equal(entity_of(convert(conversion, 0), 1)->model[0], 255);
}

/* Forty frames a second come in. */
CONVERSION_TEST(ten_frames_a_second_are_kept_with_the_events_of_the_others)
{
    const struct q2_frame *frame;

    conversion->session.level.frame_rate = 40;
    add_entity(conversion, 5, 2);
    conversion->frame.number = 9;
    assert_null(convert(conversion, 0));
    q2_entities_empty(conversion->frame.entities);
    add_entity(conversion, 5, 0);
    add_entity(conversion, 6, 0);
    conversion->frame.number = 12;
    frame = convert(conversion, 0);
    assert_int_equal(frame->number, 3);
    assert_int_equal(entity_of(frame, 5)->event, 2);
    assert_int_equal(entity_of(frame, 6)->event, 0);
    conversion->frame.number = 16;
    assert_int_equal(entity_of(convert(conversion, 0), 5)->event, 0);
}

/* A client may ask for another rate at any time: the demo's clock continues. */
CONVERSION_TEST(the_clock_continues_when_the_rate_changes)
{
    static const struct {
        uint16_t rate;
        int32_t number, expected; /* 0: passed over */
    } frames[] = {{40, 400, 100}, {40, 402, 0},   {40, 404, 101}, {10, 408, 102}, {10, 409, 103},
                  {10, 411, 105}, {20, 412, 106}, {20, 413, 0},   {20, 418, 109}};

    for (unsigned i = 0; i < G_N_ELEMENTS(frames); i++) {
        const struct q2_frame *frame;

        conversion->session.level.frame_rate = frames[i].rate;
        conversion->frame.number = frames[i].number;
        frame = convert(conversion, 0);
        assert_int_equal(frame ? frame->number : 0, frames[i].expected);
    }
    dm2_converter_level(&conversion->converter);
    conversion->frame.number = 2;
    assert_int_equal(convert(conversion, 0)->number, 1);
}
