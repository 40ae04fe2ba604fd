/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the frames of pcapng files, interface by interface. Source: the pcapng specification
 * (draft-ietf-opsawg-pcapng), sections 3 and 4.
 *
 * libpcap reads such files, too, but supports one link type and one snapshot length per file: it
 * fails at the first interface description that has others (libpcap 1.10, sf-pcapng.c,
 * pcap_ng_next_packet()). Wireshark and dumpcap often capture from several interfaces.
 */
#include <glib.h>
#include <string.h>

#include "pcap2demo/capture/frame_reader.h"
#include "pcap2demo/capture/link.h"
#include "pcap2demo/capture/pcapng.h"
#include "pcap2demo/capture/read_buffer.h"
#include "pcap2demo/capture/source.h"

enum {
    BLOCK_HEAD = 8,
    BLOCK_TAIL = 4,
    ORDER_MARK = 4,
    SECTION_BODY_MIN = 16,
    MAJOR_VERSION = 1,

    NANOSECONDS = 1000000000,
    MICROSECONDS = 1000000, /* units per second without an if_tsresol option */
    BINARY_RESOLUTION = 0x80,

    /* The fixed parts of block bodies. */
    INTERFACE_HEAD = 8,
    PACKET_HEAD = 20,
    SIMPLE_PACKET_HEAD = 4
};

/* Reads a file block by block. */
struct pcapng {
    struct read_buffer in; /* its position is behind the block at hand */
    bool big_endian;       /* the section at hand */
    uint32_t type;         /* of the current block */
    struct qs_view body;   /* of the block; valid until the next one is read */
    char *problem;         /* or NULL */
};

struct interface {
    int link_type;
    uint32_t snaplen; /* 0: none */
    uint64_t second;  /* units per second; 0: more than 64 bits hold */
    bool binary;      /* `second` is a power of 2 */
    int64_t offset;   /* seconds */
};

struct pcapng_reader {
    struct frame_reader base;
    struct pcapng file;
    GArray *interfaces; /* struct interface, of the section */
    bool any_interface;
    int64_t time; /* of the last frame */
};

/* Reads numbers in the section's byte order. */
static uint16_t pcapng_u16(const struct pcapng *file, const uint8_t *at)
{
    return file->big_endian ? qs_be16(at) : qs_le16(at);
}

static uint32_t pcapng_u32(const struct pcapng *file, const uint8_t *at)
{
    return file->big_endian ? qs_be32(at) : qs_le32(at);
}

/* The body from this byte on; empty if it is shorter. */
static struct qs_view pcapng_rest(const struct pcapng *file, uint32_t from)
{
    if (from >= file->body.size)
        return (struct qs_view){0};
    return (struct qs_view){file->body.data + from, file->body.size - from};
}

/* The value of the first option with this code. Empty: there is none. */
static struct qs_view pcapng_option(const struct pcapng *file, struct qs_view options,
                                    uint16_t wanted)
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

static enum read_status broken_block(struct pcapng *file, char *problem)
{
    return read_broken(&file->problem, problem);
}

static enum read_status ends_early(struct pcapng *file)
{
    const int failure = file->in.failure;

    return broken_block(file,
                        g_strdup(failure ? g_strerror(failure) : "the file ends within a block"));
}

/* Reads a block of `size` bytes, which repeats the size at its end. */
static enum read_status read_block(struct pcapng *file, uint32_t size)
{
    const uint8_t *block;

    if (!read_buffer_need(&file->in, size))
        return ends_early(file);
    block = read_buffer_bytes(&file->in);
    if (pcapng_u32(file, block + size - BLOCK_TAIL) != size)
        return broken_block(file, g_strdup("a block's length is another at its end"));
    file->body = (struct qs_view){block + BLOCK_HEAD, size - PCAPNG_FRAMING};
    read_buffer_pass(&file->in, size);
    return READ_GOOD;
}

/* The byte-order magic follows the block length and determines its byte order. */
static bool read_byte_order(struct pcapng *file, const uint8_t *order)
{
    file->big_endian = qs_be32(order) == PCAPNG_BYTE_ORDER;
    return file->big_endian || qs_le32(order) == PCAPNG_BYTE_ORDER;
}

static enum read_status read_section_block(struct pcapng *file)
{
    const uint8_t *head;
    uint32_t size;
    uint16_t version;

    if (!read_buffer_need(&file->in, BLOCK_HEAD + ORDER_MARK))
        return ends_early(file);
    head = read_buffer_bytes(&file->in);
    if (!read_byte_order(file, head + BLOCK_HEAD))
        return broken_block(file, g_strdup("a section without byte order"));
    size = pcapng_u32(file, head + 4);
    if (size < PCAPNG_FRAMING + SECTION_BODY_MIN || size > PCAPNG_BLOCK_MAX || size % 4)
        return broken_block(file, g_strdup_printf("a section header of %u bytes", size));
    if (read_block(file, size) != READ_GOOD)
        return READ_BROKEN;
    version = pcapng_u16(file, file->body.data + ORDER_MARK);
    if (version != MAJOR_VERSION)
        return broken_block(file, g_strdup_printf("version %u of pcapng is not known", version));
    return READ_GOOD;
}

static enum read_status read_other(struct pcapng *file, uint32_t size)
{
    if (size < PCAPNG_FRAMING || size > PCAPNG_BLOCK_MAX || size % 4)
        return broken_block(file, g_strdup_printf("a block of %u bytes", size));
    return read_block(file, size);
}

/*
 * Reads the next block. READ_BROKEN: the file ends within a block, the next bytes are no block, or
 * the file does not begin with a section.
 */
static enum read_status next_block(struct pcapng *file)
{
    const uint8_t *head;

    if (!read_buffer_need(&file->in, BLOCK_HEAD))
        return read_buffer_left(&file->in) || file->in.failure ? ends_early(file) : READ_OVER;
    head = read_buffer_bytes(&file->in);
    file->type = pcapng_u32(file, head);
    if (file->type == PCAPNG_SECTION) /* the same in both byte orders */
        return read_section_block(file);
    if (!file->in.position)
        return broken_block(file, g_strdup("no section begins the file"));
    return read_other(file, pcapng_u32(file, head + 4));
}

static enum read_status broken(struct pcapng_reader *in, char *problem)
{
    return read_broken(&in->base.problem, problem);
}

/* --- Times ----------------------------------------------------------------------------------- */

/* Units per second; 0 if 64 bits do not hold them. */
static uint64_t units_of(uint8_t resolution)
{
    enum { DIGITS_MAX = 19, BITS_MAX = 63 };
    const unsigned exponent = resolution & (BINARY_RESOLUTION - 1u);
    uint64_t units = 1;

    if (resolution & BINARY_RESOLUTION)
        return exponent <= BITS_MAX ? UINT64_C(1) << exponent : 0;
    if (exponent > DIGITS_MAX)
        return 0;
    for (unsigned i = 0; i < exponent; i++)
        units *= 10;
    return units;
}

/* The fraction of a second in nanoseconds; 2^-32 seconds are finer than a nanosecond. */
static uint64_t nanoseconds_of(const struct interface *interface, uint64_t fraction)
{
    const uint64_t binary_enough = UINT64_C(1) << 32;
    const uint64_t second = interface->second;

    if (second <= NANOSECONDS)
        return fraction * NANOSECONDS / second;
    if (!interface->binary)
        return fraction / (second / NANOSECONDS);
    if (second > binary_enough)
        fraction /= second / binary_enough;
    return fraction * NANOSECONDS / MIN(second, binary_enough);
}

/* A damaged file may contain any time: limits it to what 64 bits of nanoseconds hold. */
static int64_t time_of(const struct interface *interface, uint64_t units)
{
    const int64_t seconds_max = INT64_MAX / NANOSECONDS - 1;
    const int64_t offset = CLAMP(interface->offset, -seconds_max, seconds_max);
    uint64_t seconds = 0, nanoseconds = 0;

    if (interface->second) {
        seconds = MIN(units / interface->second, (uint64_t)seconds_max);
        nanoseconds = nanoseconds_of(interface, units % interface->second);
    }
    return CLAMP((int64_t)seconds + offset, 0, seconds_max) * NANOSECONDS + (int64_t)nanoseconds;
}

/* --- Interfaces ------------------------------------------------------------------------------ */

static void read_time_options(const struct pcapng *file, struct interface *interface)
{
    const struct qs_view options = pcapng_rest(file, INTERFACE_HEAD);
    const struct qs_view resolution = pcapng_option(file, options, PCAPNG_OPTION_TIME_RESOLUTION);
    const struct qs_view offset = pcapng_option(file, options, PCAPNG_OPTION_TIME_OFFSET);

    if (resolution.size == 1) {
        interface->second = units_of(*resolution.data);
        interface->binary = *resolution.data & BINARY_RESOLUTION;
    }
    if (offset.size == sizeof interface->offset) {
        const uint32_t first = pcapng_u32(file, offset.data);
        const uint32_t second = pcapng_u32(file, offset.data + 4);

        interface->offset = (int64_t)(file->big_endian ? (uint64_t)first << 32 | second
                                                       : (uint64_t)second << 32 | first);
    }
}

static enum read_status read_interface(struct pcapng_reader *in)
{
    const struct pcapng *file = &in->file;
    struct interface interface = {.second = MICROSECONDS};

    if (file->body.size < INTERFACE_HEAD)
        return broken(in, g_strdup("an interface description is too short"));
    if (in->interfaces->len == PCAPNG_INTERFACES_MAX)
        return broken(in, g_strdup_printf("more than %d interfaces", PCAPNG_INTERFACES_MAX));
    interface.link_type = link_type_of_file(pcapng_u16(file, file->body.data));
    interface.snaplen = pcapng_u32(file, file->body.data + 4);
    read_time_options(file, &interface);
    if (!in->any_interface)
        in->base.link_type = interface.link_type;
    in->any_interface = true;
    g_array_append_val(in->interfaces, interface);
    return READ_GOOD;
}

static const struct interface *find_interface(struct pcapng_reader *in, uint32_t number)
{
    if (number < in->interfaces->len)
        return &g_array_index(in->interfaces, struct interface, number);
    broken(in, g_strdup_printf("a packet of interface %u, which is not described", number));
    return NULL;
}

/* --- Packets --------------------------------------------------------------------------------- */

/* Reads an enhanced packet block, or the obsolete packet block, whose interface has 16 bits. */
static enum read_status read_packet(struct pcapng_reader *in, struct input_frame *frame)
{
    const struct pcapng *file = &in->file;
    const uint8_t *head = file->body.data;
    const struct interface *interface;
    uint32_t size, padded;

    if (file->body.size < PACKET_HEAD)
        return broken(in, g_strdup("a packet's block is too short"));
    interface = find_interface(in, file->type == PCAPNG_PACKET ? pcapng_u32(file, head)
                                                               : pcapng_u16(file, head));
    if (!interface)
        return READ_BROKEN;
    size = pcapng_u32(file, head + 12);
    if (size > file->body.size - PACKET_HEAD)
        return broken(in, g_strdup_printf("a packet of %u bytes in a smaller block", size));
    padded = size + -size % 4;
    in->time =
        time_of(interface, (uint64_t)pcapng_u32(file, head + 4) << 32 | pcapng_u32(file, head + 8));
    frame->bytes = (struct span){head + PACKET_HEAD, size, MAX(size, pcapng_u32(file, head + 16))};
    frame->link_type = interface->link_type;
    frame->comment =
        pcapng_option(file, pcapng_rest(file, PACKET_HEAD + padded), PCAPNG_OPTION_COMMENT);
    return READ_GOOD;
}

/* Its interface is the first. It has no time: uses that of the previous frame. */
static enum read_status read_simple_packet(struct pcapng_reader *in, struct input_frame *frame)
{
    const struct pcapng *file = &in->file;
    const struct interface *interface;
    uint32_t sent, size;

    if (file->body.size < SIMPLE_PACKET_HEAD)
        return broken(in, g_strdup("a packet's block is too short"));
    interface = find_interface(in, 0);
    if (!interface)
        return READ_BROKEN;
    sent = pcapng_u32(file, file->body.data);
    size = interface->snaplen ? MIN(sent, interface->snaplen) : sent;
    if (size > file->body.size - SIMPLE_PACKET_HEAD)
        return broken(in, g_strdup_printf("a packet of %u bytes in a smaller block", size));
    frame->bytes = (struct span){file->body.data + SIMPLE_PACKET_HEAD, size, sent};
    frame->link_type = interface->link_type;
    return READ_GOOD;
}

/* Only in captures of demos do comments contain parts of demos. */
static void read_section(struct pcapng_reader *in)
{
    enum { SECTION_HEAD = 16 };
    const struct qs_view application =
        pcapng_option(&in->file, pcapng_rest(&in->file, SECTION_HEAD), PCAPNG_OPTION_APPLICATION);

    in->base.of_demos =
        application.size >= strlen(PCAPNG_APPLICATION) &&
        memcmp(application.data, PCAPNG_APPLICATION, strlen(PCAPNG_APPLICATION)) == 0;
}

/* Sets `*any` if the block has a frame. */
static enum read_status read_packet_block(struct pcapng_reader *in, struct input_frame *frame,
                                          bool *any)
{
    *frame = (struct input_frame){0};
    *any = false;
    switch (in->file.type) {
    case PCAPNG_SECTION:
        read_section(in);
        g_array_set_size(in->interfaces, 0);
        return READ_GOOD;
    case PCAPNG_INTERFACE:
        return read_interface(in);
    case PCAPNG_PACKET:
    case PCAPNG_OLD_PACKET:
        *any = true;
        return read_packet(in, frame);
    case PCAPNG_SIMPLE_PACKET:
        *any = true;
        return read_simple_packet(in, frame);
    default:
        return READ_GOOD;
    }
}

static enum read_status next(struct frame_reader *reader, struct input_frame *frame)
{
    struct pcapng_reader *in = (struct pcapng_reader *)reader;
    enum read_status status;
    bool any;

    do {
        status = next_block(&in->file);
        if (status == READ_BROKEN)
            return broken(in, g_strdup(in->file.problem));
        if (status == READ_GOOD)
            status = read_packet_block(in, frame, &any);
    } while (status == READ_GOOD && !any);
    if (status == READ_GOOD) {
        frame->time = in->time;
        in->base.position = in->file.in.position;
    }
    return status;
}

/* --- The file -------------------------------------------------------------------------------- */

/* Files without packets have an interface, too. */
static char *read_up_to_interface(struct pcapng_reader *in)
{
    while (!in->any_interface) {
        enum read_status status = next_block(&in->file);

        if (status == READ_OVER)
            return g_strdup("the file describes no interface");
        if (status == READ_BROKEN)
            return g_strdup(in->file.problem);
        if (in->file.type == PCAPNG_SECTION)
            read_section(in);
        if (in->file.type == PCAPNG_INTERFACE && read_interface(in) == READ_BROKEN)
            return g_strdup(in->base.problem);
    }
    return NULL;
}

static void close_file(struct frame_reader *reader)
{
    struct pcapng_reader *in = (struct pcapng_reader *)reader;

    source_close_plain(in->file.in.stream);
    read_buffer_clear(&in->file.in);
    g_free(in->file.problem);
    g_array_free(in->interfaces, TRUE);
    g_free(in->base.problem);
    g_free(in);
}

struct frame_reader *pcapng_reader_open(FILE *stream, char **error)
{
    struct pcapng_reader *in = g_new0(struct pcapng_reader, 1);
    char *problem;

    in->base.next = next;
    in->base.close = close_file;
    read_buffer_init(&in->file.in, stream);
    in->interfaces = g_array_new(FALSE, FALSE, sizeof(struct interface));
    problem = read_up_to_interface(in);
    if (!problem)
        return &in->base;
    *error = problem;
    close_file(&in->base);
    return NULL;
}
