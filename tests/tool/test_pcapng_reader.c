/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcapng files: read in pieces and as a stream, beside libpcap; and times of all resolutions. */
#include "tests/tool/frames.h"

#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/writer.h"
#include "pcap2demo/capture/frame_reader.h"

enum { NO_RESOLUTION = -1 };

static const uint32_t sizes[] = {0, 1, 60, 1514, 65535, 14, 200000, 7};

static void put16(GByteArray *file, bool big_endian, uint16_t value)
{
    if (big_endian)
        qs_write_u16be(file, value);
    else
        qs_write_u16(file, value);
}

static void put32(GByteArray *file, bool big_endian, uint32_t value)
{
    if (big_endian)
        qs_write_u32be(file, value);
    else
        qs_write_u32(file, value);
}

static void put_block(GByteArray *file, bool big_endian, uint32_t type, const GByteArray *body)
{
    const uint32_t padding = -body->len % 4, size = PCAPNG_FRAMING + body->len + padding;

    put32(file, big_endian, type);
    put32(file, big_endian, size);
    g_byte_array_append(file, body->data, body->len);
    for (uint32_t i = 0; i < padding; i++)
        qs_write_u8(file, 0);
    put32(file, big_endian, size);
}

static void put_section(GByteArray *file, bool big_endian)
{
    g_autoptr(GByteArray) body = g_byte_array_new();

    put32(body, big_endian, PCAPNG_BYTE_ORDER);
    put16(body, big_endian, 1);
    put16(body, big_endian, 0);
    put32(body, big_endian, UINT32_MAX); /* no length */
    put32(body, big_endian, UINT32_MAX);
    put_block(file, big_endian, PCAPNG_SECTION, body);
}

static void put_interface(GByteArray *file, bool big_endian, int resolution)
{
    g_autoptr(GByteArray) body = g_byte_array_new();

    put16(body, big_endian, 1);
    put16(body, big_endian, 0);
    put32(body, big_endian, 262144);
    if (resolution != NO_RESOLUTION) {
        put16(body, big_endian, PCAPNG_OPTION_TIME_RESOLUTION);
        put16(body, big_endian, 1);
        put32(body, false, (uint32_t)resolution); /* a byte, and filled up */
        put32(body, big_endian, PCAPNG_OPTION_END);
    }
    put_block(file, big_endian, PCAPNG_INTERFACE, body);
}

static void put_packet(GByteArray *file, bool big_endian, uint64_t units, uint32_t size)
{
    g_autoptr(GByteArray) body = g_byte_array_new();

    put32(body, big_endian, 0);
    put32(body, big_endian, (uint32_t)(units >> 32));
    put32(body, big_endian, (uint32_t)units);
    put32(body, big_endian, size);
    put32(body, big_endian, size);
    for (uint32_t i = 0; i < size; i++)
        qs_write_u8(body, (uint8_t)(i * 7 + size));
    put_block(file, big_endian, PCAPNG_PACKET, body);
}

static GByteArray *make_file(bool big_endian, unsigned packets)
{
    GByteArray *file = g_byte_array_new();

    put_section(file, big_endian);
    put_interface(file, big_endian, NO_RESOLUTION);
    for (unsigned i = 0; i < packets; i++)
        put_packet(file, big_endian, UINT64_C(1700000000999999) + i,
                   sizes[i % G_N_ELEMENTS(sizes)]);
    return file;
}

/* --- The same bytes, in pieces and as they come ---------------------------------------------- */

static FILE *stream_of(const GByteArray *bytes)
{
    FILE *stream = fmemopen(bytes->data, bytes->len, "rb");

    assert_non_null(stream);
    return stream;
}

static struct frame_reader *open_reader(FILE *stream)
{
    char *error = NULL;
    struct frame_reader *reader = pcapng_reader_open(stream, &error);

    assert_null(error);
    assert_non_null(reader);
    return reader;
}

static void check_same(const struct input_frame *one, const struct input_frame *other)
{
    assert_int_equal(one->packet.time, other->packet.time);
    assert_int_equal(one->link_type, other->link_type);
    assert_int_equal(one->packet.size, other->packet.size);
    assert_int_equal(one->packet.wire_size, other->packet.wire_size);
    assert_memory_equal(one->packet.data, other->packet.data, one->packet.size);
}

static void check_libpcap(const struct input_frame *frame, pcap_t *pcap)
{
    struct pcap_pkthdr *header;
    const uint8_t *data;

    assert_int_equal(pcap_next_ex(pcap, &header, &data), 1);
    assert_int_equal(frame->packet.time,
                     (int64_t)header->ts.tv_sec * 1000000000 + header->ts.tv_usec);
    assert_int_equal(frame->packet.size, header->caplen);
    assert_int_equal(frame->packet.wire_size, header->len);
    assert_memory_equal(frame->packet.data, data, header->caplen);
}

/* Returns how both readers end, which is after as many frames. */
static enum input_status check_readers(const GByteArray *bytes, unsigned *frames)
{
    struct frame_reader *pieces = open_reader(file_of(bytes));
    struct frame_reader *stream = open_reader(stream_of(bytes));
    char error[PCAP_ERRBUF_SIZE];
    pcap_t *pcap =
        pcap_fopen_offline_with_tstamp_precision(file_of(bytes), PCAP_TSTAMP_PRECISION_NANO, error);
    struct input_frame one, other;
    enum input_status status;

    assert_non_null(pcap);
    for (*frames = 0; (status = pieces->next(pieces, &one)) == INPUT_FRAME; ++*frames) {
        assert_int_equal(stream->next(stream, &other), INPUT_FRAME);
        check_same(&one, &other);
        check_libpcap(&one, pcap);
        assert_int_equal(pieces->position, stream->position);
    }
    assert_int_equal(stream->next(stream, &other), status);
    if (status != INPUT_END)
        assert_string_equal(pieces->problem, stream->problem);
    frame_reader_close(pieces);
    frame_reader_close(stream);
    pcap_close(pcap);
    return status;
}

TEST(test_pieces)
{
    unsigned frames;

    for (unsigned big_endian = 0; big_endian < 2; big_endian++) {
        g_autoptr(GByteArray) bytes = make_file(big_endian, 20);

        assert_int_equal(check_readers(bytes, &frames), INPUT_END);
        assert_int_equal(frames, 20);
    }
}

TEST(test_cut)
{
    g_autoptr(GByteArray) bytes = make_file(false, 0);
    const guint start = bytes->len;
    unsigned frames;

    put_packet(bytes, false, 0, 1514);
    put_packet(bytes, false, 0, 100000);
    for (guint size = bytes->len - 1; size > start; size -= MAX((size - start) / 8, 1)) {
        g_byte_array_set_size(bytes, size);
        assert_int_equal(check_readers(bytes, &frames), INPUT_CUT);
        assert_int_equal(frames, size > start + 1548);
    }
}

/* What is not whole yet is read later, interfaces and sections among it. */
TEST(test_growing)
{
    g_autoptr(GByteArray) first = make_file(false, 3), bytes = make_file(true, 5);
    char name[] = "/tmp/test_pcapng_reader.XXXXXX";
    const int out = mkstemp(name);
    struct frame_reader *in;
    struct input_frame frame;
    enum input_status status;
    unsigned frames = 0;

    assert_int_equal(write(out, first->data, first->len), first->len);
    in = open_reader(fopen(name, "rb"));
    for (guint at = 0, size; at < bytes->len; at += size) {
        size = MIN(at % 11 + 3, bytes->len - at);
        assert_int_equal(write(out, bytes->data + at, size), size);
        while ((status = in->next(in, &frame)) == INPUT_FRAME)
            frames++;
        assert_int_equal(status, in->position == first->len + at + size ? INPUT_END : INPUT_CUT);
        frame_reader_resume(in);
    }
    assert_int_equal(frames, 8);
    frame_reader_close(in);
    close(out);
    unlink(name);
}

/* --- Times ----------------------------------------------------------------------------------- */

static int64_t time_of(int resolution, uint64_t units)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    struct frame_reader *reader;
    struct input_frame frame;
    int64_t time;

    put_section(bytes, false);
    put_interface(bytes, false, resolution);
    put_packet(bytes, false, units, 0);
    reader = open_reader(stream_of(bytes));
    assert_int_equal(reader->next(reader, &frame), INPUT_FRAME);
    time = frame.packet.time;
    frame_reader_close(reader);
    return time;
}

TEST(test_resolutions)
{
    static const struct {
        int resolution;
        uint64_t units;
        int64_t nanoseconds;
    } times[] = {
        {NO_RESOLUTION, 1700000000123456, 1700000000123456000},
        {0, 1700000000, 1700000000000000000},
        {3, 1700000000123, 1700000000123000000},
        {9, 1700000000123456789, 1700000000123456789},
        {10, 17000000001234567899u, 1700000000123456789},
        {12, 1234567890123, 1234567890},
        {19, 12345678901234567890u, 1234567890},
        {20, UINT64_MAX, 0}, /* 64 bits do not hold a second */
        {127, UINT64_MAX, 0},
        {0x80, 1700000000, 1700000000000000000},
        {0x80 | 20, (UINT64_C(5) << 20) + 524288, 5500000000},
        {0x80 | 30, (UINT64_C(5) << 30) - 1, 4999999999},
        {0x80 | 32, (UINT64_C(5) << 32) + 1, 5000000000},
        {0x80 | 32, (UINT64_C(5) << 32) + 5, 5000000001},
        {0x80 | 60, (UINT64_C(5) << 60) - 1, 4999999999},
        {0x80 | 63, UINT64_MAX, 1999999999},
        {0x80 | 64, UINT64_MAX, 0},
        {0xff, UINT64_MAX, 0},
        {0, UINT64_MAX, (INT64_MAX / 1000000000 - 1) * 1000000000}, /* as late as can be */
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(times); i++)
        assert_int_equal(time_of(times[i].resolution, times[i].units), times[i].nanoseconds);
}
