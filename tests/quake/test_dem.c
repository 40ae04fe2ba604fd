/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/unit.h"

#include "common/demo/dem/dem.h"

static struct qs_reader reader_over(struct qs_view bytes)
{
    return qs_reader_over(bytes.data, bytes.size);
}

static enum qs_demo_status header_status(struct qs_view bytes)
{
    struct qs_reader in = reader_over(bytes);
    int32_t track;

    return dem_read_header(&in, &track);
}

TEST(test_header)
{
    struct qs_reader in = reader_over(VIEW("-1\n12"));
    int32_t track = 0;

    assert_int_equal(dem_read_header(&in, &track), QS_DEMO_LINE);
    assert_int_equal(track, -1);
    assert_int_equal(in.pos, 3);
    assert_int_equal(dem_read_header(&in, &track), QS_DEMO_CUT);
    assert_int_equal(in.pos, 3);
    assert_int_equal(header_status(VIEW("")), QS_DEMO_CUT);
    assert_int_equal(header_status(VIEW("\n")), QS_DEMO_BAD);
    assert_int_equal(header_status(VIEW("2x\n")), QS_DEMO_BAD);
    assert_int_equal(header_status(VIEW("99999999999\n")), QS_DEMO_BAD);
    assert_int_equal(header_status(VIEW("-2147483648\n")), QS_DEMO_LINE);
    assert_int_equal(header_status(VIEW("0000000000000000\n")), QS_DEMO_BAD);
}

TEST(test_blocks)
{
    static const struct dem_angles view = {1.5f, -90.0f, 0.25f}, other = {3.0f, 4.0f, 5.0f};
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    struct dem_block block;
    struct qs_reader in;

    dem_append_header(bytes, DEM_TRACK_NONE);
    dem_append_block(bytes, &view, VIEW("\1\2\3"));
    dem_append_block(bytes, &other, VIEW(""));
    in = qs_reader_over(bytes->data, bytes->len);
    qs_reader_bytes(&in, 3);
    assert_int_equal(dem_read_block(&in, &block), QS_DEMO_BLOCK);
    assert_view_is(block.messages, VIEW("\1\2\3"));
    assert_false(block.from_client);
    assert_memory_equal(&block.view, &view, sizeof view);
    assert_int_equal(dem_read_block(&in, &block), QS_DEMO_BLOCK);
    assert_int_equal(block.messages.size, 0);
    assert_memory_equal(&block.view, &other, sizeof other);
    assert_int_equal(dem_read_block(&in, &block), QS_DEMO_END);
}

TEST(test_layout)
{
    static const struct dem_angles view = {1.0f, 2.0f, -1.0f};
    g_autoptr(GByteArray) bytes = g_byte_array_new();

    dem_append_header(bytes, 7);
    dem_append_block(bytes, &view, VIEW("\2"));
    assert_view_is((struct qs_view){bytes->data, bytes->len}, VIEW("7\n"
                                                                   "\1\0\0\0"
                                                                   "\0\0\x80\x3f"
                                                                   "\0\0\0\x40"
                                                                   "\0\0\x80\xbf"
                                                                   "\2"));
}

TEST(test_broken_blocks)
{
    struct qs_view whole = VIEW("\2\0\0\x80"
                                "\0\0\0\0\0\0\0\0\0\0\0\0"
                                "ab");
    struct qs_reader in;
    struct dem_block block;

    in = reader_over(VIEW("\1\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0"));
    assert_int_equal(dem_read_block(&in, &block), QS_DEMO_BAD);
    for (uint32_t size = 1; size < whole.size; size++) {
        in = qs_reader_over(whole.data, size);
        assert_int_equal(dem_read_block(&in, &block), QS_DEMO_CUT);
        assert_int_equal(in.pos, 0);
    }
    in = reader_over(whole);
    assert_int_equal(dem_read_block(&in, &block), QS_DEMO_BLOCK);
    assert_true(block.from_client);
    assert_view_is(block.messages, VIEW("ab"));
}
