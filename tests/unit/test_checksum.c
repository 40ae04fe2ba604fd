/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checksums of moves, and the CRC in them. */
#include "common/core/hash.h"
#include "common/quake2/decode.h"
#include "common/quakeworld/session.h"
#include "tests/unit/unit.h"

static const uint8_t zeros[80];

TEST(crc16_has_its_check_value)
{
    const struct qs_view check = VIEW("123456789");

    /* The check value of CRC-16 with polynomial 0x1021, start 0xffff, not reflected. */
    assert_int_equal(qs_crc16(0xffff, check.data, check.size), 0x29b1);
    assert_int_equal(qs_crc16(0xffff, check.data, 0), 0xffff);
    /* In two steps, divided anywhere. */
    for (uint32_t first = 0; first <= check.size; first++)
        assert_int_equal(
            qs_crc16(qs_crc16(0xffff, check.data, first), check.data + first, check.size - first),
            0x29b1);
}

TEST(quakeworld_checksums_are_those_of_its_engine)
{
    assert_int_equal(qw_move_checksum(zeros, 7, 0), 0x2f);
    assert_int_equal(qw_move_checksum(zeros, 7, 1), 0x2d);
    assert_int_equal(qw_move_checksum(zeros, 7, 2), 0x37);
}

TEST(only_60_bytes_of_a_move_count)
{
    uint8_t move[80] = {0};
    const uint8_t quakeworld = qw_move_checksum(move, 60, 9);
    const uint8_t quake2 = q2_move_checksum(move, 60, 9);

    move[60] = 0xff;
    assert_int_equal(qw_move_checksum(move, 61, 9), quakeworld);
    assert_int_equal(qw_move_checksum(move, sizeof move, 9), quakeworld);
    assert_int_equal(q2_move_checksum(move, 61, 9), quake2);
    move[59] = 0xff;
    assert_int_not_equal(qw_move_checksum(move, 60, 9), quakeworld);
    assert_int_not_equal(q2_move_checksum(move, 60, 9), quake2);
}

/*
 * The offset in the table repeats after 1020 sequence numbers. In QuakeWorld the low 16 bits of the
 * number are part of the salt as well.
 */
TEST(the_sequence_number_selects_the_salt)
{
    assert_int_equal(q2_move_checksum(zeros, 7, 5), q2_move_checksum(zeros, 7, 5 + 1020));
    assert_int_equal(qw_move_checksum(zeros, 7, 5), qw_move_checksum(zeros, 7, 5 + 255 * 65536));
    assert_int_not_equal(qw_move_checksum(zeros, 7, 5), qw_move_checksum(zeros, 7, 5 + 1020));
    /* Sanitizers notice a read beyond the end of the table. */
    qw_move_checksum(zeros, 7, 1019);
    q2_move_checksum(zeros, 7, 1019);
    qw_move_checksum(zeros, 7, UINT32_MAX);
    q2_move_checksum(zeros, 7, UINT32_MAX);
}

/* The CRC of the bytes and of four bytes of the table, XOR the sum of all. */
TEST(quake2_checksums_follow_the_definition)
{
    static const uint8_t move[] = {1, 2, 3};
    const uint8_t first = q2_move_checksum(move, sizeof move, 0);
    uint8_t salted[sizeof move + 4] = {1, 2, 3, 0x84, 0x47, 0x51, 0xc1};
    uint16_t crc = qs_crc16(0xffff, salted, sizeof salted);
    unsigned sum = 0;

    for (size_t i = 0; i < sizeof salted; i++)
        sum += salted[i];
    assert_int_equal(first, (crc ^ sum) & 0xff);
}
