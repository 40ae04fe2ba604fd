/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/numbering.h"

uint32_t qs_number_session(struct qs_numbering *numbering, struct qs_numbered *current,
                           uint32_t connection, bool accepted)
{
    if (current->number && current->connection != connection)
        current->number = 0;
    if (!current->number && accepted)
        *current = (struct qs_numbered){++numbering->count, connection};
    return current->number;
}
