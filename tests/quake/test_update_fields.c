/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each bit of an entity's update has a row of update_fields.def, or is one that no field belongs
 * to. */
#include "common/quake/decode.h"
#include "common/quake/fields.h"
#include "tests/support/covered.h"

static uint64_t bits_of_quake(bool fitzquake, bool darkplaces)
{
    uint64_t all = U_MOREBITS | U_STEP | U_SIGNAL | U_LONGENTITY | U_EXTEND1 | U_EXTEND2;

#define UPDATE(encoding, bits, row) all |= bits;
#include "common/quake/update_fields.def"
    return all;
}

TEST(test_updates)
{
    const uint64_t unused = UINT64_C(0x60) << 16, delta = UINT64_C(0x01) << 16;
    const uint64_t looks = UINT64_C(0xf3) << 24; /* glow trail, view, exterior model, unused */

    assert_covered(&nq_fields[NQ_UPDATE_FLAGS], 0, bits_of_quake(false, false));
    assert_covered(&nq_fields[NQ_UPDATE_FLAGS2], 8, bits_of_quake(false, false));
    assert_covered(&nq_fields[NQ_UPDATE_FLAGS3], 16, bits_of_quake(true, false) | unused);
    assert_covered(&nq_fields[NQ_UPDATE_DPFLAGS3], 16, bits_of_quake(false, true) | delta);
    assert_covered(&nq_fields[NQ_UPDATE_DPFLAGS4], 24, bits_of_quake(false, true) | looks);
}

TEST(test_darkplaces)
{
    const uint64_t unused = UINT64_C(0xe7000000); /* of sounds, and E_EXTEND4 */
    uint64_t all = E_EXTEND1 | E_EXTEND2 | E_EXTEND3 | unused;

    for (unsigned is_dp2 = 0; is_dp2 < 2; is_dp2++) {
#define FRAME(encoding, bits, row) all |= bits;
#include "common/quake/update_fields.def"
    }
    assert_covered(&nq_fields[NQ_ENTITY_EBITS], 0, all);
}

TEST(test_darkplaces_from_dp5_on)
{
    const uint64_t more = 0x80 | 0x8000 | 0x800000, unused = UINT64_C(0xf8000000);
    uint64_t all = E5_FULLUPDATE | E5_ORIGIN32 | E5_ANGLES16 | E5_MODEL16 | E5_FRAME16 |
                   E5_EFFECTS16 | E5_EFFECTS32 | more | unused;

#define FRAME5(encoding, bits, row) all |= bits;
#include "common/quake/update_fields.def"
    assert_covered(&nq_fields[NQ_ENTITY_E5BITS], 0, all);
}

TEST(test_fte)
{
    uint64_t all = UF_EXTEND1 | UF_EXTEND2 | UF_EXTEND3 | UF_EXTEND4 | UF_RESET |
                   UF_16BIT_LERPTIME | UF_UNUSED1;
    const bool lerptime = false;

#define FIELD(encoding, bits, row) all |= bits;
#define ROWS(bits, first, last) all |= bits;
#include "common/fte/update_fields.def"
    assert_covered(&nq_fields[FTE_UPDATE_BITS], 0, all);
}

TEST(test_fte_predictions)
{
    const uint32_t bits = UINT32_MAX;
    const bool predinfo = true;
    uint64_t all = 0;

#define PREDICTED(encoding, which, row) all |= which;
#include "common/fte/update_fields.def"
    assert_covered(&nq_fields[FTE_UPDATE_PREDBITS], 0, all);
}
