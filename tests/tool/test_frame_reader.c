/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of pcap and pcapng files: whole, cut, growing, damaged, and through a pipe. */
#include <pcap/pcap.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/core/writer.h"
#include "pcap2demo/capture/frame_reader.h"
#include "tests/support/test.h"

/* Seconds are unsigned: this is after 2038. */
#define FIRST_SECOND UINT32_C(2200000000)

enum { PCAP_HEADER = 24, NO_RESOLUTION = -1 };

/* Sizes of the frames of each file, in turn. The capture lacks 100 bytes of each third frame. */
static const uint32_t sizes[] = {0, 1, 60, 1514, 65535, PCAP_FRAME_MAX, 14, 100000, 7};

enum { FRAMES = G_N_ELEMENTS(sizes) };

static uint32_t size_of(uint32_t index)
{
    return sizes[index % FRAMES];
}

static uint32_t wire_size_of(uint32_t index)
{
    return size_of(index) + (index % 3 ? 0 : 100);
}

static void put_data(GByteArray *file, uint32_t index)
{
    for (uint32_t i = 0; i < size_of(index); i++)
        qs_write_u8(file, (uint8_t)(i * 7 + index));
}

struct form {
    uint32_t magic; /* of a pcap file; 0: pcapng */
    uint32_t limit; /* the reader cuts frames to this size */
    bool big_endian;
};

#define MICROSECONDS UINT32_C(0xa1b2c3d4)
#define MODIFIED UINT32_C(0xa1b2cd34)

/* Systems that wrote "modified" files added the size of the Ethernet header to the limit. */
static const struct form pcap = {MICROSECONDS, 1000, false}, modified = {MODIFIED, 1014, false},
                         little = {0, PCAP_FRAME_MAX, false}, big = {0, PCAP_FRAME_MAX, true};
static const struct form *const forms[] = {&pcap, &modified, &little, &big};

/* --- pcap files --- */

static void put_pcap_header(GByteArray *file, const struct form *form, uint16_t minor_version)
{
    qs_write_u32(file, form->magic);
    qs_write_u16(file, 2);
    qs_write_u16(file, minor_version);
    qs_write_u32(file, 0);
    qs_write_u32(file, 0);
    qs_write_u32(file, form->limit - (form->magic == MODIFIED ? 14 : 0));
    qs_write_u32(file, 1);
}

static void put_pcap_frame(GByteArray *file, const struct form *form, uint32_t index)
{
    qs_write_u32(file, FIRST_SECOND + index);
    qs_write_u32(file, index % 4 ? 999999 : 1234567890); /* more than a second: damaged */
    qs_write_u32(file, size_of(index));
    qs_write_u32(file, wire_size_of(index));
    if (form->magic == MODIFIED) {
        qs_write_u32(file, 1); /* interface */
        qs_write_u32(file, 0); /* protocol, packet type */
    }
    put_data(file, index);
}

/* --- pcapng files --- */

static void put16(GByteArray *file, bool big_endian, uint16_t value)
{
    qs_write_u16(file, big_endian ? GUINT16_SWAP_LE_BE(value) : value);
}

static void put32(GByteArray *file, bool big_endian, uint32_t value)
{
    qs_write_u32(file, big_endian ? GUINT32_SWAP_LE_BE(value) : value);
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

static void put_section(GByteArray *file, bool big_endian, int resolution)
{
    g_autoptr(GByteArray) section = g_byte_array_new(), interface = g_byte_array_new();

    put32(section, big_endian, PCAPNG_BYTE_ORDER);
    put16(section, big_endian, 1);
    put16(section, big_endian, 0);
    put32(section, big_endian, UINT32_MAX); /* no length */
    put32(section, big_endian, UINT32_MAX);
    put_block(file, big_endian, PCAPNG_SECTION, section);
    put16(interface, big_endian, 1);
    put16(interface, big_endian, 0);
    put32(interface, big_endian, PCAP_FRAME_MAX);
    if (resolution != NO_RESOLUTION) {
        put16(interface, big_endian, PCAPNG_OPTION_TIME_RESOLUTION);
        put16(interface, big_endian, 1);
        qs_write_u32(interface, (uint32_t)resolution); /* a byte, and padding */
        put32(interface, big_endian, PCAPNG_OPTION_END);
    }
    put_block(file, big_endian, PCAPNG_INTERFACE, interface);
}

static void put_packet(GByteArray *file, bool big_endian, uint64_t units, uint32_t index)
{
    g_autoptr(GByteArray) body = g_byte_array_new();

    put32(body, big_endian, 0);
    put32(body, big_endian, (uint32_t)(units >> 32));
    put32(body, big_endian, (uint32_t)units);
    put32(body, big_endian, size_of(index));
    put32(body, big_endian, wire_size_of(index));
    put_data(body, index);
    put_block(file, big_endian, PCAPNG_PACKET, body);
}

/* --- Files of both formats --- */

static void put_file(GByteArray *file, const struct form *form, uint32_t frames)
{
    if (form->magic)
        put_pcap_header(file, form, 4);
    else
        put_section(file, form->big_endian, NO_RESOLUTION);
    for (uint32_t i = 0; i < frames; i++)
        if (form->magic)
            put_pcap_frame(file, form, i);
        else
            put_packet(file, form->big_endian, (FIRST_SECOND + i) * UINT64_C(1000000) + 999999, i);
}

static struct frame_reader *open_reader(const struct form *form, FILE *stream)
{
    char *error = NULL;
    struct frame_reader *in =
        form->magic ? pcap_reader_open(stream, &error) : pcapng_reader_open(stream, &error);

    assert_null(error);
    assert_non_null(in);
    return in;
}

static FILE *stream_of(const GByteArray *file)
{
    return fmemopen(file->data, file->len, "rb");
}

/* Reads the next frame, which must be that of this index. Returns the reader's result. */
static enum input_status next(struct frame_reader *in, const struct form *form, uint32_t index)
{
    const bool damaged = form->magic && index % 4 == 0;
    struct input_frame frame;
    const enum input_status status = in->next(in, &frame);

    if (status != INPUT_FRAME)
        return status;
    assert_int_equal(frame.packet.size, MIN(size_of(index), form->limit));
    assert_int_equal(frame.packet.wire_size, wire_size_of(index));
    assert_int_equal(frame.packet.time, (FIRST_SECOND + index) * INT64_C(1000000000) +
                                            (damaged ? 999999999 : 999999000));
    for (uint32_t i = 0; i < frame.packet.size; i++)
        assert_int_equal(frame.packet.data[i], (uint8_t)(i * 7 + index));
    return status;
}

/* After each append of a few bytes, all complete frames can be read. */
TEST(files_are_read_while_they_grow)
{
    for (size_t f = 0; f < G_N_ELEMENTS(forms); f++) {
        const struct form *form = forms[f];
        g_autoptr(GByteArray) file = g_byte_array_new();
        FILE *stream = tmpfile();
        guint begin = PCAP_HEADER;
        struct frame_reader *in;
        enum input_status status;
        uint32_t frames = 0;

        if (!form->magic) { /* a whole section with other times; the next one grows */
            put_section(file, !form->big_endian, 9);
            begin = file->len;
        }
        put_file(file, form, FRAMES);
        assert_int_equal(pwrite(fileno(stream), file->data, begin, 0), begin);
        in = open_reader(form, stream);
        for (guint end = begin, size; end < file->len;) {
            size = MIN(end < 2000 ? 7 : 5000, file->len - end);
            assert_int_equal(pwrite(fileno(stream), file->data + end, size, end), size);
            end += size;
            while ((status = next(in, form, frames)) == INPUT_FRAME)
                frames++;
            assert_int_equal(status, in->position == end ? INPUT_END : INPUT_CUT);
            if (status == INPUT_CUT)
                assert_string_equal(in->problem, form->magic ? "the file ends within a packet"
                                                             : "the file ends within a block");
            frame_reader_resume(in);
        }
        assert_int_equal(frames, FRAMES);
        frame_reader_close(in);
    }
}

/* The writer may pause behind a frame: the reader does not wait for more bytes. */
TEST(pipes_are_read_frame_by_frame)
{
    for (size_t f = 0; f < G_N_ELEMENTS(forms); f++) {
        g_autoptr(GByteArray) file = g_byte_array_new();
        struct frame_reader *in;
        int ends[2];

        put_file(file, forms[f], 3);
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], file->data, file->len), file->len);
        in = open_reader(forms[f], fdopen(ends[0], "rb"));
        for (uint32_t i = 0; i < 3; i++)
            assert_int_equal(next(in, forms[f], i), INPUT_FRAME);
        close(ends[1]);
        assert_int_equal(next(in, forms[f], 3), INPUT_END);
        frame_reader_close(in);
    }
}

TEST(pcapng_frames_are_those_that_libpcap_reads)
{
    for (unsigned big_endian = 0; big_endian < 2; big_endian++) {
        g_autoptr(GByteArray) file = g_byte_array_new();
        char error[PCAP_ERRBUF_SIZE];
        struct frame_reader *in;
        struct input_frame frame;
        unsigned frames = 0;
        pcap_t *other;

        put_file(file, big_endian ? &big : &little, 20);
        in = open_reader(&little, stream_of(file));
        other = pcap_fopen_offline_with_tstamp_precision(stream_of(file),
                                                         PCAP_TSTAMP_PRECISION_NANO, error);
        assert_non_null(other);
        for (; in->next(in, &frame) == INPUT_FRAME; frames++) {
            struct pcap_pkthdr *header;
            const uint8_t *data;

            assert_int_equal(pcap_next_ex(other, &header, &data), 1);
            assert_int_equal(frame.packet.time,
                             (int64_t)header->ts.tv_sec * 1000000000 + header->ts.tv_usec);
            assert_int_equal(frame.packet.size, header->caplen);
            assert_int_equal(frame.packet.wire_size, header->len);
            assert_memory_equal(frame.packet.data, data, header->caplen);
            assert_int_equal(frame.link_type, pcap_datalink(other));
        }
        assert_int_equal(frames, 20);
        frame_reader_close(in);
        pcap_close(other);
    }
}

TEST(pcap_frame_that_is_too_large_ends_the_file)
{
    const struct form form = {MICROSECONDS, PCAP_FRAME_MAX, false};
    g_autoptr(GByteArray) file = g_byte_array_new();
    struct frame_reader *in;
    guint good;

    put_file(file, &form, 2);
    good = file->len;
    for (unsigned i = 0; i < 4; i++)
        qs_write_u32(file, PCAP_FRAME_MAX + 1);
    g_byte_array_set_size(file, file->len + PCAP_FRAME_MAX + 1);
    in = open_reader(&form, stream_of(file));
    assert_int_equal(next(in, &form, 0), INPUT_FRAME);
    assert_int_equal(next(in, &form, 1), INPUT_FRAME);
    assert_int_equal(next(in, &form, 2), INPUT_BROKEN);
    assert_non_null(in->problem);
    assert_int_equal(in->position, good);
    frame_reader_close(in);
}

TEST(other_files_are_no_pcap_files)
{
    static const struct {
        uint32_t magic;
        uint16_t minor_version;
        guint size;
    } rows[] = {
        {MICROSECONDS, 4, PCAP_HEADER - 1}, /* cut */
        {MICROSECONDS, 5, PCAP_HEADER},     /* an unknown version */
        {0x12345678, 4, PCAP_HEADER},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const struct form form = {rows[i].magic, 65535, false};
        g_autoptr(GByteArray) file = g_byte_array_new();
        char *error = NULL;

        put_pcap_header(file, &form, rows[i].minor_version);
        g_byte_array_set_size(file, rows[i].size);
        assert_null(pcap_reader_open(stream_of(file), &error));
        assert_non_null(error);
        g_free(error);
    }
}

/* The option if_tsresol: a power of ten, or with 0x80 of two. */
TEST(pcapng_times_have_any_resolution)
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
        {NO_RESOLUTION, UINT64_MAX, (INT64_MAX / 1000000000 - 1) * 1000000000}, /* the latest */
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(times); i++) {
        g_autoptr(GByteArray) file = g_byte_array_new();
        struct frame_reader *in;
        struct input_frame frame;

        put_section(file, false, times[i].resolution);
        put_packet(file, false, times[i].units, 0);
        in = open_reader(&little, stream_of(file));
        assert_int_equal(in->next(in, &frame), INPUT_FRAME);
        assert_int_equal(frame.packet.time, times[i].nanoseconds);
        frame_reader_close(in);
    }
}
