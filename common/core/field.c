/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/field.h"

#include <stddef.h>

const char *qs_name_of(const struct qs_name *names, uint32_t value)
{
    for (; names && names->name; names++)
        if (names->value == value)
            return names->name;
    return NULL;
}
