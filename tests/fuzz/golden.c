/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A golden as input, read packet by packet and compared with itself, where nothing may differ; or
 * two, one behind the other, of which the second is compared with the first.
 */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pcap2demo/regression/golden_diff.h"
#include "tests/fuzz/fuzz.h"

enum { NAME_MAX_BYTES = 64, DIFFERENCES_MAX = 20 };

static void broken(const char *what)
{
    fprintf(stderr, "%s\n", what);
    abort();
}

/* Opens a file that is only in memory; NULL: it is no golden. */
static struct golden_reader *open_text(struct qs_view text)
{
    const int file = memfd_create("golden", 0);
    char name[NAME_MAX_BYTES], *error;
    struct golden_reader *reader;

    if (file < 0 || write(file, text.data, text.size) != (ssize_t)text.size)
        abort();
    g_snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    reader = golden_open(name, &error);
    if (!reader != !!error)
        broken("neither a golden nor an error");
    g_free(error);
    close(file);
    return reader;
}

/* Its text is lines, of which the first is a packet's. */
static void check_packet(const GString *packet)
{
    if (!g_str_has_prefix(packet->str, "packet ") || packet->str[packet->len - 1] != '\n' ||
        strlen(packet->str) != packet->len)
        broken("no text of a packet");
}

static void check_differences(const struct golden_diff *diff)
{
    const GPtrArray *differences = diff->differences;

    if (differences->len != MIN(diff->total, DIFFERENCES_MAX))
        broken("differences that are not there");
    for (guint i = 0; i < differences->len; i++) {
        const struct golden_difference *difference = g_ptr_array_index(differences, i);

        if (!difference->lines->len || difference->lines->len > GOLDEN_LINES_MAX)
            broken("a difference without its lines");
    }
}

/* How many differences there are; `*whole`: both were read to their ends. */
static uint64_t compare(struct golden_reader *was, struct golden_reader *is, bool *whole)
{
    struct golden_diff *diff = golden_diff_new(was, DIFFERENCES_MAX);
    GString *packet = g_string_new(NULL);
    enum golden_status status;
    uint64_t number, total;

    while ((status = golden_next(is, packet, &number)) == GOLDEN_PACKET) {
        check_packet(packet);
        golden_diff_add(diff, number, packet);
    }
    if ((status == GOLDEN_DAMAGED) != !!is->error)
        broken("damaged without a reason");
    *whole = golden_diff_finish(diff);
    if (*whole != !was->error)
        broken("compared with a damaged golden");
    *whole = *whole && status == GOLDEN_END;
    check_differences(diff);
    total = diff->total;
    golden_diff_free(diff);
    g_string_free(packet, TRUE);
    return total;
}

static void compare_texts(struct qs_view was, struct qs_view is)
{
    struct golden_reader *a = open_text(was), *b = open_text(is);
    uint64_t differences = 0;
    bool whole = false;

    if (a && b)
        differences = compare(a, b, &whole);
    if (was.data == is.data && whole && differences)
        broken("differs from itself");
    if (a)
        golden_close(a);
    if (b)
        golden_close(b);
}

/* Where the second golden begins; the end where there is none. */
static size_t second_of(const uint8_t *data, size_t size)
{
    static const char head[] = "\n# pcap2demo golden";
    const uint8_t *found = memmem(data, size, head, strlen(head));

    return found ? (size_t)(found - data) + 1 : size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const double started = fuzz_time();
    const size_t second = second_of(data, size);
    const struct qs_view was = {data, (uint32_t)second};

    compare_texts(was,
                  second < size ? (struct qs_view){data + second, (uint32_t)(size - second)} : was);
    fuzz_check_time(started, size);
    return 0;
}
