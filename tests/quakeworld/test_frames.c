/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of entities: a full update has the states that the deltas before it made. */
#include "tests/unit/unit.h"

#include "common/core/writer.h"
#include "common/quakeworld/constants.h"
#include "common/quakeworld/entity_states.h"

static const struct qw_delta_format plain = {.coord_size = 2, .angle_size = 1, .entities = 64};

static void update(struct qw_frames *frames, uint32_t sequence, struct qs_view body, bool is_delta)
{
    struct qw_update result;

    qw_frames_update(frames, sequence, body, is_delta, &result);
}

static void assert_in_full(struct qw_frames *frames, struct qs_view expected)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();

    qw_frames_append(bytes, frames);
    assert_view_is(qs_view_of_bytes(bytes), expected);
}

/* Entity 5 has a baseline: model 7, frame 1, colormap 0, skin 2, at (1 2 3). */
static const struct qs_view baseline_of_5 = {(const uint8_t *)"\5\0\7\1\0\2\x8\0\0\x10\0\0\x18\0\0",
                                             15};

#define FRAMES_TEST(function)                                                                      \
    TEST_WITH(function, struct qw_frames, frames, qw_frames_init, qw_frames_clear)

FRAMES_TEST(a_full_update_has_differences_from_the_baseline)
{
    frames->format = plain;
    qw_frames_baseline(frames, baseline_of_5, false);
    update(frames, 10, VIEW("\5\0\x6\x82\x2\x20\0\0\0\0"), false);
    /* As it came: entity 5 as its baseline, entity 6 with an origin and an angle. */
    assert_in_full(frames, VIEW("\x2f\5\0\x6\x82\x2\x20\0\0\0\0"));
    update(frames, 11, VIEW("\x0a\5\x22\3\x30\0\0\0"), true);
    assert_in_full(frames, VIEW("\x2f\5\x22\3\x30\0\x6\x82\x2\x20\0\0\0\0"));
    update(frames, 12, VIEW("\x0b\5\x22\1\x8\0\6\x40\0\0"), true);
    assert_in_full(frames, VIEW("\x2f\5\0\0\0"));
}

FRAMES_TEST(the_newest_frame_replaces_one_that_was_not_captured)
{
    struct qw_update result;

    frames->format = plain;
    update(frames, 10, VIEW("\6\x80\x4\x9\0\0"), false);
    qw_frames_update(frames, 12, VIEW("\x0b\7\x80\x4\x9\0\0"), true, &result);
    assert_true(result.is_delta);
    assert_false(result.base_known);
    assert_int_equal(result.base, 11);
    assert_in_full(frames, VIEW("\x2f\6\x80\x4\x9\7\x80\x4\x9\0\0"));
}

/* MVD1's FLOATCOORDS: floats in deltas, i16 in baselines. */
FRAMES_TEST(floatcoords_are_floats_in_deltas_alone)
{
    struct fte_session session = {.mvd1 = MVD1_FLOATCOORDS};

    frames->format = qw_delta_format(&session);
    qw_frames_baseline(frames, baseline_of_5, false);
    update(frames, 10, VIEW("\5\x06\0\0\x80\x3f\0\0\x40\x40\0\0"), false);
    /* X is 1 as in the baseline, Y is 3 and not 2. */
    assert_in_full(frames, VIEW("\x2f\5\x04\0\0\x40\x40\0\0"));
}

/* Numbers and models beyond a byte, and FTE's further fields. */
FRAMES_TEST(ftes_fields_are_kept)
{
    struct fte_session session = {.fte = FTE_ENTITYDBL | FTE_MODELDBL | FTE_TRANS | FTE_COLOURMOD};

    frames->format = qw_delta_format(&session);
    update(frames, 10, VIEW("\7\x80\x84\xaa\x04\2\x11\x22\x33\x44\0\0"), false);
    assert_in_full(frames, VIEW("\x2f\7\x80\x84\xaa\x04\2\x11\x22\x33\x44\0\0"));
    update(frames, 11, VIEW("\x0a\7\xc0\x80\x20\0\0"), true);
    assert_in_full(frames, VIEW("\x2f\0\0"));
}

FRAMES_TEST(a_full_update_has_no_more_entities_than_players_take)
{
    g_autoptr(GByteArray) body = g_byte_array_new(), full = g_byte_array_new();

    frames->format = plain;
    for (uint16_t number = 1; number <= 100; number++)
        qs_write_u16(body, number);
    qs_write_u16(body, 0);
    update(frames, 10, qs_view_of_bytes(body), false);
    qw_frames_append(full, frames);
    assert_int_equal(full->len, 1 + 2 * 64 + 2);
}

/* Many frames of each session are kept: each has a limited size. */
TEST(states_of_a_frame_have_a_limit)
{
    g_autoptr(GByteArray) body = g_byte_array_new();
    struct qw_states *states;

    for (uint16_t number = 500; number >= 1; number--)
        qs_write_u16(body, number);
    qs_write_u16(body, 0);
    states = qw_states_apply(NULL, NULL, &plain, qs_reader_over(body->data, body->len));
    assert_int_equal(states->count, QW_STATES_IN_FRAME_MAX);
    g_free(states);
}

/* --- Against a follower that applies each update at once --- */

enum { PACKETS = 3000, NUMBERS = 40 };

/* A delta with some entities changed, some removed. */
static void write_random(GByteArray *body, GRand *rand, uint8_t from)
{
    qs_write_u8(body, from);
    for (uint16_t number = 1; number < NUMBERS; number++) {
        const int what = g_rand_int_range(rand, 0, 12);

        if (what == 0)
            qs_write_u16(body, number | U_REMOVE);
        if (what != 1 && what != 2)
            continue;
        qs_write_u16(body, (uint16_t)(number | (what == 1 ? U_ORIGIN1 : U_FRAME)));
        qs_write_u8(body, (uint8_t)g_rand_int(rand));
        if (what == 1)
            qs_write_u8(body, 0);
    }
    qs_write_u16(body, 0);
}

static void assert_states(struct qw_frames *frames, const struct qw_states *states)
{
    g_autoptr(GByteArray) expected = g_byte_array_new();

    qs_write_u8(expected, SVC_PACKETENTITIES);
    for (uint32_t i = 0; states && i < states->count; i++)
        qw_append_delta(expected, &plain, NULL, &states->entities[i]);
    qs_write_u16(expected, 0);
    assert_in_full(frames, qs_view_of_bytes(expected));
}

FRAMES_TEST(a_full_update_has_the_states_of_all_deltas)
{
    struct qw_states *at_once[PACKETS + 1] = {0};
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);

    frames->format = plain;
    update(frames, 1, VIEW("\0\0"), false);
    for (uint32_t n = 2; n <= PACKETS; n++) {
        const uint32_t back = (uint32_t)g_rand_int_range(rand, 1, n < 60 ? (int)n : 60);
        g_autoptr(GByteArray) body = g_byte_array_new();

        write_random(body, rand, (uint8_t)(n - back));
        at_once[n] = qw_states_apply(qw_states_copy(at_once[n - back]), NULL, &plain,
                                     qs_reader_over(body->data + 1, body->len - 1));
        update(frames, n, qs_view_of_bytes(body), true);
        if (g_rand_int_range(rand, 0, 50) == 0 || n == PACKETS)
            assert_states(frames, at_once[n]);
    }
    for (uint32_t n = 0; n <= PACKETS; n++)
        g_free(at_once[n]);
}
