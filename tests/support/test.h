/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmocka with the headers that it wants first. A program's tests are one file, each written as
 *
 *     TEST(test_of_something)
 *     {
 *         assert_true(...);
 *     }
 *
 * or TEST_WITH(name, type, variable, set_up, tear_down), whose `variable` points to a zeroed `type`
 * that set_up() prepares. All are run, in the order of the file: test.c has main().
 */
#ifndef QS_TESTS_SUPPORT_TEST_H
#define QS_TESTS_SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void test_add(const struct CMUnitTest *test);

#define TEST(function)                                                                             \
    static void function(void **state);                                                            \
    __attribute__((constructor)) static void add_##function(void)                                  \
    {                                                                                              \
        test_add(&(struct CMUnitTest){#function, function, NULL, NULL, NULL});                     \
    }                                                                                              \
    static void function(__attribute__((unused)) void **state)

#define TEST_WITH(function, type, variable, set_up, tear_down)                                     \
    static void on_##function(type *variable);                                                     \
    TEST(function)                                                                                 \
    {                                                                                              \
        type variable = {0};                                                                       \
                                                                                                   \
        set_up(&variable);                                                                         \
        on_##function(&variable);                                                                  \
        tear_down(&variable);                                                                      \
    }                                                                                              \
    static void on_##function(__attribute__((unused)) type *variable)

#endif
