/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/input.h"

#include <glib.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <string.h>

#include "common/demo_formats.h"
#include "pcap2demo/capture/frame_reader.h"
#include "pcap2demo/capture/link.h"
#include "pcap2demo/capture/source.h"

/* "duel" of "duel.pcap" and of "duel.pcap.gz" */
static char *stem_of(const char *name)
{
    char *stem = g_path_get_basename(name);
    char *dot;

    stem[qs_unpacked_name_length(stem)] = '\0';
    dot = strrchr(stem, '.');
    if (dot && dot != stem)
        *dot = '\0';
    return stem;
}

static struct input *input_new(const char *name)
{
    struct input *input = g_new0(struct input, 1);

    input->name = g_strdup(name);
    input->stem = stem_of(name);
    return input;
}

/* --- Filters -------------------------------------------------------------------------------- */

bool link_filter_compile(struct link_filter *filter, int link_type, const char *expression,
                         char **error)
{
    pcap_t *frames = pcap_open_dead(link_type, PCAP_FRAME_MAX);

    filter->link_type = link_type;
    filter->usable =
        pcap_compile(frames, &filter->program, expression, 1, PCAP_NETMASK_UNKNOWN) == 0;
    if (!filter->usable)
        *error =
            g_strdup_printf("filter \"%s\": %s (filters are tcpdump's, such as \"udp port 27500\")",
                            expression, pcap_geterr(frames));
    pcap_close(frames);
    return filter->usable;
}

void link_filter_clear(struct link_filter *filter)
{
    if (filter->usable)
        pcap_freecode(&filter->program);
    filter->usable = false;
}

/* Few captures have interfaces of several link types. */
static G_GNUC_NO_INLINE bool matches(struct input *input, const struct input_frame *frame)
{
    const struct pcap_pkthdr header = {.caplen = frame->packet.size,
                                       .len = frame->packet.wire_size};
    struct link_filter *filter = &input->compiled;
    char *error = NULL;

    if (filter->link_type != frame->link_type) {
        link_filter_clear(filter);
        link_filter_compile(filter, frame->link_type, input->filter, &error);
        g_free(error);
    }
    return filter->usable && pcap_offline_filter(&filter->program, &header, frame->packet.data);
}

/* --- Files ---------------------------------------------------------------------------------- */

struct input *input_open_capture(FILE *stream, const char *name, const char *filter, char **error)
{
    struct input *input = input_new(name);

    if (strcmp(name, SOURCE_STANDARD_INPUT) == 0) {
        g_free(input->stem);
        input->stem = g_strdup("stdin");
    }
    input->filter = g_strdup(filter);
    input->mixed = source_is_pcapng(stream);
    input->reader = (input->mixed ? pcapng_reader_open : pcap_reader_open)(stream, error);
    if (input->reader &&
        (!filter || link_filter_compile(&input->compiled, input_link_type(input), filter, error)))
        return input;
    input_close(input);
    return NULL;
}

/* --- Reading -------------------------------------------------------------------------------- */

int input_link_type(const struct input *input)
{
    return input->reader->link_type;
}

bool input_has_known_links(const struct input *input)
{
    return input->mixed || link_find(input_link_type(input));
}

enum input_status input_next(struct input *input, struct input_frame *frame)
{
    enum input_status status;

    do {
        status = input->reader->next(input->reader, frame);
        if (status != INPUT_FRAME)
            break;
        frame->packet.number = ++input->frames;
    } while (input->filter && !matches(input, frame));
    if (status == INPUT_CUT || status == INPUT_BROKEN) {
        g_free(input->error);
        input->error = g_strdup_printf("cannot be read beyond offset %" G_GUINT64_FORMAT ": %s",
                                       input->reader->position, input->reader->problem);
    }
    return status;
}

void input_close(struct input *input)
{
    link_filter_clear(&input->compiled);
    g_free(input->filter);
    if (input->reader)
        frame_reader_close(input->reader);
    if (input->unknown)
        g_array_free(input->unknown, TRUE);
    g_free(input->name);
    g_free(input->stem);
    g_free(input->error);
    g_free(input);
}
