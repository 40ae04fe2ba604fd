/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares a golden with itself, without a difference; or two goldens, one behind the other.
 */
#include <glib.h>
#include <string.h>

#include "pcap2demo/regression/golden.h"
#include "tests/fuzz/fuzz.h"

static void check_result(const struct golden_result *result)
{
    const GPtrArray *differences = result->differences;

    if (differences->len != MIN(result->count, GOLDEN_DIFFERENCES_MAX))
        fuzz_broken("a wrong number of differences", "");
    for (guint i = 0; i < differences->len; i++) {
        const struct golden_difference *difference = g_ptr_array_index(differences, i);

        if (!difference->lines->len || difference->lines->len > GOLDEN_LINES_MAX)
            fuzz_broken("a difference without its lines", "");
    }
}

static void compare_texts(struct qs_view was, struct qs_view is)
{
    char *a = g_strndup((const char *)was.data, was.size);
    char *b = g_strndup((const char *)is.data, is.size);
    struct golden_result *result = g_new0(struct golden_result, 1);
    struct golden_names names = {NULL, NULL};

    golden_read_head(a, &names);
    golden_names_clear(&names);
    golden_compare(result, a, b);
    check_result(result);
    if (was.data == is.data && result->count)
        fuzz_broken("differs from itself", "");
    golden_result_free(result);
    g_free(a);
    g_free(b);
}

/* Returns the offset of the second golden; `size` if there is none. */
static size_t second_of(const uint8_t *data, size_t size)
{
    static const char head[] = "\n# pcap2demo golden";
    const uint8_t *found = memmem(data, size, head, strlen(head));

    return found ? (size_t)(found - data) + 1 : size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct fuzz_cost started = fuzz_begin();
    const size_t second = second_of(data, size);
    const struct qs_view was = {data, (uint32_t)second};

    compare_texts(was,
                  second < size ? (struct qs_view){data + second, (uint32_t)(size - second)} : was);
    fuzz_check_cost(started, size);
    return 0;
}
