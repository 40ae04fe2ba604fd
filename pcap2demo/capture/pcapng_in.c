/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/pcapng_in.h"

#include <string.h>

#include "pcap2demo/capture/link.h"
#include "pcap2demo/capture/pcapng.h"
#include "pcap2demo/capture/source.h"

enum {
    NANOSECONDS = 1000000000,
    MICROSECONDS = 1000000, /* where no option says what times count */
    BINARY_RESOLUTION = 0x80,

    /* The fixed parts of bodies. */
    INTERFACE_HEAD = 8,
    PACKET_HEAD = 20,
    SIMPLE_PACKET_HEAD = 4
};

struct interface {
    int link_type;
    uint32_t snaplen; /* 0: none */
    uint64_t second;  /* in units of its times; 0: 64 bits do not hold it */
    bool binary;      /* a power of 2 */
    int64_t offset;   /* seconds */
};

struct pcapng_in {
    struct frame_reader base;
    struct pcapng file;
    GArray *interfaces; /* struct interface; of the section */
    bool any_interface;
    int64_t time; /* of the last frame */
};

static enum read_status broken(struct pcapng_in *in, char *problem)
{
    return read_broken(&in->base.problem, problem);
}

/* --- Times ----------------------------------------------------------------------------------- */

/* Units in a second, where 64 bits hold them; else 0. */
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

/* Of less than a second; 2^-32 seconds are finer than a nanosecond. */
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

/* A damaged file can hold any time: it is kept within what 64 bits of nanoseconds hold. */
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

static enum read_status read_interface(struct pcapng_in *in)
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

static const struct interface *find_interface(struct pcapng_in *in, uint32_t number)
{
    if (number < in->interfaces->len)
        return &g_array_index(in->interfaces, struct interface, number);
    broken(in, g_strdup_printf("a packet of interface %u, which is not described", number));
    return NULL;
}

/* --- Packets --------------------------------------------------------------------------------- */

/* Of an enhanced packet block, and of its forerunner, whose interface has 16 bits. */
static enum read_status read_packet(struct pcapng_in *in, struct input_frame *frame)
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

/* Its interface is the first, and it has no time: that of the frame before is the nearest. */
static enum read_status read_simple_packet(struct pcapng_in *in, struct input_frame *frame)
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

/* The comments of other captures mean what their authors meant. */
static void read_section(struct pcapng_in *in)
{
    enum { SECTION_HEAD = 16 };
    const struct qs_view application =
        pcapng_option(&in->file, pcapng_rest(&in->file, SECTION_HEAD), PCAPNG_OPTION_APPLICATION);

    in->base.of_demos =
        application.size >= strlen(PCAPNG_APPLICATION) &&
        memcmp(application.data, PCAPNG_APPLICATION, strlen(PCAPNG_APPLICATION)) == 0;
}

/* Sets `*any` where the block has a frame. */
static enum read_status take_block(struct pcapng_in *in, struct input_frame *frame, bool *any)
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
    struct pcapng_in *in = (struct pcapng_in *)reader;
    enum read_status status;
    bool any;

    do {
        status = pcapng_next(&in->file);
        if (status == READ_BROKEN)
            return broken(in, g_strdup(in->file.problem));
        if (status == READ_GOOD)
            status = take_block(in, frame, &any);
    } while (status == READ_GOOD && !any);
    if (status == READ_GOOD) {
        frame->time = in->time;
        in->base.position = in->file.in.position;
    }
    return status;
}

/* --- The file -------------------------------------------------------------------------------- */

/* A file without packets has an interface, too. */
static char *read_up_to_interface(struct pcapng_in *in)
{
    while (!in->any_interface) {
        enum read_status status = pcapng_next(&in->file);

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
    struct pcapng_in *in = (struct pcapng_in *)reader;

    source_close_plain(in->file.in.stream);
    pcapng_clear(&in->file);
    g_array_free(in->interfaces, TRUE);
    g_free(in->base.problem);
    g_free(in);
}

struct frame_reader *pcapng_in_open(FILE *stream, char **error)
{
    struct pcapng_in *in = g_new0(struct pcapng_in, 1);
    char *problem;

    in->base.next = next;
    in->base.close = close_file;
    pcapng_init(&in->file, stream);
    in->interfaces = g_array_new(FALSE, FALSE, sizeof(struct interface));
    problem = read_up_to_interface(in);
    if (!problem)
        return &in->base;
    *error = problem;
    close_file(&in->base);
    return NULL;
}
