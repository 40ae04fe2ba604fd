/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <glib.h>
#include <pcap/pcap.h>

#include "common/core/reader.h"
#include "pcap2demo/capture/frame_reader.h"
#include "pcap2demo/capture/source.h"

enum {
    FILE_HEADER = 24,
    FRAME_HEADER = 16,
    MODIFIED_FRAME_HEADER = 24, /* in files of some old Linux versions */
    NANOSECONDS = 1000000000
};

#define MODIFIED_MAGIC UINT32_C(0xa1b2cd34)

struct pcap_reader {
    struct frame_reader base;
    pcap_t *pcap;
    uint32_t header; /* size of the header of each frame */
};

static enum input_status failed(struct pcap_reader *in)
{
    const bool ends = feof(in->base.stream);

    g_free(in->base.problem);
    in->base.problem = g_strdup(ends ? "the file ends within a packet" : pcap_geterr(in->pcap));
    return ends ? INPUT_CUT : INPUT_BROKEN;
}

/*
 * Advances the position. libpcap drops the bytes of a frame beyond the file's snapshot length
 * without reporting how many. Only then the stream is queried, because pipes have no position.
 */
static void advance(struct pcap_reader *in, uint32_t size)
{
    off_t position = -1;

    in->base.position += in->header + size;
    if (size == (uint32_t)pcap_snapshot(in->pcap))
        position = ftello(in->base.stream);
    if (position >= 0)
        in->base.position = (uint64_t)position;
}

/* A damaged file may contain any fraction of a second. Seconds are unsigned, with 32 bits. */
static enum input_status next(struct frame_reader *reader, struct input_frame *frame)
{
    struct pcap_reader *in = (struct pcap_reader *)reader;
    struct pcap_pkthdr *header;
    const uint8_t *data;
    const int status = pcap_next_ex(in->pcap, &header, &data);

    if (status != 1)
        return status == PCAP_ERROR_BREAK ? INPUT_END : failed(in);
    *frame = (struct input_frame){
        .packet = {.data = data,
                   .size = header->caplen,
                   .wire_size = MAX(header->caplen, header->len),
                   .time = (int64_t)(uint32_t)header->ts.tv_sec * NANOSECONDS +
                           (int64_t)MIN((uint64_t)header->ts.tv_usec, NANOSECONDS - 1)},
        .link_type = reader->link_type,
    };
    advance(in, header->caplen);
    return INPUT_FRAME;
}

static void pcap_reader_free(struct frame_reader *reader)
{
    pcap_close(((struct pcap_reader *)reader)->pcap);
}

struct frame_reader *pcap_reader_open(FILE *stream, char **error)
{
    char problem[PCAP_ERRBUF_SIZE];
    uint8_t magic[4] = {0};
    struct pcap_reader *in;
    pcap_t *pcap;

    peek_stream(stream, magic, sizeof magic);
    pcap = pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO, problem);
    if (!pcap) {
        *error = g_strdup(problem);
        source_close_plain(stream);
        return NULL;
    }
    in = g_new0(struct pcap_reader, 1);
    in->base = (struct frame_reader){.next = next,
                                     .free = pcap_reader_free,
                                     .stream = stream,
                                     .link_type = pcap_datalink(pcap),
                                     .position = FILE_HEADER};
    in->pcap = pcap;
    in->header = qs_le32(magic) == MODIFIED_MAGIC || qs_be32(magic) == MODIFIED_MAGIC
                     ? MODIFIED_FRAME_HEADER
                     : FRAME_HEADER;
    return &in->base;
}

/* --- Readers of all formats ------------------------------------------------------------------ */

void frame_reader_resume(struct frame_reader *reader)
{
    clearerr(reader->stream);
    fseeko(reader->stream, (off_t)reader->position, SEEK_SET);
}

void frame_reader_close(struct frame_reader *reader)
{
    reader->free(reader);
    g_free(reader->problem);
    g_free(reader);
}
