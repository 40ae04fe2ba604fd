/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/pcapng.h"

#include <errno.h>

enum { BLOCK_HEAD = 8, BLOCK_TAIL = 4, SECTION_BODY_MIN = 16, MAJOR_VERSION = 1 };

void pcapng_init(struct pcapng *file, FILE *stream)
{
    *file = (struct pcapng){.stream = stream, .body = g_byte_array_new()};
}

void pcapng_clear(struct pcapng *file)
{
    g_byte_array_free(file->body, TRUE);
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
    if (from >= file->body->len)
        return (struct qs_view){0};
    return (struct qs_view){file->body->data + from, file->body->len - from};
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
    return broken(
        file, g_strdup(ferror(file->stream) ? g_strerror(errno) : "the file ends within a block"));
}

/* The byte order stands behind the head: it is read with a section's head, and kept for its body.
 */
static bool take_byte_order(struct pcapng *file, const uint8_t *order)
{
    file->big_endian = qs_be32(order) == PCAPNG_BYTE_ORDER;
    return file->big_endian || qs_le32(order) == PCAPNG_BYTE_ORDER;
}

/* The rest of a block of `size` bytes, of which `known` are in the body; its size is there again.
 */
static enum read_status read_body(struct pcapng *file, uint32_t size, uint32_t known)
{
    const uint32_t wanted = size - BLOCK_HEAD;
    const uint32_t body = wanted - BLOCK_TAIL;

    g_byte_array_set_size(file->body, wanted);
    if (fread(file->body->data + known, 1, wanted - known, file->stream) != wanted - known)
        return ends_early(file);
    if (pcapng_u32(file, file->body->data + body) != size)
        return broken(file, g_strdup("a block's length is another at its end"));
    g_byte_array_set_size(file->body, body);
    file->position += size;
    return READ_GOOD;
}

static enum read_status read_section(struct pcapng *file, const uint8_t *head)
{
    uint8_t order[4];
    uint32_t size;

    if (fread(order, 1, sizeof order, file->stream) != sizeof order)
        return ends_early(file);
    if (!take_byte_order(file, order))
        return broken(file, g_strdup("a section without byte order"));
    size = pcapng_u32(file, head + 4);
    if (size < PCAPNG_FRAMING + SECTION_BODY_MIN || size > PCAPNG_BLOCK_MAX || size % 4)
        return broken(file, g_strdup_printf("a section header of %u bytes", size));
    g_byte_array_set_size(file->body, 0);
    g_byte_array_append(file->body, order, sizeof order);
    if (read_body(file, size, sizeof order) != READ_GOOD)
        return READ_BROKEN;
    if (pcapng_u16(file, file->body->data + 4) != MAJOR_VERSION)
        return broken(file, g_strdup_printf("version %u of pcapng is not known",
                                            pcapng_u16(file, file->body->data + 4)));
    return READ_GOOD;
}

static enum read_status read_block(struct pcapng *file, const uint8_t *head)
{
    const uint32_t size = pcapng_u32(file, head + 4);

    if (size < PCAPNG_FRAMING || size > PCAPNG_BLOCK_MAX || size % 4)
        return broken(file, g_strdup_printf("a block of %u bytes", size));
    return read_body(file, size, 0);
}

enum read_status pcapng_next(struct pcapng *file)
{
    uint8_t head[BLOCK_HEAD];
    const size_t size = fread(head, 1, sizeof head, file->stream);

    if (!size && !ferror(file->stream))
        return READ_OVER;
    if (size < sizeof head)
        return ends_early(file);
    file->type = pcapng_u32(file, head);
    if (file->type == PCAPNG_SECTION) /* the same in both byte orders */
        return read_section(file, head);
    if (!file->position)
        return broken(file, g_strdup("no section begins the file"));
    return read_block(file, head);
}
