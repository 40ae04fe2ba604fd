/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The framing of MVD: whole blocks, blocks cut at each byte, and bytes that are no block. */
#include "tests/unit/unit.h"

#include "common/demo/mvd/mvd.h"

TEST(players_have_32_numbers)
{
    struct qs_reader stats = reader_over(VIEW("\0\xfd\0\0\0\0"));
    struct qs_reader multiple = reader_over(VIEW("\xff\x03\5\0\0\x80\2\0\0\0ab"));
    struct mvd_block block;

    assert_int_equal(mvd_read_block(&stats, &block), QS_DEMO_BLOCK);
    assert_int_equal(block.player, 31);
    assert_int_equal(mvd_read_block(&multiple, &block), QS_DEMO_BLOCK);
    assert_int_equal(block.players, 0x80000005);
    assert_view_is(block.payload, VIEW("ab"));
}

static enum qs_demo_status status_of(struct qs_view bytes)
{
    struct qs_reader in = reader_over(bytes);
    struct mvd_block block;
    const enum qs_demo_status status = mvd_read_block(&in, &block);

    assert_true(status == QS_DEMO_BLOCK || in.pos == 0);
    assert_false(in.overrun);
    return status;
}

TEST(bad_blocks_are_refused)
{
    assert_int_equal(status_of(VIEW("")), QS_DEMO_END);
    assert_int_equal(status_of(VIEW("\0\0")), QS_DEMO_BAD); /* dem_cmd */
    assert_int_equal(status_of(VIEW("\0\x07")), QS_DEMO_BAD);
    assert_int_equal(status_of(VIEW("\0\x06\1\0\1\0")), QS_DEMO_BAD); /* a byte more than 65536 */
    assert_int_equal(status_of(VIEW("\0\x06\0\0\1\0")), QS_DEMO_CUT);
    assert_int_equal(status_of(VIEW("\0\x03\0\0\0\0\xff\xff\xff\xff")), QS_DEMO_BAD);
}

/* Reads as the reader of a stream does: the wanted number of bytes, until the block is whole. */
static void check_stream(struct qs_view block)
{
    uint32_t have = 0, wanted, steps = 0;

    while ((wanted = qw_mvd_block_size((struct qs_view){block.data, have})) > have) {
        assert_true(wanted >= have + 1);
        assert_true(wanted <= block.size);
        have = wanted;
        assert_true(++steps <= 3);
    }
    assert_int_equal(wanted, block.size);
    assert_int_equal(have, block.size);
}

TEST(cut_blocks_are_distinguished)
{
    const struct qs_view blocks[] = {VIEW("\1\x03\1\0\0\0\2\0\0\0ab"), VIEW("\1\x06\2\0\0\0ab"),
                                     VIEW("\1\x02\1\0\0\0\2\0\0\0")};

    for (size_t i = 0; i < G_N_ELEMENTS(blocks); i++) {
        for (uint32_t size = 1; size < blocks[i].size; size++) {
            const struct qs_view begun = {blocks[i].data, size};

            assert_int_equal(status_of(begun), QS_DEMO_CUT);
            assert_true(qw_mvd_block_size(begun) >= size + 1);
            assert_true(qw_mvd_block_size(begun) <= blocks[i].size);
        }
        assert_int_equal(status_of(blocks[i]), QS_DEMO_BLOCK);
        check_stream(blocks[i]);
    }
    assert_int_equal(qw_mvd_block_size(VIEW("\0\x07")), 0);
    assert_int_equal(qw_mvd_block_size(VIEW("\0\x06\xff\xff\xff\xff")), 0);
}
