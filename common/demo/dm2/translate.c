/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a donor's entities are in the variant of who borrows: common/quake2/PROTOCOL.md,
 * section 14. */
#include "common/demo/dm2/late_join.h"

/* A solid of 16 bits in 32: PROTOCOL.md, section 8. */
static uint32_t long_solid(uint32_t solid)
{
    const uint32_t radius = (solid & 31) * 8, down = (solid >> 5 & 31) * 8;
    const uint32_t up = (solid >> 10) * 8 - 32 + 32768;

    return solid && solid != Q2_SOLID_BRUSH && solid <= UINT16_MAX ? up << 16 | down << 8 | radius
                                                                   : solid;
}

void dm2_translate(const struct dm2_match *m, struct q2_entity *entity)
{
    if (m->variant.long_solid && !m->donor.variant.long_solid)
        entity->solid = long_solid(entity->solid);
    entity->event = 0;
}
