/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Datagrams that were captured twice. A script has a datagram after the other, "RECORDER SECONDS ID
 * PAYLOAD", with "place" behind it at a second capture point, or "nat" if it has another source
 * address. The result is a digit for each: the number of the datagram that it is a copy of, or 0.
 */
#include "common/sessions/copies.h"
#include "common/sessions/session.h"
#include "tests/unit/unit.h"

static char *find_copies(const char *script)
{
    static const struct qs_capture_file recorders[3];
    struct qs_copies *copies = qs_copies_new();
    g_auto(GStrv) all = g_strsplit(script, ", ", 0);
    GString *out = g_string_new(NULL);

    for (uint64_t number = 1; all[number - 1]; number++) {
        g_auto(GStrv) words = g_strsplit(all[number - 1], " ", 0);
        const char *other = g_strv_length(words) > 4 ? words[4] : "";
        const struct qs_packet packet = {
            .data = (const uint8_t *)words[3],
            .size = (uint32_t)strlen(words[3]),
            .number = number,
            .time = (int64_t)(g_ascii_strtod(words[1], NULL) * 1e9),
            .ip_id = (uint16_t)g_ascii_strtoull(words[2], NULL, 10),
            .capture_point = strcmp(other, "place") == 0,
            .file = &recorders[words[0][0] - 'a'],
            .source = {4, {10, 0, 0, strcmp(other, "nat") == 0 ? 9 : 1}, 27001},
            .destination = {4, {10, 0, 0, 2}, 27500},
        };
        const struct qs_sighting *first = qs_copies_find(copies, &packet);

        g_string_append_printf(out, "%d", first ? (int)first->number : 0);
    }
    qs_copies_free(copies);
    return g_string_free(out, FALSE);
}

static const struct {
    const char *script, *expected;
} cases[] = {
    /* The same bytes and identification within five seconds of one clock, also behind a NAT. */
    {"a 0 7 hi, a 4.9 7 hi", "01"},
    {"a 0 7 hi, a 5.1 7 hi", "00"},
    {"a 0 7 hi, a 1 7 hi nat", "01"},
    /* An end sends again with another identification. Other bytes are no copy. */
    {"a 0 7 hi, a 1 8 hi", "00"},
    {"a 0 7 hi, a 1 7 ho, a 1 7 h", "000"},
    /* Without an identification: the same addresses, at two capture points. */
    {"a 0 0 hi, a 1 0 hi", "00"},
    {"a 0 0 hi, a 1 0 hi place, b 9 0 hi place", "010"},
    {"a 0 0 hi, a 1 0 hi nat", "00"},
    /* The clock of a second recorder may differ by a minute. The first copy measures it. */
    {"a 0 7 hi, a 10 8 ho, b 59 7 hi, b 69 8 ho, a 20 9 he, b 85 9 he", "001200"},
    {"a 0 7 hi, b 61 7 hi", "00"},
    /* A third clock is measured by the second one, in either order. */
    {"a 0 7 hi, b 30 7 hi, c 20 8 ho, b 50 8 ho, a 21 9 he, c 21 9 he", "010305"},
    {"a 0 7 hi, b 30 7 hi, b 50 8 ho, c 20 8 ho, a 21 9 he, c 27 9 he", "010300"},
};

TEST(copies_are_found)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *found = find_copies(cases[i].script);

        if (strcmp(found, cases[i].expected) != 0)
            fail_msg("%s: %s", cases[i].script, found);
    }
}

TEST(files_are_numbered_in_the_order_of_their_beginnings)
{
    static const struct qs_capture_file files[66];
    struct qs_copies *copies = qs_copies_new();

    for (unsigned i = 0; i <= G_N_ELEMENTS(files); i++) {
        const unsigned number = i < G_N_ELEMENTS(files) ? i : 3; /* of the latest 64 */
        const struct qs_packet packet = {
            .data = (const uint8_t *)"hi", .size = 2, .file = &files[number]};

        qs_copies_find(copies, &packet);
        assert_int_equal(qs_copies_recorder(copies), number);
    }
    qs_copies_free(copies);
}

TEST(only_the_last_datagrams_are_remembered)
{
    static const struct {
        unsigned count;
        const char *first; /* result for a copy of the first one */
    } rows[] = {{1000, "1"}, {QS_COPIES_MAX, "1"}, {QS_COPIES_MAX + 1, "0"}};

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GString) script = g_string_new(NULL);
        g_autofree char *found = NULL, *expected = NULL;

        for (unsigned number = 1; number <= rows[i].count; number++)
            g_string_append_printf(script, "a 0 7 %u, ", number);
        g_string_append_printf(script, "a 1 7 %u, a 1 7 1", rows[i].count);
        found = find_copies(script->str);
        expected = g_strdup_printf("0%u%s", rows[i].count, rows[i].first);
        assert_true(g_str_has_suffix(found, expected));
    }
}
