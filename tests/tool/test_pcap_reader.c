/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcap files, read beside libpcap. */
#include "tests/tool/frames.h"

#include <fcntl.h>
#include <pcap/pcap.h>
#include <string.h>
#include <unistd.h>

#include "common/core/writer.h"
#include "pcap2demo/capture/frame_reader.h"

#define MICROSECONDS UINT32_C(0xa1b2c3d4)
#define NANOSECONDS UINT32_C(0xa1b23c4d)

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

    put32(file, form, 1700000000 + index);
    put32(file, form, index % 4 ? 999999 : 1234567890); /* more than a second: damaged */
    put32(file, form, size);
    put32(file, form, sent);
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

/* --- Beside libpcap --- */

static void check_frame(const struct input_frame *frame, const struct pcap_pkthdr *header,
                        const uint8_t *data)
{
    assert_int_equal(frame->packet.size, header->caplen);
    assert_int_equal(frame->packet.wire_size, MAX(header->len, header->caplen));
    assert_memory_equal(frame->packet.data, data, header->caplen);
    assert_true(frame->packet.time / 1000 ==
                (int64_t)header->ts.tv_sec * 1000000 + MIN(header->ts.tv_usec, 999999999) / 1000);
}

/* Returns how both end. */
static enum input_status check_frames(struct frame_reader *in, pcap_t *pcap)
{
    struct input_frame frame;
    enum input_status status;
    struct pcap_pkthdr *header;
    const uint8_t *data;

    while ((status = in->next(in, &frame)) == INPUT_FRAME) {
        assert_int_equal(pcap_next_ex(pcap, &header, &data), 1);
        check_frame(&frame, header, data);
    }
    assert_int_equal(pcap_next_ex(pcap, &header, &data),
                     status == INPUT_END ? PCAP_ERROR_BREAK : PCAP_ERROR);
    return status;
}

static void check_file(const GByteArray *file, enum input_status end)
{
    char error[PCAP_ERRBUF_SIZE];
    char *problem = NULL;
    struct frame_reader *in = pcap_reader_open(file_of(file), &problem);
    pcap_t *pcap =
        pcap_fopen_offline_with_tstamp_precision(file_of(file), PCAP_TSTAMP_PRECISION_NANO, error);

    assert_non_null(in);
    assert_non_null(pcap);
    assert_int_equal(in->link_type, pcap_datalink(pcap));
    assert_int_equal(check_frames(in, pcap), end);
    assert_int_equal(in->problem != NULL, end == INPUT_BROKEN);
    if (end == INPUT_END)
        assert_int_equal(in->position, file->len);
    frame_reader_close(in);
    pcap_close(pcap);
}

TEST(test_forms)
{
    static const uint32_t magics[] = {MICROSECONDS, NANOSECONDS};
    static const uint32_t snaplens[] = {0, 1000, PCAP_FRAME_MAX, UINT32_MAX};

    for (unsigned i = 0; i < 16; i++) {
        const struct form form = {magics[i & 1], i & 2, snaplens[i / 4], 4, 1};
        g_autoptr(GByteArray) file = make_file(&form, 20);

        check_file(file, INPUT_END);
    }
}

/* Of bare IP, and of a link layer that is not known. */
TEST(test_other_links)
{
    const struct form forms[] = {{MICROSECONDS, false, 65535, 4, 101},
                                 {MICROSECONDS, false, 65535, 4, 147}};

    for (unsigned i = 0; i < G_N_ELEMENTS(forms); i++) {
        g_autoptr(GByteArray) file = make_file(&forms[i], 2);

        check_file(file, INPUT_END);
    }
}

TEST(test_cut)
{
    const struct form form = {MICROSECONDS, false, 65535, 4, 1};
    g_autoptr(GByteArray) file = make_file(&form, 5);
    const guint behind_two = 24 + 2 * 16 + 1;

    for (guint size = file->len - 1; size > behind_two; size -= MAX((size - behind_two) / 8, 1)) {
        g_byte_array_set_size(file, size);
        check_file(file, size == behind_two + 16 + 60 ? INPUT_END : INPUT_BROKEN);
    }
    g_byte_array_set_size(file, behind_two);
    check_file(file, INPUT_END);
}

TEST(test_too_large)
{
    const struct form form = {MICROSECONDS, false, UINT32_MAX, 4, 1};
    g_autoptr(GByteArray) file = make_file(&form, 2);

    for (unsigned i = 0; i < 4; i++)
        put32(file, &form, PCAP_FRAME_MAX + 1);
    g_byte_array_set_size(file, file->len + PCAP_FRAME_MAX + 1);
    check_file(file, INPUT_BROKEN);
}

TEST(test_refused)
{
    static const struct form forms[] = {{MICROSECONDS, false, 65535, 4, 1},
                                        {MICROSECONDS, false, 65535, 5, 1},
                                        {MICROSECONDS, false, 65535, 3, 1},
                                        {UINT32_C(0xa1b2cd34), false, 65535, 4, 1},
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
