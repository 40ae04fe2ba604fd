/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/comments.h"

#include <glib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/core/reader.h"
#include "pcap2demo/capture/file_type.h"
#include "pcap2demo/capture/gunzip.h"
#include "pcap2demo/capture/pcapng.h"

enum { BLOCK_MAX = 16 * 1024 * 1024 }; /* libpcap reads no longer ones */

struct comments_reader {
    struct qs_comments *comments;
    uint64_t packets; /* so far */
};

static struct qs_comments *read_packed(FILE *packed)
{
    struct gunzip *gunzip = gunzip_new(packed, COMMENTS_FILE_MAX);
    FILE *stream = gunzip_stream(gunzip);
    struct qs_comments *comments = stream ? comments_read(stream) : NULL;

    if (stream)
        fclose(stream);
    gunzip_free(gunzip);
    return comments;
}

struct qs_comments *comments_of_file(const char *name)
{
    struct qs_comments *comments;
    struct stat about;
    FILE *stream;

    if (stat(name, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size > COMMENTS_FILE_MAX)
        return NULL;
    stream = fopen(name, "rb");
    if (!stream)
        return NULL;
    comments = is_gzip_stream(stream) ? read_packed(stream) : comments_read(stream);
    fclose(stream);
    return comments;
}

/* --- Blocks --- */

/* The options of a block, from where `in` stands. Empty: there is none of that code. */
static struct qs_view find_option(struct qs_reader in, uint16_t wanted)
{
    while (qs_reader_left(&in)) {
        const uint16_t code = qs_reader_u16(&in);
        const uint16_t size = qs_reader_u16(&in);
        const uint8_t *value = qs_reader_take(&in, size);

        if (in.overrun || code == PCAPNG_OPTION_END)
            break;
        if (code == wanted)
            return (struct qs_view){value, size};
        qs_reader_take(&in, -(uint32_t)size % 4);
    }
    return (struct qs_view){0};
}

/* This program writes little-endian files only. */
static bool is_ours(struct qs_reader in)
{
    enum { VERSION_AND_LENGTH = 12 };
    const uint32_t order = qs_reader_u32(&in);
    struct qs_view application;

    qs_reader_take(&in, VERSION_AND_LENGTH);
    application = find_option(in, PCAPNG_OPTION_APPLICATION);
    return order == PCAPNG_BYTE_ORDER && application.size >= strlen(PCAPNG_APPLICATION) &&
           memcmp(application.data, PCAPNG_APPLICATION, strlen(PCAPNG_APPLICATION)) == 0;
}

static void add_packet(struct comments_reader *reader, struct qs_view comment)
{
    qs_comments_set(reader->comments, ++reader->packets, comment);
}

static void read_packet(struct comments_reader *reader, struct qs_reader in)
{
    enum { INTERFACE_AND_TIME = 12 };
    uint32_t size;

    qs_reader_take(&in, INTERFACE_AND_TIME);
    size = qs_reader_u32(&in);
    qs_reader_u32(&in); /* its length on the wire */
    qs_reader_take(&in, size);
    qs_reader_take(&in, -size % 4);
    add_packet(reader, in.overrun ? (struct qs_view){0} : find_option(in, PCAPNG_OPTION_COMMENT));
}

/* False: the file is not one of ours. */
static bool take_block(struct comments_reader *reader, uint32_t type, struct qs_reader body)
{
    switch (type) {
    case PCAPNG_SECTION:
        return is_ours(body);
    case PCAPNG_PACKET:
        read_packet(reader, body);
        break;
    case PCAPNG_OLD_PACKET:
    case PCAPNG_SIMPLE_PACKET:
        add_packet(reader, (struct qs_view){0});
        break;
    }
    return true;
}

/* Reads a block's body, and the length behind it. False: the file ends, or there is no block. */
static bool read_block(FILE *stream, uint32_t *type, GByteArray *body)
{
    uint8_t head[8];
    uint32_t size;

    if (fread(head, 1, sizeof head, stream) != sizeof head)
        return false;
    *type = qs_le32(head);
    size = qs_le32(head + 4);
    if (size < PCAPNG_FRAMING || size > BLOCK_MAX || size % 4)
        return false;
    g_byte_array_set_size(body, size - (guint)sizeof head);
    if (fread(body->data, 1, body->len, stream) != body->len)
        return false;
    g_byte_array_set_size(body, body->len - 4);
    return true;
}

/* What is read before damage holds: libpcap reads as far. */
static bool read_blocks(struct comments_reader *reader, FILE *stream)
{
    GByteArray *body = g_byte_array_new();
    bool ours = false, begun = false;
    uint32_t type;

    while (read_block(stream, &type, body) && (begun || type == PCAPNG_SECTION)) {
        begun = true;
        ours = take_block(reader, type, qs_reader_over(body->data, body->len));
        if (!ours)
            break;
    }
    g_byte_array_free(body, TRUE);
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
