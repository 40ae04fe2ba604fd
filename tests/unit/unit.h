/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Byte strings for tests. */
#ifndef QS_TESTS_UNIT_H
#define QS_TESTS_UNIT_H

#include "common/core/reader.h"
#include "tests/support/test.h"

/* The bytes of a string literal, which may contain NULs, without its own NUL. */
#define VIEW(literal) ((struct qs_view){(const uint8_t *)("" literal), sizeof(literal) - 1})

static inline void assert_view_is(struct qs_view actual, struct qs_view expected)
{
    assert_int_equal(actual.size, expected.size);
    if (expected.size)
        assert_memory_equal(actual.data, expected.data, expected.size);
}

#endif
