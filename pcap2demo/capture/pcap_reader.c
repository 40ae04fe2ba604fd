/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <glib.h>

#include "common/core/reader.h"
#include "pcap2demo/capture/frame_reader.h"
#include "pcap2demo/capture/link.h"
#include "pcap2demo/capture/read_buffer.h"
#include "pcap2demo/capture/source.h"

enum {
    FILE_HEADER = 24,
    FRAME_HEADER = 16,
    VERSION_MAJOR = 2,
    VERSION_MINOR = 4,
    NANOSECONDS = 1000000000
};

static const uint32_t MAGIC_MICROSECONDS = 0xa1b2c3d4, MAGIC_NANOSECONDS = 0xa1b23c4d;

struct pcap_reader {
    struct frame_reader base;
    struct read_buffer file;
    bool big_endian;
    uint32_t unit; /* nanoseconds of one unit of the times' fractions */
    uint32_t snaplen;
};

static uint16_t word16(const struct pcap_reader *in, const uint8_t *data)
{
    return in->big_endian ? qs_be16(data) : qs_le16(data);
}

static uint32_t word32(const struct pcap_reader *in, const uint8_t *data)
{
    return in->big_endian ? qs_be32(data) : qs_le32(data);
}

/* --- The file's header ----------------------------------------------------------------------- */

/* The upper half of the last field has flags that are not used here. */
static bool read_header(struct pcap_reader *in, const uint8_t *header)
{
    uint32_t link, magic = qs_le32(header);

    in->big_endian = magic != MAGIC_MICROSECONDS && magic != MAGIC_NANOSECONDS;
    magic = word32(in, header);
    if (magic != MAGIC_MICROSECONDS && magic != MAGIC_NANOSECONDS)
        return false;
    in->unit = magic == MAGIC_MICROSECONDS ? 1000 : 1;
    in->snaplen = word32(in, header + 16);
    if (!in->snaplen || in->snaplen > PCAP_FRAME_MAX)
        in->snaplen = PCAP_FRAME_MAX;
    link = word32(in, header + 20);
    in->base.link_type = link_type_of_file((uint16_t)link);
    return word16(in, header + 4) == VERSION_MAJOR && word16(in, header + 6) == VERSION_MINOR &&
           link <= UINT16_MAX && link_find(in->base.link_type);
}

/* --- Frames ---------------------------------------------------------------------------------- */

static enum input_status broken(struct pcap_reader *in, char *problem)
{
    return read_broken(&in->base.problem, problem);
}

static enum input_status ends_early(struct pcap_reader *in, uint32_t need)
{
    const uint32_t left = read_buffer_left(&in->file);

    if (in->file.failure)
        return broken(in, g_strdup(g_strerror(in->file.failure)));
    if (!left)
        return INPUT_END;
    return broken(in, g_strdup_printf("the file ends with %u of %u bytes of a packet", left, need));
}

/* A damaged file may contain any fraction. */
static int64_t time_of(const struct pcap_reader *in, const uint8_t *header)
{
    const uint64_t fraction = (uint64_t)word32(in, header + 4) * in->unit;

    return (int64_t)word32(in, header) * NANOSECONDS +
           (int64_t)MIN(fraction, NANOSECONDS - in->unit);
}

static enum input_status next(struct frame_reader *reader, struct input_frame *frame)
{
    struct pcap_reader *in = (struct pcap_reader *)reader;
    const uint8_t *header;
    uint32_t size;

    if (!read_buffer_need(&in->file, FRAME_HEADER))
        return ends_early(in, FRAME_HEADER);
    size = word32(in, read_buffer_bytes(&in->file) + 8);
    if (size > PCAP_FRAME_MAX)
        return broken(in, g_strdup_printf("a packet of %u bytes", size));
    if (!read_buffer_need(&in->file, FRAME_HEADER + size))
        return ends_early(in, FRAME_HEADER + size);
    header = read_buffer_bytes(&in->file);
    *frame = (struct input_frame){
        .packet = {.data = header + FRAME_HEADER,
                   .size = MIN(size, in->snaplen),
                   .wire_size = MAX(size, word32(in, header + 12)),
                   .time = time_of(in, header)},
        .link_type = in->base.link_type,
    };
    read_buffer_pass(&in->file, FRAME_HEADER + size);
    in->base.position = in->file.position;
    return INPUT_FRAME;
}

/* --- The file -------------------------------------------------------------------------------- */

static void close_file(struct frame_reader *reader)
{
    struct pcap_reader *in = (struct pcap_reader *)reader;

    source_close_plain(in->file.stream);
    read_buffer_clear(&in->file);
    g_free(in->base.problem);
    g_free(in);
}

struct frame_reader *pcap_reader_open(FILE *stream)
{
    struct pcap_reader in = {.base = {.next = next, .close = close_file, .position = FILE_HEADER}};
    struct pcap_reader *opened;

    read_buffer_init(&in.file, stream);
    if (!in.file.regular || !read_buffer_need(&in.file, FILE_HEADER) ||
        !read_header(&in, read_buffer_bytes(&in.file))) {
        read_buffer_clear(&in.file);
        return NULL;
    }
    read_buffer_pass(&in.file, FILE_HEADER);
    opened = g_memdup2(&in, sizeof in);
    return &opened->base;
}
