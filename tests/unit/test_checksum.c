/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The move checksums and the CRC that they are built on. */
#include "common/core/hash.h"
#include "common/quake2/decode.h"
#include "common/quakeworld/session.h"
#include "tests/unit/unit.h"

static const uint8_t zeros[80];

TEST(test_crc16)
{
    const struct qs_view check = VIEW("123456789");

    /* The check value of CRC-16 with polynomial 0x1021, start 0xffff, not reflected. */
    assert_int_equal(qs_crc16(0xffff, check.data, check.size), 0x29b1);
    assert_int_equal(qs_crc16(0xffff, check.data, 0), 0xffff);
    /* In two steps, wherever they part. */
    for (uint32_t first = 0; first <= check.size; first++)
        assert_int_equal(
            qs_crc16(qs_crc16(0xffff, check.data, first), check.data + first, check.size - first),
            0x29b1);
}

TEST(test_quakeworld_vectors)
{
    assert_int_equal(qw_move_checksum(zeros, 7, 0), 0x2f);
    assert_int_equal(qw_move_checksum(zeros, 7, 1), 0x2d);
    assert_int_equal(qw_move_checksum(zeros, 7, 2), 0x37);
}

/* Only 60 bytes count, in both games. */
TEST(test_long_moves)
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
 * The table's place repeats every 1020 sequence numbers. In QuakeWorld the number also goes into
 * the salt by its low 16 bits; in Quake II it does not.
 */
TEST(test_sequence)
{
    assert_int_equal(q2_move_checksum(zeros, 7, 5), q2_move_checksum(zeros, 7, 5 + 1020));
    assert_int_equal(qw_move_checksum(zeros, 7, 5), qw_move_checksum(zeros, 7, 5 + 255 * 65536));
    assert_int_not_equal(qw_move_checksum(zeros, 7, 5), qw_move_checksum(zeros, 7, 5 + 1020));
    /* Numbers at the end of the table and of the range read no byte outside (sanitizers look). */
    qw_move_checksum(zeros, 7, 1019);
    q2_move_checksum(zeros, 7, 1019);
    qw_move_checksum(zeros, 7, UINT32_MAX);
    q2_move_checksum(zeros, 7, UINT32_MAX);
}

/* Worked by hand from the definition: CRC over the bytes and four table bytes, XOR their sum. */
TEST(test_quake2_definition)
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
