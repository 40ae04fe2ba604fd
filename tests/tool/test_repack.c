/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes are deflated to as many as there is room for, and inflate to the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "common/core/writer.h"
#include "pcap2demo/anonymize/repack.h"

enum { LENGTH = 400, MORE = 200 };

/* Texts as servers send them, of a few words. */
static void fill(uint8_t *bytes)
{
    static const char *const words[] = {"models/", "player", "weapons/", "tris", ".md2", "male"};
    uint32_t random = 1;

    for (gsize at = 0; at < LENGTH;) {
        const char *word = words[(random = random * 1103515245 + 12345) / 65536 % 6];
        const gsize length = MIN(strlen(word), LENGTH - at);

        memcpy(bytes + at, word, length);
        at += length;
    }
}

static void assert_deflates_to(struct qs_view bytes, uint32_t wanted, uint32_t most)
{
    GByteArray *packed = repack(bytes, wanted);

    assert_true(packed->len >= wanted);
    assert_true(packed->len <= most);
    assert_true(repack_understands(qs_view_of_bytes(packed), bytes));
    g_byte_array_unref(packed);
}

static void every_size(void **state)
{
    uint8_t text[LENGTH];
    const struct qs_view bytes = {text, sizeof text};
    GByteArray *least = repack((fill(text), bytes), 0);

    (void)state;
    for (uint32_t size = 0; size < least->len; size++)
        assert_deflates_to(bytes, size, least->len);
    for (uint32_t size = least->len; size < least->len + MORE; size++)
        assert_deflates_to(bytes, size, size < least->len + 8 ? size + 2 : size);
    g_byte_array_unref(least);
}

static void nothing(void **state)
{
    (void)state;
    for (uint32_t size = 0; size < MORE; size++)
        assert_deflates_to((struct qs_view){(const uint8_t *)"", 0}, size, size + 3);
}

static void understands(void **state)
{
    static const uint8_t packed[] = {0x4b, 0x04, 0x00}, text[] = {'a', 'b'};

    (void)state;
    assert_true(repack_understands((struct qs_view){packed, 3}, (struct qs_view){text, 1}));
    assert_false(repack_understands((struct qs_view){packed, 3}, (struct qs_view){text, 0}));
    assert_false(repack_understands((struct qs_view){packed, 3}, (struct qs_view){text, 2}));
    assert_false(repack_understands((struct qs_view){packed, 3}, (struct qs_view){text + 1, 1}));
    assert_false(repack_understands((struct qs_view){packed, 1}, (struct qs_view){text, 1}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size),
        cmocka_unit_test(nothing),
        cmocka_unit_test(understands),
    };

    return cmocka_run_group_tests_name("repack", tests, NULL, NULL);
}
