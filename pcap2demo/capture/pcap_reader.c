/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <glib.h>

#include "common/core/reader.h"
#include "pcap2demo/capture/frame_reader.h"
#include "pcap2demo/capture/link.h"
#include "pcap2demo/capture/source.h"

enum {
    FILE_HEADER = 24,
    FRAME_HEADER = 16,
    VERSION_MAJOR = 2,
    VERSION_MINOR = 4,
    NANOSECONDS = 1000000000
};

struct pcap_reader {
    struct frame_reader base;
    uint32_t unit; /* nanoseconds of one unit of the times' fractions */
    uint32_t snaplen;
};

/* --- The file's header ----------------------------------------------------------------------- */

static bool read_magic(struct pcap_reader *in, const uint8_t *header)
{
    static const struct {
        uint32_t magic, unit;
    } kinds[] = {{0xa1b2c3d4, 1000}, {0xa1b23c4d, 1}};

    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        in->unit = kinds[i].unit;
        in->base.big_endian = qs_be32(header) == kinds[i].magic;
        if (in->base.big_endian || qs_le32(header) == kinds[i].magic)
            return true;
    }
    return false;
}

/* NULL, or why the file cannot be read. The upper half of the last field has flags that are not
 * used here. */
static char *read_header(struct pcap_reader *in)
{
    const uint8_t *header;

    if (!read_buffer_need(&in->base.file, FILE_HEADER))
        return g_strdup("the file ends within its header");
    header = read_buffer_bytes(&in->base.file);
    if (!read_magic(in, header))
        return g_strdup("not a pcap file");
    if (frame_reader_u16(&in->base, header + 4) != VERSION_MAJOR ||
        frame_reader_u16(&in->base, header + 6) != VERSION_MINOR)
        return g_strdup_printf("version %u.%u of pcap is not known",
                               frame_reader_u16(&in->base, header + 4),
                               frame_reader_u16(&in->base, header + 6));
    in->snaplen = frame_reader_u32(&in->base, header + 16);
    if (!in->snaplen || in->snaplen > PCAP_FRAME_MAX)
        in->snaplen = PCAP_FRAME_MAX;
    in->base.link_type = link_type_of_file((uint16_t)frame_reader_u32(&in->base, header + 20));
    read_buffer_pass(&in->base.file, FILE_HEADER);
    return NULL;
}

/* --- Frames ---------------------------------------------------------------------------------- */

static enum input_status ends_early(struct pcap_reader *in, uint32_t need)
{
    const uint32_t left = read_buffer_left(&in->base.file);

    if (in->base.file.failure)
        return frame_reader_broken(&in->base, g_strdup(g_strerror(in->base.file.failure)));
    if (!left)
        return INPUT_END;
    return frame_reader_broken(
        &in->base, g_strdup_printf("the file ends with %u of %u bytes of a packet", left, need));
}

/* A damaged file may contain any fraction. */
static int64_t time_of(const struct pcap_reader *in, const uint8_t *header)
{
    const uint64_t fraction = (uint64_t)frame_reader_u32(&in->base, header + 4) * in->unit;

    return (int64_t)frame_reader_u32(&in->base, header) * NANOSECONDS +
           (int64_t)MIN(fraction, NANOSECONDS - in->unit);
}

static enum input_status next(struct frame_reader *reader, struct input_frame *frame)
{
    struct pcap_reader *in = (struct pcap_reader *)reader;
    const uint8_t *header;
    uint32_t size, wire_size;

    if (!read_buffer_need(&in->base.file, FRAME_HEADER))
        return ends_early(in, FRAME_HEADER);
    header = read_buffer_bytes(&in->base.file);
    size = frame_reader_u32(&in->base, header + 8);
    wire_size = frame_reader_u32(&in->base, header + 12);
    if (size > PCAP_FRAME_MAX)
        return frame_reader_broken(&in->base, g_strdup_printf("a packet of %u bytes", size));
    if (!read_buffer_need(&in->base.file, FRAME_HEADER + size))
        return ends_early(in, FRAME_HEADER + size);
    header = read_buffer_bytes(&in->base.file);
    *frame = (struct input_frame){
        .packet = {.data = header + FRAME_HEADER,
                   .size = MIN(size, in->snaplen),
                   .wire_size = MAX(size, wire_size),
                   .time = time_of(in, header)},
        .link_type = in->base.link_type,
    };
    read_buffer_pass(&in->base.file, FRAME_HEADER + size);
    in->base.position = in->base.file.position;
    return INPUT_FRAME;
}

/* --- The file -------------------------------------------------------------------------------- */

void frame_reader_close(struct frame_reader *reader)
{
    source_close_plain(reader->file.stream);
    read_buffer_clear(&reader->file);
    if (reader->interfaces)
        g_array_free(reader->interfaces, TRUE);
    g_free(reader->problem);
    g_free(reader);
}

struct frame_reader *pcap_reader_open(FILE *stream, char **error)
{
    struct pcap_reader *in = g_new0(struct pcap_reader, 1);

    in->base = (struct frame_reader){.next = next, .position = FILE_HEADER};
    read_buffer_init(&in->base.file, stream);
    *error = read_header(in);
    if (!*error)
        return &in->base;
    frame_reader_close(&in->base);
    return NULL;
}
