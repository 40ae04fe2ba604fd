/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/pcapng.h"

enum { BLOCK_HEAD = 8, BLOCK_TAIL = 4, ORDER_MARK = 4, SECTION_BODY_MIN = 16, MAJOR_VERSION = 1 };

void pcapng_init(struct pcapng *file, FILE *stream)
{
    *file = (struct pcapng){0};
    pieces_init(&file->in, stream);
}

void pcapng_clear(struct pcapng *file)
{
    pieces_clear(&file->in);
    g_free(file->problem);
}

uint16_t pcapng_u16(const struct pcapng *file, const uint8_t *at)
{
    return file->big_endian ? qs_be16(at) : qs_le16(at);
}

uint32_t pcapng_u32(const struct pcapng *file, const uint8_t *at)
{
    return file->big_endian ? qs_be32(at) : qs_le32(at);
}

struct qs_view pcapng_rest(const struct pcapng *file, uint32_t from)
{
    if (from >= file->body.size)
        return (struct qs_view){0};
    return (struct qs_view){file->body.data + from, file->body.size - from};
}

struct qs_view pcapng_option(const struct pcapng *file, struct qs_view options, uint16_t wanted)
{
    struct qs_reader in = qs_reader_over(options.data, options.size);

    while (qs_reader_left(&in)) {
        const uint8_t *head = qs_reader_take(&in, 4);
        const uint16_t code = head ? pcapng_u16(file, head) : PCAPNG_OPTION_END;
        const uint16_t size = head ? pcapng_u16(file, head + 2) : 0;
        const uint8_t *value = qs_reader_take(&in, size);

        if (in.overrun || code == PCAPNG_OPTION_END)
            break;
        if (code == wanted)
            return (struct qs_view){value, size};
        qs_reader_take(&in, -(uint32_t)size % 4);
    }
    return (struct qs_view){0};
}

/* --- Blocks ---------------------------------------------------------------------------------- */

static enum read_status broken(struct pcapng *file, char *problem)
{
    return read_broken(&file->problem, problem);
}

static enum read_status ends_early(struct pcapng *file)
{
    const int failure = file->in.failure;

    return broken(file, g_strdup(failure ? g_strerror(failure) : "the file ends within a block"));
}

/* All of a block of `size` bytes, which has this size again at its end. */
static enum read_status read_block(struct pcapng *file, uint32_t size)
{
    const uint8_t *block;

    if (!pieces_need(&file->in, size))
        return ends_early(file);
    block = pieces_bytes(&file->in);
    if (pcapng_u32(file, block + size - BLOCK_TAIL) != size)
        return broken(file, g_strdup("a block's length is another at its end"));
    file->body = (struct qs_view){block + BLOCK_HEAD, size - PCAPNG_FRAMING};
    pieces_pass(&file->in, size);
    return READ_GOOD;
}

/* The byte order stands behind the head, and tells how its size is read. */
static bool take_byte_order(struct pcapng *file, const uint8_t *order)
{
    file->big_endian = qs_be32(order) == PCAPNG_BYTE_ORDER;
    return file->big_endian || qs_le32(order) == PCAPNG_BYTE_ORDER;
}

static enum read_status read_section(struct pcapng *file)
{
    const uint8_t *head;
    uint32_t size;
    uint16_t version;

    if (!pieces_need(&file->in, BLOCK_HEAD + ORDER_MARK))
        return ends_early(file);
    head = pieces_bytes(&file->in);
    if (!take_byte_order(file, head + BLOCK_HEAD))
        return broken(file, g_strdup("a section without byte order"));
    size = pcapng_u32(file, head + 4);
    if (size < PCAPNG_FRAMING + SECTION_BODY_MIN || size > PCAPNG_BLOCK_MAX || size % 4)
        return broken(file, g_strdup_printf("a section header of %u bytes", size));
    if (read_block(file, size) != READ_GOOD)
        return READ_BROKEN;
    version = pcapng_u16(file, file->body.data + ORDER_MARK);
    if (version != MAJOR_VERSION)
        return broken(file, g_strdup_printf("version %u of pcapng is not known", version));
    return READ_GOOD;
}

static enum read_status read_other(struct pcapng *file, uint32_t size)
{
    if (size < PCAPNG_FRAMING || size > PCAPNG_BLOCK_MAX || size % 4)
        return broken(file, g_strdup_printf("a block of %u bytes", size));
    return read_block(file, size);
}

enum read_status pcapng_next(struct pcapng *file)
{
    const uint8_t *head;

    if (!pieces_need(&file->in, BLOCK_HEAD))
        return pieces_left(&file->in) || file->in.failure ? ends_early(file) : READ_OVER;
    head = pieces_bytes(&file->in);
    file->type = pcapng_u32(file, head);
    if (file->type == PCAPNG_SECTION) /* the same in both byte orders */
        return read_section(file);
    if (!file->in.position)
        return broken(file, g_strdup("no section begins the file"));
    return read_other(file, pcapng_u32(file, head + 4));
}
