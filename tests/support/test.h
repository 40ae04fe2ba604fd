/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmocka with the headers that it wants first. A program's tests are one file, each written as
 *
 *     TEST(test_of_something)
 *     {
 *         assert_true(...);
 *     }
 *
 * or TEST_WITH(name, set_up, tear_down), whose `*state` is what set_up() made. All are run, in the
 * order of the file: test.c has main().
 */
#ifndef QS_TESTS_SUPPORT_TEST_H
#define QS_TESTS_SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void test_add(const struct CMUnitTest *test);

#define TEST_WITH(function, set_up, tear_down)                                                     \
    static void function(void **state);                                                            \
    __attribute__((constructor)) static void add_##function(void)                                  \
    {                                                                                              \
        test_add(&(struct CMUnitTest){#function, function, set_up, tear_down, NULL});              \
    }                                                                                              \
    static void function(__attribute__((unused)) void **state)

#define TEST(function) TEST_WITH(function, NULL, NULL)

#endif
