/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets are buffered, in memory or in a temporary file, and read again. */
#include <glib.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "common/sessions/late_join.h"
#include "tests/unit/unit.h"

static struct qs_packet packet_of(uint64_t number, uint8_t *bytes, uint32_t size)
{
    memset(bytes, (int)number, size);
    return (struct qs_packet){.data = bytes,
                              .size = size,
                              .wire_size = size + 1,
                              .number = number,
                              .time = (int64_t)number * 1000,
                              .from = QS_END_B};
}

static void assert_packets(struct qs_packet_buffer *buffer, const char *file, uint64_t count,
                           uint32_t size)
{
    uint8_t bytes[2000];
    struct qs_packet packet;
    const char *of;

    qs_packet_buffer_rewind(buffer);
    for (uint64_t i = 1; i <= count; i++) {
        const struct qs_packet expected = packet_of(i, bytes, size);

        assert_true(qs_packet_buffer_next(buffer, &of, &packet));
        assert_string_equal(of, file);
        assert_int_equal(packet.number, i);
        assert_int_equal(packet.time, expected.time);
        assert_int_equal(packet.wire_size, size + 1);
        assert_int_equal(packet.from, QS_END_B);
        assert_int_equal(packet.size, size);
        assert_memory_equal(packet.data, bytes, size);
    }
    assert_false(qs_packet_buffer_next(buffer, &of, &packet));
}

static void test_packets(uint64_t count, uint32_t size)
{
    struct qs_packet_buffer *buffer = qs_packet_buffer_new();
    const char *file = g_intern_string("a.pcap");
    uint8_t bytes[2000];

    for (uint64_t i = 1; i <= count; i++) {
        const struct qs_packet packet = packet_of(i, bytes, size);

        qs_packet_buffer_add(buffer, file, &packet);
        assert_null(qs_packet_buffer_error(buffer));
    }
    assert_packets(buffer, file, count, size);
    assert_packets(buffer, file, count, size); /* again */
    assert_null(qs_packet_buffer_error(buffer));
    qs_packet_buffer_free(buffer);
}

TEST(packets_are_read_again)
{
    test_packets(0, 0);
    test_packets(3, 100);
    test_packets(2, 0);
    test_packets(1000, 2000); /* in a file */
}

/* No file can be opened. */
TEST(packets_in_memory_are_kept_without_a_temporary_file)
{
    enum { SIZE = 2000 };
    struct qs_packet_buffer *buffer = qs_packet_buffer_new();
    const char *file = g_intern_string("a.pcap");
    struct rlimit before, none;
    uint64_t count = 0;
    uint8_t bytes[SIZE];

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){0, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    while (!qs_packet_buffer_error(buffer)) {
        const struct qs_packet packet = packet_of(++count, bytes, SIZE);

        qs_packet_buffer_add(buffer, file, &packet);
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_packets(buffer, file, count, SIZE);
    qs_packet_buffer_free(buffer);
}

/* The last byte does not fit. */
TEST(a_full_disk_is_reported)
{
    enum { LARGE = 1024 * 1024 /* is written at once; smaller packets are written later */ };
    const struct rlimit full = {1, RLIM_INFINITY};
    struct qs_packet packet = {.data = g_malloc0(LARGE), .size = LARGE};
    struct qs_packet_buffer *buffer = qs_packet_buffer_new();
    struct rlimit before;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    qs_packet_buffer_add(buffer, g_intern_string("a.pcap"), &packet);
    packet.size = 1;
    qs_packet_buffer_add(buffer, g_intern_string("a.pcap"), &packet);
    assert_null(qs_packet_buffer_error(buffer));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
    qs_packet_buffer_rewind(buffer);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_non_null(qs_packet_buffer_error(buffer));
    qs_packet_buffer_free(buffer);
    g_free((uint8_t *)packet.data);
}
