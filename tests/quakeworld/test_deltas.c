/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two functions read entities' deltas, one to show them and one to rebuild demos: both find the
 * same end, with all bits and extensions. And each bit of a head has a field, or needs none.
 */
#include "common/quakeworld/constants.h"
#include "common/core/writer.h"
#include "common/quakeworld/entity_states.h"
#include "common/quakeworld/session.h"
#include "tests/support/covered.h"
#include "tests/unit/unit.h"

enum { ROUNDS = 50000, BODY = 80 };

/* Appends bytes that are no bits of a head, nor, two together, the end of a list. */
static void put_body(GByteArray *bytes, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        qs_write_u8(bytes, 0x11);
}

static struct fte_session dice_session(GRand *dice)
{
    /* With REPLACEMENTDELTAS entities come otherwise. */
    return (struct fte_session){.fte = g_rand_int(dice) | (g_rand_int(dice) & FTE_EVENMORE),
                                .fte2 = g_rand_int(dice) & ~(guint32)FTE2_REPLACEMENTDELTAS,
                                .mvd1 = g_rand_int(dice) & MVD1_FLOATCOORDS};
}

/* The head of a change, and as many bytes of its fields as rebuilding reads. */
static void put_delta(GByteArray *bytes, GRand *dice, const struct fte_session *agreed)
{
    const struct qw_delta_format format = qw_delta_format(agreed);
    const guint start = bytes->len;
    struct qw_entity entity = {0};
    struct qw_delta delta;
    struct qs_reader in;

    qs_write_u16(bytes, (uint16_t)((g_rand_int(dice) & (UINT16_MAX ^ U_REMOVE)) | 5));
    qs_write_u16(bytes, (uint16_t)g_rand_int(dice));
    qs_write_u16(bytes, (uint16_t)g_rand_int(dice));
    put_body(bytes, BODY);
    in = qs_reader_over(bytes->data + start, bytes->len - start);
    delta = qw_read_delta(&in, format.fte);
    qw_read_delta_fields(&in, &format, &delta, &entity);
    assert_false(in.overrun);
    g_byte_array_set_size(bytes, start + in.pos);
}

static void check_packet(struct qs_decoder *decoder, const struct fte_session *agreed,
                         const GByteArray *bytes)
{
    const struct qs_packet packet = {
        .data = bytes->data, .size = bytes->len, .wire_size = bytes->len, .from = QS_END_B};
    struct qw_session session;

    qw_protocol.session_init(&session.base);
    session.base.server = QS_END_B;
    session.base.version = QW_PROTOCOL_LAST;
    session.base.level = 1;
    session.format.known = true;
    session.ext.fte = agreed->fte;
    session.ext.fte2 = agreed->fte2;
    session.ext.mvd1 = agreed->mvd1;
    qs_decode(decoder, &session.base, NULL, &packet);
    if (qs_decoder_problems(decoder) || decoder->found.messages->len != 2)
        fail_msg("FTEX %#x, FTE2 %#x, MVD1 %#x: word %#x, bits %#x", agreed->fte, agreed->fte2,
                 agreed->mvd1, qs_le16(bytes->data + 9), qs_le32(bytes->data + 11));
    qw_protocol.session_clear(&session.base);
}

TEST(decoder_and_rebuilder_find_the_same_end)
{
    static const uint8_t header[] = {1, 0, 0, 0, 1, 0, 0, 0};
    g_autoptr(GRand) dice = g_rand_new_with_seed(1);
    struct qs_decoder decoder;

    qs_decoder_init(&decoder, &qw_protocol);
    for (unsigned round = 0; round < ROUNDS; round++) {
        const struct fte_session agreed = dice_session(dice);
        g_autoptr(GByteArray) bytes = g_byte_array_new();

        g_byte_array_append(bytes, header, sizeof header);
        qs_write_u8(bytes, SVC_PACKETENTITIES);
        put_delta(bytes, dice, &agreed);
        qs_write_u16(bytes, 0);
        qs_write_u8(bytes, SVC_NOP);
        check_packet(&decoder, &agreed, bytes);
    }
    qs_decoder_clear(&decoder);
}

TEST(each_bit_has_a_field)
{
    uint64_t covered = U_NUMBER | U_REMOVE | U_MOREBITS | U_MODEL | U_SOLID | U_FTE_EVENMORE |
                       QW_EVENMORE(U_FTE_MODELDBL | U_FTE_ENTITYDBL | U_FTE_ENTITYDBL2) |
                       QW_EVENMORE(U_FTE_YETMORE) | QW_YETMORE(0x80) /* reserved */;

    for (unsigned i = 0; i < QW_ENTITY_FIELDS; i++)
        covered |= qw_entity_fields[i].bit;
    assert_covered(&qw_protocol.fields[QW_ENTITY_WORD], 0, covered);
    assert_covered(&qw_protocol.fields[QW_ENTITY_MOREBITS], 0, covered);
    assert_covered(&qw_protocol.fields[QW_ENTITY_EVENMORE], 16, covered);
    assert_covered(&qw_protocol.fields[QW_ENTITY_YETMORE], 24, covered);
}
