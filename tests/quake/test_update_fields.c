/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each bit of an entity's update and of the player's state makes its reader read something else, or
 * is one that no field belongs to; unused ones have that word in their names. */
#include "common/quake/decode.h"
#include "common/quake/constants.h"
#include "tests/support/test.h"

/* A form of updates. */
struct form {
    void (*read)(struct qs_decoder *d);
    int32_t version;
    bool darkplaces;    /* a server of DarkPlaces speaks the version */
    uint32_t fte2;      /* extensions agreed on */
    uint32_t before;    /* the first bytes of the message, if the mask is behind them */
    uint32_t mask_at;   /* where the message has the mask */
    uint32_t more;      /* bits of the mask that announce another byte of it: always set */
    uint32_t no_fields; /* bits that are never set: nothing is read for them */
};

/* Bytes of an update with the bits, whose other bytes are 0. */
static uint32_t length_of(const struct form *form, uint32_t bits)
{
    uint8_t bytes[256] = {0};
    const struct qs_packet packet = {
        .data = bytes, .size = sizeof bytes, .wire_size = sizeof bytes};
    struct nq_session session;
    struct qs_decoder d;
    uint32_t length;

    for (unsigned i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(form->before >> 8 * i);
        bytes[form->mask_at + i] = (uint8_t)((bits | form->more) >> 8 * i);
    }
    nq_protocol.session_init(&session.base);
    session.base.version = form->version;
    session.darkplaces = form->darkplaces;
    session.ext.fte2 = form->fte2;
    qs_decoder_init(&d, &nq_protocol);
    d.session = &session.base;
    d.packet = &packet;
    d.want_entities = QS_ENTITIES_ALL;
    d.in = qs_reader_over(bytes, sizeof bytes);
    d.in.pos = form->read == nq_read_update; /* its message has the mask's first byte */
    form->read(&d);
    length = d.in.pos;
    if (d.found.entities->len) {
        const struct qs_view update =
            g_array_index(d.found.entities, struct qs_entity_update, 0).bytes;

        length = update.data ? update.size : length;
    }
    qs_decoder_clear(&d);
    nq_protocol.session_clear(&session.base);
    return length;
}

static bool is_unused(const struct qs_field *part)
{
    return strstr(part->name, "unused") || strstr(part->title, "Unused");
}

/* Goes through the parts of the mask in `row`. `shift`: of the row's lowest bit in the mask. */
static void check_bits(const struct form *form, unsigned row, unsigned shift)
{
    const uint32_t all = ~form->no_fields;

    for (const struct qs_field *part = &nq_fields[row + 1]; part->mask; part++) {
        const uint32_t bit = part->mask << shift;

        if (!(bit & (form->more | form->no_fields)) && !is_unused(part) &&
            length_of(form, bit) == length_of(form, 0) &&
            length_of(form, all) == length_of(form, all & ~bit))
            fail_msg("%s: no field is read for it", part->name);
    }
}

TEST(each_bit_of_an_update_has_a_field)
{
    const struct form plain = {.read = nq_read_update,
                               .version = PROTOCOL_NETQUAKE,
                               .more = U_MOREBITS | U_SIGNAL,
                               .no_fields = U_STEP};
    struct form fitzquake = plain, darkplaces = plain;

    check_bits(&plain, NQ_UPDATE_FLAGS, 0);
    check_bits(&plain, NQ_UPDATE_FLAGS2, 8);
    fitzquake.version = PROTOCOL_FITZQUAKE;
    fitzquake.more |= U_EXTEND1 | U_EXTEND2;
    check_bits(&fitzquake, NQ_UPDATE_FLAGS3, 16);
    darkplaces.darkplaces = true;
    darkplaces.more = fitzquake.more;
    darkplaces.no_fields |= UINT32_C(0x01) << 16; /* delta */
    darkplaces.no_fields |= UINT32_C(0x13) << 24; /* glow trail, view, exterior model */
    check_bits(&darkplaces, NQ_UPDATE_DPFLAGS3, 16);
    check_bits(&darkplaces, NQ_UPDATE_DPFLAGS4, 24);
}

/* Behind the frames' numbers, the eye and the entity's number. */
TEST(each_bit_of_darkplaces_up_to_dp4_has_a_field)
{
    struct form form = {.read = nq_read_entities,
                        .version = PROTOCOL_DP1,
                        .mask_at = 4 + 4 + 12 + 2,
                        .more = E_EXTEND1 | E_EXTEND2 | E_EXTEND3,
                        .no_fields = UINT32_C(0x87000000)}; /* of sounds, and E_EXTEND4 */

    check_bits(&form, NQ_ENTITY_EBITS, 0);
    form.version = PROTOCOL_DP2;
    check_bits(&form, NQ_ENTITY_EBITS, 0);
}

TEST(each_bit_of_darkplaces_from_dp5_on_has_a_field)
{
    const uint32_t extend4 = UINT32_C(0x80000000);
    struct form form = {.read = nq_read_entities,
                        .version = PROTOCOL_DP5,
                        .mask_at = 4 + 2,
                        .more = 0x80 | 0x8000 | 0x800000};

    form.no_fields = extend4 | E5_FULLUPDATE | E5_EFFECTS16;
    check_bits(&form, NQ_ENTITY_E5BITS, 0);
    form.no_fields = extend4 | E5_FULLUPDATE | E5_EFFECTS32; /* it hides E5_EFFECTS16 */
    check_bits(&form, NQ_ENTITY_E5BITS, 0);
}

/* The player's own state, whose mask begins with two bytes. */
TEST(each_bit_of_clientdata_has_a_field)
{
    struct form form = {.read = nq_read_clientdata,
                        .version = PROTOCOL_FITZQUAKE,
                        .more = SU_EXTEND1 | SU_EXTEND2,
                        .no_fields = SU_ITEMS | SU_ONGROUND | SU_INWATER};

    check_bits(&form, NQ_CLIENTDATA_FLAGS, 0);
    check_bits(&form, NQ_CLIENTDATA_FLAGS2, 16);
    check_bits(&form, NQ_CLIENTDATA_FLAGS3, 24);
    form.version = PROTOCOL_DP6;
    form.no_fields = SU_ONGROUND | SU_INWATER;
    check_bits(&form, NQ_CLIENTDATA_DPFLAGS2, 16);
    check_bits(&form, NQ_CLIENTDATA_DPFLAGS3, 24);
}

TEST(each_bit_of_ftes_updates_has_a_field)
{
    const uint32_t more = UF_EXTEND1 | UF_EXTEND2 | UF_EXTEND3;
    const struct form form = {.read = fte_read_static_update,
                              .version = PROTOCOL_NETQUAKE,
                              .more = more,
                              .no_fields = UF_RESET | UF_UNUSED1 | UF_EXTEND4};
    struct form predictions = form;

    check_bits(&form, FTE_UPDATE_BITS, 0);
    predictions.before = more | UF_PREDINFO;
    predictions.mask_at = 4;
    predictions.more = predictions.no_fields = 0;
    check_bits(&predictions, FTE_UPDATE_PREDBITS, 0);
    predictions.fte2 = FTE2_PREDINFO; /* view angles, behind which those of the entity are */
    predictions.before |= UF_ANGLESY;
    predictions.mask_at = 5;
    check_bits(&predictions, FTE_UPDATE_PREDBITS, 0);
}
