/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of fields that a mask announces: each of its bits has one. */
#ifndef TESTS_SUPPORT_COVERED_H
#define TESTS_SUPPORT_COVERED_H

#include "common/core/field.h"
#include "tests/support/test.h"

/*
 * Fails if a part of the mask in `row` is not among the bits that fields have or that need none.
 * `shift`: of the row's lowest bit in the mask.
 */
static inline void assert_covered(const struct qs_field *row, unsigned shift, uint64_t covered)
{
    for (const struct qs_field *part = row + 1; part->mask; part++)
        if (!((uint64_t)part->mask << shift & covered))
            fail_msg("%s: no field is read for it", part->name);
}

#endif
