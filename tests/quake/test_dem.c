/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The framing of DEM: its header, and blocks that are cut or too long. */
#include "tests/unit/unit.h"

#include "common/demo/dem/dem.h"

static enum qs_demo_status header_status(struct qs_view bytes)
{
    struct qs_reader in = reader_over(bytes);
    int32_t track;

    return dem_read_header(&in, &track);
}

TEST(a_header_is_a_number_on_a_line)
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

TEST(blocks_have_a_limit_and_may_be_cut)
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
