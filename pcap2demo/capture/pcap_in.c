/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/pcap_in.h"

#include <errno.h>
#include <glib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/reader.h"
#include "pcap2demo/capture/link.h"
#include "pcap2demo/capture/source.h"

enum {
    FILE_HEADER = 24,
    FRAME_HEADER = 16,
    PIECE = 64 * 1024, /* bytes that are read at once: they stay in a processor's cache */
    ROOM = FRAME_HEADER + PCAP_IN_FRAME_MAX + PIECE,
    VERSION_MAJOR = 2,
    VERSION_MINOR = 4,
    NANOSECONDS = 1000000000
};

static const uint32_t MAGIC_MICROSECONDS = 0xa1b2c3d4, MAGIC_NANOSECONDS = 0xa1b23c4d;

struct pcap_in {
    struct frame_reader base;
    FILE *stream; /* is not read any more, but closed at last */
    off_t offset; /* in the file, behind what is in `room` */
    bool big_endian;
    uint32_t unit; /* nanoseconds that the times' fractions count in */
    uint32_t snaplen;
    uint8_t *room; /* ROOM bytes: a piece of the file, behind what the one before left over */
    uint32_t at, size;
};

static uint16_t word16(const struct pcap_in *in, const uint8_t *data)
{
    return in->big_endian ? qs_be16(data) : qs_le16(data);
}

static uint32_t word32(const struct pcap_in *in, const uint8_t *data)
{
    return in->big_endian ? qs_be32(data) : qs_le32(data);
}

/* --- The file's header ----------------------------------------------------------------------- */

/* Of the last field the upper half holds what nobody needs, or nothing is known of. */
static bool read_header(struct pcap_in *in, const uint8_t *header)
{
    uint32_t link, magic = qs_le32(header);

    in->big_endian = magic != MAGIC_MICROSECONDS && magic != MAGIC_NANOSECONDS;
    magic = word32(in, header);
    if (magic != MAGIC_MICROSECONDS && magic != MAGIC_NANOSECONDS)
        return false;
    in->unit = magic == MAGIC_MICROSECONDS ? 1000 : 1;
    in->snaplen = word32(in, header + 16);
    if (!in->snaplen || in->snaplen > PCAP_IN_FRAME_MAX)
        in->snaplen = PCAP_IN_FRAME_MAX;
    link = word32(in, header + 20);
    in->base.link_type = link_type_of_file((uint16_t)link);
    return word16(in, header + 4) == VERSION_MAJOR && word16(in, header + 6) == VERSION_MINOR &&
           link <= UINT16_MAX && link_find(in->base.link_type);
}

static bool is_regular(FILE *stream)
{
    const int file = fileno(stream);
    struct stat status;

    return file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

/* --- Frames ---------------------------------------------------------------------------------- */

static enum read_status broken(struct pcap_in *in, char *problem)
{
    return read_broken(&in->base.problem, problem);
}

/* Bytes read behind those that are there: 0 at the end of the file, -1 on failure. */
static ssize_t read_piece(struct pcap_in *in)
{
    ssize_t size;

    do
        size = pread(fileno(in->stream), in->room + in->size, PIECE, in->offset);
    while (size < 0 && errno == EINTR);
    if (size > 0) {
        in->offset += size;
        in->size += (uint32_t)size;
    }
    return size;
}

/* Reads on until `need` bytes are there. */
static enum read_status fetch(struct pcap_in *in, uint32_t need)
{
    ssize_t size = 1;

    in->size -= in->at;
    memmove(in->room, in->room + in->at, in->size);
    in->at = 0;
    while (in->size < need && size > 0)
        size = read_piece(in);
    if (size < 0)
        return broken(in, g_strdup(g_strerror(errno)));
    if (in->size >= need)
        return READ_GOOD;
    if (!in->size)
        return READ_OVER;
    return broken(in,
                  g_strdup_printf("the file ends with %u of %u bytes of a packet", in->size, need));
}

static inline enum read_status ensure(struct pcap_in *in, uint32_t need)
{
    return in->size - in->at >= need ? READ_GOOD : fetch(in, need);
}

/* A damaged file can hold any fraction. */
static int64_t time_of(const struct pcap_in *in, const uint8_t *header)
{
    const uint64_t fraction = (uint64_t)word32(in, header + 4) * in->unit;

    return (int64_t)word32(in, header) * NANOSECONDS +
           (int64_t)MIN(fraction, NANOSECONDS - in->unit);
}

static enum read_status next(struct frame_reader *reader, struct input_frame *frame)
{
    struct pcap_in *in = (struct pcap_in *)reader;
    enum read_status status = ensure(in, FRAME_HEADER);
    const uint8_t *header;
    uint32_t size;

    if (status != READ_GOOD)
        return status;
    size = word32(in, in->room + in->at + 8);
    if (size > PCAP_IN_FRAME_MAX)
        return broken(in, g_strdup_printf("a packet of %u bytes", size));
    status = ensure(in, FRAME_HEADER + size);
    if (status != READ_GOOD)
        return status;
    header = in->room + in->at;
    *frame = (struct input_frame){
        .bytes = {header + FRAME_HEADER, MIN(size, in->snaplen),
                  MAX(size, word32(in, header + 12))},
        .time = time_of(in, header),
        .link_type = in->base.link_type,
    };
    in->at += FRAME_HEADER + size;
    in->base.position += FRAME_HEADER + size;
    return READ_GOOD;
}

/* --- The file -------------------------------------------------------------------------------- */

static void close_file(struct frame_reader *reader)
{
    struct pcap_in *in = (struct pcap_in *)reader;

    source_close_plain(in->stream);
    g_free(in->room);
    g_free(in->base.problem);
    g_free(in);
}

struct frame_reader *pcap_in_open(FILE *stream)
{
    struct pcap_in header = {.base = {.next = next, .close = close_file, .position = FILE_HEADER},
                             .stream = stream};
    struct pcap_in *in;
    uint8_t bytes[FILE_HEADER];
    const off_t start = is_regular(stream) ? ftello(stream) : -1;

    if (start < 0)
        return NULL;
    if (fread(bytes, 1, sizeof bytes, stream) != sizeof bytes || !read_header(&header, bytes)) {
        fseeko(stream, start, SEEK_SET);
        return NULL;
    }
    header.offset = start + FILE_HEADER;
    header.room = g_malloc(ROOM);
    in = g_memdup2(&header, sizeof header);
    return &in->base;
}
