/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcap files of all variants. */
#include "tests/tool/frames.h"

#include <pcap/dlt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/writer.h"
#include "pcap2demo/capture/frame_reader.h"

#define MICROSECONDS UINT32_C(0xa1b2c3d4)
#define NANOSECONDS UINT32_C(0xa1b23c4d)
#define MODIFIED UINT32_C(0xa1b2cd34)

/* After 2038: seconds have no sign. */
#define FIRST_SECOND UINT32_C(2200000000)

static const uint32_t sizes[] = {0, 1, 60, 1514, 65535, PCAP_FRAME_MAX, 14, 100000, 7};

/* How a file is written. */
struct form {
    uint32_t magic;
    bool big_endian;
    uint32_t snaplen;
    uint16_t minor;
    uint32_t link;
};

static void put16(GByteArray *file, const struct form *form, uint16_t value)
{
    qs_write_u16(file, form->big_endian ? GUINT16_SWAP_LE_BE(value) : value);
}

static void put32(GByteArray *file, const struct form *form, uint32_t value)
{
    qs_write_u32(file, form->big_endian ? GUINT32_SWAP_LE_BE(value) : value);
}

static void put_header(GByteArray *file, const struct form *form)
{
    put32(file, form, form->magic);
    put16(file, form, 2);
    put16(file, form, form->minor);
    put32(file, form, 0);
    put32(file, form, 0);
    put32(file, form, form->snaplen);
    put32(file, form, form->link);
}

static void put_frame(GByteArray *file, const struct form *form, uint32_t index)
{
    const uint32_t size = sizes[index % G_N_ELEMENTS(sizes)];
    const uint32_t sent = index % 3 ? size : size + 100;

    put32(file, form, FIRST_SECOND + index);
    put32(file, form, index % 4 ? 999999 : 1234567890); /* more than a second: damaged */
    put32(file, form, size);
    put32(file, form, sent);
    if (form->magic == MODIFIED) {
        put32(file, form, 1); /* interface */
        put32(file, form, 0); /* protocol, packet type */
    }
    for (uint32_t i = 0; i < size; i++)
        qs_write_u8(file, (uint8_t)(i * 7 + index));
}

static GByteArray *make_file(const struct form *form, uint32_t frames)
{
    GByteArray *file = g_byte_array_new();

    put_header(file, form);
    for (uint32_t i = 0; i < frames; i++)
        put_frame(file, form, i);
    return file;
}

/* --- Reading --- */

static struct frame_reader *open_reader(const GByteArray *file)
{
    char *error = NULL;
    struct frame_reader *in = pcap_reader_open(file_of(file), &error);

    assert_null(error);
    assert_non_null(in);
    return in;
}

/* The fraction of a second is damaged in each fourth frame. */
static void check_frame(const struct input_frame *frame, const struct form *form, uint32_t index)
{
    const uint32_t size = sizes[index % G_N_ELEMENTS(sizes)];
    /* The systems that wrote modified files cut by what is behind the Ethernet header. */
    const uint32_t limit = form->snaplen + (form->magic == MODIFIED ? 14 : 0);
    const uint32_t snaplen =
        form->snaplen && form->snaplen < PCAP_FRAME_MAX ? limit : PCAP_FRAME_MAX;
    const int64_t fraction = form->magic == NANOSECONDS ? 999999 : 999999000;

    assert_int_equal(frame->packet.size, MIN(size, snaplen));
    assert_int_equal(frame->packet.wire_size, index % 3 ? size : size + 100);
    assert_int_equal(frame->packet.time, (FIRST_SECOND + index) * INT64_C(1000000000) +
                                             (index % 4 ? fraction : INT64_C(999999999)));
    for (uint32_t i = 0; i < frame->packet.size; i++)
        assert_int_equal(frame->packet.data[i], (uint8_t)(i * 7 + index));
}

static void check_frames(struct frame_reader *in, const struct form *form, uint32_t from,
                         uint32_t to)
{
    struct input_frame frame;

    for (uint32_t i = from; i < to; i++) {
        assert_int_equal(in->next(in, &frame), INPUT_FRAME);
        check_frame(&frame, form, i);
    }
}

/* A file that grows byte by byte, more or less: what is not whole yet is read later. */
TEST(test_growing)
{
    static const uint32_t magics[] = {MICROSECONDS, MODIFIED};

    for (unsigned m = 0; m < G_N_ELEMENTS(magics); m++) {
        const struct form form = {magics[m], false, 1000, 4, 1};
        g_autoptr(GByteArray) file = make_file(&form, 9);
        char name[] = "/tmp/test_pcap_reader.XXXXXX", *error = NULL;
        const int out = mkstemp(name);
        struct frame_reader *in;
        struct input_frame frame;
        enum input_status status;
        uint32_t frames = 0;

        assert_int_equal(write(out, file->data, 24), 24);
        in = pcap_reader_open(fopen(name, "rb"), &error);
        assert_non_null(in);
        for (guint at = 24, size; at < file->len; at += size) {
            size = MIN(at % 5000 + 3, file->len - at);
            assert_int_equal(write(out, file->data + at, size), size);
            while ((status = in->next(in, &frame)) == INPUT_FRAME)
                check_frame(&frame, &form, frames++);
            assert_int_equal(status, in->position == at + size ? INPUT_END : INPUT_CUT);
            frame_reader_resume(in);
        }
        assert_int_equal(frames, 9);
        frame_reader_close(in);
        close(out);
        unlink(name);
    }
}

TEST(test_too_large)
{
    const struct form form = {MICROSECONDS, false, UINT32_MAX, 4, 1};
    g_autoptr(GByteArray) file = make_file(&form, 2);
    const guint good = file->len;
    struct frame_reader *in;
    struct input_frame frame;

    for (unsigned i = 0; i < 4; i++)
        put32(file, &form, PCAP_FRAME_MAX + 1);
    g_byte_array_set_size(file, file->len + PCAP_FRAME_MAX + 1);
    in = open_reader(file);
    check_frames(in, &form, 0, 2);
    assert_int_equal(in->next(in, &frame), INPUT_BROKEN);
    assert_non_null(in->problem);
    assert_int_equal(in->position, good);
    frame_reader_close(in);
}

TEST(test_refused)
{
    static const struct form forms[] = {{MICROSECONDS, false, 65535, 4, 1},
                                        {MICROSECONDS, false, 65535, 5, 1},
                                        {0x12345678, false, 65535, 4, 1}};

    for (unsigned i = 0; i < G_N_ELEMENTS(forms); i++) {
        g_autoptr(GByteArray) file = make_file(&forms[i], i);
        char *error = NULL;

        g_byte_array_set_size(file, i ? file->len : 23);
        assert_null(pcap_reader_open(file_of(file), &error));
        assert_non_null(error);
        g_free(error);
    }
}

/* Waits for no more than a frame. */
TEST(test_pipe)
{
    const struct form form = {MICROSECONDS, false, 65535, 4, 1};
    g_autoptr(GByteArray) file = make_file(&form, 3);
    struct frame_reader *in;
    struct input_frame frame;
    char *error = NULL;
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], file->data, file->len), file->len);
    in = pcap_reader_open(fdopen(ends[0], "rb"), &error);
    assert_non_null(in);
    for (int i = 0; i < 3; i++)
        assert_int_equal(in->next(in, &frame), INPUT_FRAME);
    close(ends[1]);
    assert_int_equal(in->next(in, &frame), INPUT_END);
    frame_reader_close(in);
}
