/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/support/test.h"

#include <stdlib.h>

static struct CMUnitTest tests[256];
static size_t count;

void test_add(const struct CMUnitTest *test)
{
    if (count == sizeof tests / sizeof *tests)
        abort();
    tests[count++] = *test;
}

int main(void)
{
    return count ? _cmocka_run_group_tests("tests", tests, count, NULL, NULL) : 1;
}
