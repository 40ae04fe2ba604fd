/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/comments.h"

#include <glib.h>
#include <string.h>
#include <sys/stat.h>

#include "pcap2demo/capture/file_type.h"
#include "pcap2demo/capture/pcapng.h"
#include "pcap2demo/capture/unpack.h"

struct comments_reader {
    struct qs_comments *comments;
    uint64_t packets; /* so far */
};

static struct qs_comments *read_packed(const struct codec *codec, FILE *packed)
{
    struct unpack *unpack = unpack_new(codec, packed, COMMENTS_FILE_MAX);
    FILE *stream = unpack_stream(unpack);
    struct qs_comments *comments = stream ? comments_read(stream) : NULL;

    if (stream)
        fclose(stream);
    unpack_free(unpack);
    return comments;
}

struct qs_comments *comments_of_file(const char *name)
{
    struct qs_comments *comments;
    const struct codec *codec;
    struct stat about;
    FILE *stream;

    if (stat(name, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size > COMMENTS_FILE_MAX)
        return NULL;
    stream = fopen(name, "rb");
    if (!stream)
        return NULL;
    codec = codec_of_stream(stream);
    comments = codec ? read_packed(codec, stream) : comments_read(stream);
    fclose(stream);
    return comments;
}

/* --- Blocks --- */

static bool is_ours(const struct pcapng *file)
{
    enum { SECTION_HEAD = 16 };
    const struct qs_view application =
        pcapng_option(file, pcapng_rest(file, SECTION_HEAD), PCAPNG_OPTION_APPLICATION);

    return application.size >= strlen(PCAPNG_APPLICATION) &&
           memcmp(application.data, PCAPNG_APPLICATION, strlen(PCAPNG_APPLICATION)) == 0;
}

static void add_packet(struct comments_reader *reader, struct qs_view comment)
{
    qs_comments_set(reader->comments, ++reader->packets, comment);
}

static void read_packet(struct comments_reader *reader, const struct pcapng *file)
{
    enum { SIZE_AT = 12, PACKET_HEAD = 20 };
    struct qs_reader in = qs_reader_over(file->body.data, file->body.size);
    const uint8_t *head = qs_reader_take(&in, PACKET_HEAD);
    const uint32_t size = head ? pcapng_u32(file, head + SIZE_AT) : 0;

    qs_reader_take(&in, size);
    qs_reader_take(&in, -size % 4);
    add_packet(reader, in.overrun
                           ? (struct qs_view){0}
                           : pcapng_option(file, pcapng_rest(file, in.pos), PCAPNG_OPTION_COMMENT));
}

/* False: the file is not one of ours. */
static bool take_block(struct comments_reader *reader, const struct pcapng *file)
{
    switch (file->type) {
    case PCAPNG_SECTION:
        return is_ours(file);
    case PCAPNG_PACKET:
        read_packet(reader, file);
        break;
    case PCAPNG_OLD_PACKET:
    case PCAPNG_SIMPLE_PACKET:
        add_packet(reader, (struct qs_view){0});
        break;
    }
    return true;
}

/* What is read before damage holds: packets are read as far. */
static bool read_blocks(struct comments_reader *reader, FILE *stream)
{
    struct pcapng file;
    bool ours = false;

    pcapng_init(&file, stream);
    while (pcapng_next(&file) == READ_GOOD) {
        ours = take_block(reader, &file);
        if (!ours)
            break;
    }
    pcapng_clear(&file);
    return ours;
}

struct qs_comments *comments_read(FILE *stream)
{
    struct comments_reader reader = {.comments = qs_comments_new()};

    if (read_blocks(&reader, stream) && qs_comments_has_any(reader.comments))
        return reader.comments;
    qs_comments_free(reader.comments);
    return NULL;
}
