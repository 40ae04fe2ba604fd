/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reader at every boundary. */
#include "tests/unit/unit.h"

static const uint8_t bytes[] = {0x01, 0x82, 0x03, 0x84, 0x05};

typedef uint32_t read_any(struct qs_reader *r);

static uint32_t any_u8(struct qs_reader *r)
{
    return qs_reader_u8(r);
}

static uint32_t any_u16(struct qs_reader *r)
{
    return qs_reader_u16(r);
}

static uint32_t any_u16be(struct qs_reader *r)
{
    return qs_reader_u16be(r);
}

static const struct width {
    read_any *read;
    uint32_t width;
    uint32_t first; /* what it reads at the start of `bytes` */
} widths[] = {
    {any_u8, 1, 0x01},
    {any_u16, 2, 0x8201},
    {any_u16be, 2, 0x0182},
    {qs_reader_u32, 4, 0x84038201},
    {qs_reader_u32be, 4, 0x01820384},
};

TEST(test_values)
{
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        struct qs_reader r = qs_reader_over(bytes, sizeof bytes);

        assert_int_equal(widths[i].read(&r), widths[i].first);
        assert_int_equal(r.pos, widths[i].width);
        assert_false(r.overrun);
    }
}

/* Every width, in ranges of every size from 0 to 5: all of a value is there, or none of it. */
TEST(test_every_boundary)
{
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        for (uint32_t size = 0; size <= sizeof bytes; size++) {
            struct qs_reader r = qs_reader_over(bytes, size);
            const uint32_t value = widths[i].read(&r);

            if (size >= widths[i].width) {
                assert_int_equal(value, widths[i].first);
                assert_int_equal(r.pos, widths[i].width);
                assert_int_equal(qs_reader_left(&r), size - widths[i].width);
                assert_false(r.overrun);
            } else {
                assert_int_equal(value, 0);
                assert_int_equal(r.pos, 0);
                assert_int_equal(qs_reader_left(&r), 0);
                assert_true(r.overrun);
            }
        }
}

/* After an overrun even a value that would fit is not read, and the position stays. */
TEST(test_overrun_is_sticky)
{
    struct qs_reader r = qs_reader_over(bytes, 3);

    assert_int_equal(qs_reader_u16(&r), 0x8201);
    assert_int_equal(qs_reader_u32(&r), 0);
    assert_true(r.overrun);
    assert_int_equal(r.pos, 2);
    assert_int_equal(qs_reader_left(&r), 0);
    assert_int_equal(qs_reader_u8(&r), 0);
    assert_null(qs_reader_take(&r, 1));
    assert_null(qs_reader_string(&r).data);
    assert_int_equal(r.pos, 2);
    assert_int_equal(r.size, 3);
    assert_true(r.overrun);
}

TEST(test_take)
{
    struct qs_reader r = qs_reader_over(bytes, 4);

    assert_ptr_equal(qs_reader_take(&r, 0), bytes);
    assert_ptr_equal(qs_reader_take(&r, 4), bytes);
    assert_ptr_equal(qs_reader_take(&r, 0), bytes + 4);
    assert_false(r.overrun);
    assert_null(qs_reader_take(&r, 1));
    assert_true(r.overrun);
}

/* A count from the wire near 2^32 must not wrap around the check. */
TEST(test_take_of_huge_count)
{
    struct qs_reader r = qs_reader_over(bytes, 4);

    qs_reader_u8(&r);
    assert_null(qs_reader_take(&r, UINT32_MAX));
    assert_true(r.overrun);
    assert_int_equal(r.pos, 1);
}

TEST(test_empty_range)
{
    struct qs_reader nowhere = qs_reader_over(NULL, 0);
    struct qs_reader r = qs_reader_over(bytes, 0);

    assert_int_equal(qs_reader_left(&nowhere), 0);
    assert_non_null(qs_reader_take(&nowhere, 0));
    assert_false(nowhere.overrun);
    assert_int_equal(qs_reader_string(&nowhere).size, 0);
    assert_true(nowhere.overrun);

    assert_int_equal(qs_reader_u8(&r), 0);
    assert_true(r.overrun);
}

TEST(test_strings)
{
    const struct qs_view data = VIEW("ab\0\0c");
    struct qs_reader r = qs_reader_over(data.data, data.size);

    assert_view_is(qs_reader_string(&r), VIEW("ab"));
    assert_int_equal(r.pos, 3);
    assert_view_is(qs_reader_string(&r), VIEW(""));
    assert_int_equal(r.pos, 4);
    assert_false(r.overrun);
}

/* A string whose NUL is the last byte fits; without the NUL nothing is given. */
TEST(test_string_without_nul)
{
    const struct qs_view data = VIEW("ab\0c");
    struct qs_reader whole = qs_reader_over(data.data, 3);
    struct qs_reader cut = qs_reader_over(data.data, 2);

    assert_view_is(qs_reader_string(&whole), VIEW("ab"));
    assert_false(whole.overrun);
    assert_int_equal(qs_reader_left(&whole), 0);

    assert_null(qs_reader_string(&cut).data);
    assert_true(cut.overrun);
    assert_int_equal(cut.pos, 0);
}

TEST(test_float_bits)
{
    assert_true(qs_float_of_bits(0x3fc00000) == 1.5F);
    assert_true(qs_float_of_bits(0xc2c80000) == -100.0F);
}
