/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the frames of pcapng files, each with the link type of its interface. Source: the pcapng
 * specification (draft-ietf-opsawg-pcapng), sections 3 and 4.
 *
 * libpcap also reads pcapng files, but supports one link type and one snapshot length per file: it
 * fails at the first interface description that has others (libpcap 1.10, sf-pcapng.c,
 * pcap_ng_next_packet()). Wireshark and dumpcap often capture from several interfaces.
 */
#include <errno.h>
#include <glib.h>
#include <string.h>

#include "pcap2demo/capture/frame_reader.h"
#include "pcap2demo/capture/link.h"
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

    /* Sizes of the fixed parts of block bodies. */
    INTERFACE_HEAD = 8,
    PACKET_HEAD = 20,
    SIMPLE_PACKET_HEAD = 4
};

struct interface {
    int link_type;
    uint32_t snaplen; /* 0: no limit */
    uint64_t second;  /* units per second; 0: not representable in 64 bits */
    bool binary;      /* `second` is a power of 2 */
    int64_t offset;   /* in seconds */
};

struct pcapng_reader {
    struct frame_reader base;
    bool big_endian;     /* byte order of the current section */
    uint8_t *block;      /* current block */
    uint32_t capacity;   /* size of `block` */
    uint32_t type;       /* type of the block */
    struct qs_view body; /* body of the block; valid until the next block is read */
    uint64_t position;   /* file offset behind the block */
    GArray *interfaces;  /* struct interface, of the current section */
    bool any_interface;
    int64_t time; /* time of the last frame */
};

static uint16_t u16(const struct pcapng_reader *in, const uint8_t *at)
{
    return in->big_endian ? qs_be16(at) : qs_le16(at);
}

static uint32_t u32(const struct pcapng_reader *in, const uint8_t *at)
{
    return in->big_endian ? qs_be32(at) : qs_le32(at);
}

/* Sets the problem, and owns its text. */
static enum input_status broken(struct pcapng_reader *in, char *problem)
{
    g_free(in->base.problem);
    in->base.problem = problem;
    return INPUT_BROKEN;
}

/* Returns the body from `from` on; empty if it is shorter. */
static struct qs_view pcapng_rest(const struct pcapng_reader *in, uint32_t from)
{
    if (from >= in->body.size)
        return (struct qs_view){0};
    return (struct qs_view){in->body.data + from, in->body.size - from};
}

/* Returns the value of the first option with this code, or an empty view. */
static struct qs_view pcapng_option(const struct pcapng_reader *in, struct qs_view options,
                                    uint16_t wanted)
{
    struct qs_reader left = qs_reader_over(options.data, options.size);

    while (qs_reader_left(&left)) {
        const uint8_t *head = qs_reader_bytes(&left, 4);
        const uint16_t code = head ? u16(in, head) : PCAPNG_OPTION_END;
        const uint16_t size = head ? u16(in, head + 2) : 0;
        const uint8_t *value = qs_reader_bytes(&left, size);

        if (left.overrun || code == PCAPNG_OPTION_END)
            break;
        if (code == wanted)
            return (struct qs_view){value, size};
        qs_reader_bytes(&left, -(uint32_t)size % 4);
    }
    return (struct qs_view){0};
}

/* --- Blocks ---------------------------------------------------------------------------------- */

/* Reads the block's bytes from offset `from` up to `to`. */
static enum input_status read_bytes(struct pcapng_reader *in, uint32_t from, uint32_t to)
{
    size_t size;

    if (in->capacity < to)
        in->block = g_realloc(in->block, in->capacity = to * 2);
    size = fread(in->block + from, 1, to - from, in->base.stream);
    if (size == to - from)
        return INPUT_FRAME;
    if (ferror(in->base.stream)) /* also if a signal interrupts the read */
        return broken(in, g_strdup(g_strerror(errno)));
    if (!from && !size)
        return INPUT_END;
    broken(in, g_strdup("the file ends within a block"));
    return INPUT_CUT;
}

/* Reads a block of `size` bytes, of which `have` were read. The size is repeated at its end. */
static enum input_status read_block(struct pcapng_reader *in, uint32_t have, uint32_t size)
{
    const enum input_status status = read_bytes(in, have, size);

    if (status != INPUT_FRAME)
        return status;
    if (u32(in, in->block + size - BLOCK_TAIL) != size)
        return broken(in, g_strdup("the two lengths of a block differ"));
    in->body = (struct qs_view){in->block + BLOCK_HEAD, size - PCAPNG_FRAMING};
    in->position += size;
    return INPUT_FRAME;
}

static enum input_status read_section_block(struct pcapng_reader *in)
{
    enum input_status status = read_bytes(in, BLOCK_HEAD, BLOCK_HEAD + ORDER_MARK);
    uint32_t size;
    uint16_t version;

    if (status != INPUT_FRAME)
        return status;
    in->big_endian = qs_be32(in->block + BLOCK_HEAD) == PCAPNG_BYTE_ORDER;
    if (!in->big_endian && qs_le32(in->block + BLOCK_HEAD) != PCAPNG_BYTE_ORDER)
        return broken(in, g_strdup("a section without a byte-order magic"));
    size = u32(in, in->block + 4);
    if (size < PCAPNG_FRAMING + SECTION_BODY_MIN || size > PCAPNG_BLOCK_MAX || size % 4)
        return broken(in, g_strdup_printf("a section header of %u bytes", size));
    status = read_block(in, BLOCK_HEAD + ORDER_MARK, size);
    if (status != INPUT_FRAME)
        return status;
    version = u16(in, in->body.data + ORDER_MARK);
    if (version != MAJOR_VERSION)
        return broken(in, g_strdup_printf("version %u of pcapng is not known", version));
    return INPUT_FRAME;
}

/*
 * Reads the next block. Returns INPUT_BROKEN if the next bytes are no block, or if the file does
 * not begin with a section.
 */
static enum input_status next_block(struct pcapng_reader *in)
{
    const enum input_status status = read_bytes(in, 0, BLOCK_HEAD);
    uint32_t size;

    if (status != INPUT_FRAME)
        return status;
    in->type = u32(in, in->block);
    if (in->type == PCAPNG_SECTION) /* reads the same in both byte orders */
        return read_section_block(in);
    if (!in->position)
        return broken(in, g_strdup("the file does not begin with a section"));
    size = u32(in, in->block + 4);
    if (size < PCAPNG_FRAMING || size > PCAPNG_BLOCK_MAX || size % 4)
        return broken(in, g_strdup_printf("a block of %u bytes", size));
    return read_block(in, BLOCK_HEAD, size);
}

/* --- Times ----------------------------------------------------------------------------------- */

/* Returns the units per second, or 0 if 64 bits cannot represent them. */
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

/* Converts a fraction of a second to nanoseconds. 2^-32 seconds are fine enough. */
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

/* Limits the time to seconds in 64 bits of nanoseconds, because a damaged file may contain any. */
static int64_t time_of(const struct interface *interface, uint64_t units)
{
    const int64_t seconds_max = INT64_MAX / NANOSECONDS - 1;
    const int64_t offset = CLAMP(interface->offset, -seconds_max, seconds_max);
    int64_t seconds;

    if (!interface->second)
        return CLAMP(offset, 0, seconds_max) * NANOSECONDS;
    seconds = (int64_t)MIN(units / interface->second, (uint64_t)seconds_max) + offset;
    if (seconds < 0 || seconds >= seconds_max)
        return CLAMP(seconds, 0, seconds_max) * NANOSECONDS;
    return seconds * NANOSECONDS + (int64_t)nanoseconds_of(interface, units % interface->second);
}

/* --- Interfaces ------------------------------------------------------------------------------ */

static void read_time_options(const struct pcapng_reader *in, struct interface *interface)
{
    const struct qs_view options = pcapng_rest(in, INTERFACE_HEAD);
    const struct qs_view resolution = pcapng_option(in, options, PCAPNG_OPTION_TIME_RESOLUTION);
    const struct qs_view offset = pcapng_option(in, options, PCAPNG_OPTION_TIME_OFFSET);

    if (resolution.size == 1) {
        interface->second = units_of(*resolution.data);
        interface->binary = *resolution.data & BINARY_RESOLUTION;
    }
    if (offset.size == sizeof interface->offset) {
        const uint32_t first = u32(in, offset.data);
        const uint32_t second = u32(in, offset.data + 4);

        interface->offset = (int64_t)(in->big_endian ? (uint64_t)first << 32 | second
                                                     : (uint64_t)second << 32 | first);
    }
}

static enum input_status read_interface(struct pcapng_reader *in)
{
    struct interface interface = {.second = MICROSECONDS};

    if (in->body.size < INTERFACE_HEAD)
        return broken(in, g_strdup("an interface description is too short"));
    if (in->interfaces->len == PCAPNG_INTERFACES_MAX)
        return broken(in, g_strdup_printf("more than %d interfaces", PCAPNG_INTERFACES_MAX));
    interface.link_type = link_type_of_file(u16(in, in->body.data));
    interface.snaplen = u32(in, in->body.data + 4);
    read_time_options(in, &interface);
    if (!in->any_interface)
        in->base.link_type = interface.link_type;
    in->any_interface = true;
    g_array_append_val(in->interfaces, interface);
    return INPUT_FRAME;
}

static const struct interface *find_interface(struct pcapng_reader *in, uint32_t number)
{
    if (number < in->interfaces->len)
        return &g_array_index(in->interfaces, struct interface, number);
    broken(in, g_strdup_printf("a packet of interface %u, which is not described", number));
    return NULL;
}

/* --- Packets --------------------------------------------------------------------------------- */

/* Reads an enhanced packet block, or the obsolete one, whose interface number has 16 bits. */
static enum input_status read_packet(struct pcapng_reader *in, struct input_frame *frame)
{
    const uint8_t *head = in->body.data;
    const struct interface *interface;
    uint32_t size, padded;

    if (in->body.size < PACKET_HEAD)
        return broken(in, g_strdup("a packet's block is too short"));
    interface = find_interface(in, in->type == PCAPNG_PACKET ? u32(in, head) : u16(in, head));
    if (!interface)
        return INPUT_BROKEN;
    size = u32(in, head + 12);
    if (size > in->body.size - PACKET_HEAD)
        return broken(in, g_strdup_printf("a packet of %u bytes in a smaller block", size));
    padded = size + -size % 4;
    in->time = time_of(interface, (uint64_t)u32(in, head + 4) << 32 | u32(in, head + 8));
    frame->packet.data = head + PACKET_HEAD;
    frame->packet.size = size;
    frame->packet.wire_size = MAX(size, u32(in, head + 16));
    frame->link_type = interface->link_type;
    frame->interface = in->type == PCAPNG_PACKET ? u32(in, head) : u16(in, head);
    frame->comment =
        pcapng_option(in, pcapng_rest(in, PACKET_HEAD + padded), PCAPNG_OPTION_COMMENT);
    return INPUT_FRAME;
}

/* Reads a simple packet block: of the first interface, and without a time. */
static enum input_status read_simple_packet(struct pcapng_reader *in, struct input_frame *frame)
{
    const struct interface *interface;
    uint32_t sent, size;

    if (in->body.size < SIMPLE_PACKET_HEAD)
        return broken(in, g_strdup("a packet's block is too short"));
    interface = find_interface(in, 0);
    if (!interface)
        return INPUT_BROKEN;
    sent = u32(in, in->body.data);
    size = interface->snaplen ? MIN(sent, interface->snaplen) : sent;
    if (size > in->body.size - SIMPLE_PACKET_HEAD)
        return broken(in, g_strdup_printf("a packet of %u bytes in a smaller block", size));
    frame->packet.data = in->body.data + SIMPLE_PACKET_HEAD;
    frame->packet.size = size;
    frame->packet.wire_size = sent;
    frame->link_type = interface->link_type;
    return INPUT_FRAME;
}

/* Handles the block, and sets `*any` if it has a frame. */
static enum input_status read_packet_block(struct pcapng_reader *in, struct input_frame *frame,
                                           bool *any)
{
    *frame = (struct input_frame){0};
    *any = false;
    switch (in->type) {
    case PCAPNG_SECTION:
        g_array_set_size(in->interfaces, 0);
        return INPUT_FRAME;
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
        return INPUT_FRAME;
    }
}

static enum input_status next(struct frame_reader *reader, struct input_frame *frame)
{
    struct pcapng_reader *in = (struct pcapng_reader *)reader;
    enum input_status status;
    bool any;

    do {
        status = next_block(in);
        if (status == INPUT_FRAME)
            status = read_packet_block(in, frame, &any);
    } while (status == INPUT_FRAME && !any);
    if (status == INPUT_FRAME)
        frame->packet.time = in->time;
    if (status != INPUT_BROKEN)
        in->base.position = in->position;
    return status;
}

/* --- Opening --------------------------------------------------------------------------------- */

/* Reads up to the first interface, which all files have. Returns an error text, or NULL. */
static char *read_up_to_interface(struct pcapng_reader *in)
{
    while (!in->any_interface) {
        enum input_status status = next_block(in);

        if (status == INPUT_END)
            return g_strdup("the file describes no interface");
        if (status != INPUT_FRAME)
            return g_steal_pointer(&in->base.problem);
        if (in->type == PCAPNG_INTERFACE && read_interface(in) == INPUT_BROKEN)
            return g_steal_pointer(&in->base.problem);
    }
    return NULL;
}

static void pcapng_reader_free(struct frame_reader *reader)
{
    struct pcapng_reader *in = (struct pcapng_reader *)reader;

    source_close_plain(reader->stream);
    g_array_free(in->interfaces, TRUE);
    g_free(in->block);
}

struct frame_reader *pcapng_reader_open(FILE *stream, char **error)
{
    struct pcapng_reader *in = g_new0(struct pcapng_reader, 1);
    char *problem;

    in->base.next = next;
    in->base.free = pcapng_reader_free;
    in->base.stream = stream;
    in->interfaces = g_array_new(FALSE, FALSE, sizeof(struct interface));
    problem = read_up_to_interface(in);
    if (!problem)
        return &in->base;
    *error = problem;
    frame_reader_close(&in->base);
    return NULL;
}
