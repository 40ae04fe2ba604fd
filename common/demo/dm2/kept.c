/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/dm2/kept.h"

bool dm2_kept_has(const struct dm2_kept *kept, int32_t number)
{
    const unsigned place = (uint32_t)number % DM2_FRAMES_KEPT;

    return number > 0 && kept->numbers[place] == number &&
           kept->entities - kept->starts[place] <= DM2_ENTITIES_KEPT - DM2_ENTITIES_IN_FRAME;
}

void dm2_kept_add(struct dm2_kept *kept, int32_t number, uint32_t entities)
{
    const unsigned place = (uint32_t)number % DM2_FRAMES_KEPT;

    kept->last = number;
    if (number > 0) {
        kept->numbers[place] = number;
        kept->starts[place] = kept->entities;
    }
    kept->entities += entities;
}
