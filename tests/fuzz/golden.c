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

#include "pcap2demo/regression/golden.h"
#include "pcap2demo/regression/golden_diff.h"
#include "tests/fuzz/fuzz.h"

enum { NAME_MAX_BYTES = 64, DIFFERENCES_MAX = 20 };

/* A golden as a file that is only in memory, and its reader. */
struct opened {
    GPtrArray *ignored;
    struct golden_reader *reader; /* NULL: it is none */
    int file;
};

static void broken(const char *what)
{
    fprintf(stderr, "%s\n", what);
    abort();
}

static void open_text(struct opened *opened, struct qs_view text)
{
    char name[NAME_MAX_BYTES], *error = NULL;

    opened->file = memfd_create("golden", 0);
    if (opened->file < 0 || write(opened->file, text.data, text.size) != (ssize_t)text.size)
        abort();
    g_snprintf(name, sizeof name, "/proc/self/fd/%d", opened->file);
    opened->ignored = g_ptr_array_new_with_free_func(g_free);
    opened->reader = golden_open(name, opened->ignored, &error);
    if (!opened->reader != !!error)
        broken("neither a golden nor an error");
    g_free(error);
}

static void close_text(struct opened *opened)
{
    if (opened->reader)
        golden_close(opened->reader);
    g_ptr_array_free(opened->ignored, TRUE);
    close(opened->file);
}

/* Its lines are all of its text, one behind the other. */
static void check_packet(const struct golden_packet *packet)
{
    gsize end = 0;

    for (guint i = 0; i < packet->lines->len; i++) {
        const struct golden_line *line = &g_array_index(packet->lines, struct golden_line, i);

        if (line->start != end || line->name_end < line->start || line->end <= line->name_end ||
            line->end > packet->text->len || packet->text->str[line->end - 1] != '\n')
            broken("lines of a packet that are not its text");
        end = line->end;
    }
    if (end != packet->text->len)
        broken("text of a packet that is in no line");
}

static enum golden_status next_packet(void *user, struct golden_packet *packet)
{
    struct golden_reader *reader = user;
    const enum golden_status status = golden_next(reader, packet);

    if (status == GOLDEN_PACKET)
        check_packet(packet);
    if ((status == GOLDEN_DAMAGED) != !!golden_error(reader))
        broken("damaged without a reason");
    return status;
}

/* How many differences there are; `*whole`: the second was read to its end. */
static uint64_t compare(struct golden_reader *was, struct golden_reader *is, bool *whole)
{
    struct golden_diff *diff = golden_diff_new(next_packet, was, DIFFERENCES_MAX);
    struct golden_packet *packet = golden_packet_new();
    enum golden_status status;
    GPtrArray *differences;
    uint64_t total;

    while ((status = next_packet(is, packet)) == GOLDEN_PACKET) {
        packet = golden_diff_take(diff, packet);
        golden_packet_clear(packet);
    }
    golden_packet_free(packet);
    golden_diff_finish(diff);
    differences = golden_diff_take_differences(diff, &total);
    if (differences->len != MIN(total, DIFFERENCES_MAX))
        broken("differences that are not there");
    g_ptr_array_free(differences, TRUE);
    golden_diff_free(diff);
    *whole = status == GOLDEN_END;
    return total;
}

static void compare_texts(struct qs_view was, struct qs_view is)
{
    struct opened a, b;
    uint64_t differences = 0;
    bool whole = false;

    open_text(&a, was);
    open_text(&b, is);
    if (a.reader && b.reader)
        differences = compare(a.reader, b.reader, &whole);
    if (was.data == is.data && whole && differences)
        broken("differs from itself");
    close_text(&a);
    close_text(&b);
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
