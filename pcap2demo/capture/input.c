/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/input.h"

#include <glib.h>
#include <pcap/pcap.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "common/demo_formats.h"
#include "pcap2demo/capture/frame_reader.h"
#include "pcap2demo/capture/link.h"
#include "pcap2demo/capture/source.h"

enum {
    LIVE_SNAPLEN = 262144,
    LIVE_TIMEOUT_MS = 100,
    MIB = 1024 * 1024,
    /* Source: pcap-savefile(5). */
    PCAP_FILE_HEADER = 24,
    PCAP_FRAME_HEADER = 16
};

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

/* Compiles `expression` for frames of a link type. False: it is not valid there, see `error`. */
static bool compile(struct link_filter *filter, const char *expression, char **error)
{
    pcap_t *frames = pcap_open_dead(filter->link_type, LIVE_SNAPLEN);

    filter->usable =
        pcap_compile(frames, &filter->program, expression, 1, PCAP_NETMASK_UNKNOWN) == 0;
    if (!filter->usable)
        *error = g_strdup_printf("filter \"%s\": %s (filters are tcpdump's, as \"udp port 27500\")",
                                 expression, pcap_geterr(frames));
    pcap_close(frames);
    return filter->usable;
}

static void free_filter(struct link_filter *filter)
{
    if (filter->usable)
        pcap_freecode(&filter->program);
    filter->usable = false;
}

/* Few captures have interfaces of several link types. */
static bool matches(struct input *input, const struct input_frame *frame)
{
    const struct pcap_pkthdr header = {.caplen = frame->packet.size,
                                       .len = frame->packet.wire_size};
    struct link_filter *filter = &input->compiled;
    char *error = NULL;

    if (!input->filter)
        return true;
    if (filter->link_type != frame->link_type) {
        free_filter(filter);
        filter->link_type = frame->link_type;
        compile(filter, input->filter, &error);
        g_free(error);
    }
    return filter->usable && pcap_offline_filter(&filter->program, &header, frame->packet.data);
}

/* --- Files ---------------------------------------------------------------------------------- */

struct input *input_open_file(const char *name, const char *filter, char **error)
{
    FILE *stream = source_open_plain(name, error);

    return stream ? input_open_capture(stream, name, filter, error) : NULL;
}

static bool open_pcap(struct input *input, FILE *stream, char **error)
{
    char text[PCAP_ERRBUF_SIZE] = "";

    input->pcap =
        pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO, text);
    input->position = PCAP_FILE_HEADER;
    input->nano = true;
    if (input->pcap)
        return true;
    *error = g_strdup(text);
    source_close_plain(stream);
    return false;
}

static bool open_capture(struct input *input, FILE *stream, char **error)
{
    input->mixed = source_is_pcapng(stream);
    if (input->mixed)
        input->reader = pcapng_reader_open(stream, error);
    else
        input->reader = pcap_reader_open(stream);
    return input->reader || (!input->mixed && open_pcap(input, stream, error));
}

struct input *input_open_capture(FILE *stream, const char *name, const char *filter, char **error)
{
    struct input *input = input_new(name);

    if (strcmp(name, SOURCE_STANDARD_INPUT) == 0) {
        g_free(input->stem);
        input->stem = g_strdup("stdin");
    }
    input->filter = g_strdup(filter);
    if (open_capture(input, stream, error)) {
        input->compiled.link_type = input_link_type(input);
        if (!filter || compile(&input->compiled, filter, error))
            return input;
    }
    input_close(input);
    return NULL;
}

/* --- Live ----------------------------------------------------------------------------------- */

/* libpcap's reason why the capture could not start. */
static char *live_error(pcap_t *pcap, int status)
{
    const char *detail = pcap_geterr(pcap);

    if (detail && *detail && strcmp(detail, pcap_statustostr(status)) != 0)
        return g_strdup_printf("%s (%s)", pcap_statustostr(status), detail);
    return g_strdup(pcap_statustostr(status));
}

/* Returns libpcap's first error or warning, or 0. */
static int configure(pcap_t *pcap, unsigned buffer)
{
    int status = pcap_set_snaplen(pcap, LIVE_SNAPLEN);

    if (!status)
        status = pcap_set_timeout(pcap, LIVE_TIMEOUT_MS);
    if (!status)
        status = pcap_set_buffer_size(pcap, (int)(buffer * MIB));
    /* Not every system has nanoseconds; microseconds will do. */
    if (!status && pcap_set_tstamp_precision(pcap, PCAP_TSTAMP_PRECISION_NANO) != 0)
        status = pcap_set_tstamp_precision(pcap, PCAP_TSTAMP_PRECISION_MICRO);
    return status;
}

static pcap_t *activate(const char *name, unsigned buffer, char **error)
{
    char text[PCAP_ERRBUF_SIZE] = "";
    pcap_t *pcap = pcap_create(name, text);
    int status;

    if (!pcap) {
        *error = g_strdup(text);
        return NULL;
    }
    status = configure(pcap, buffer);
    if (!status)
        status = pcap_activate(pcap);
    if (status >= 0 && pcap_setnonblock(pcap, 1, text) == 0)
        return pcap;
    *error = status < 0 ? live_error(pcap, status) : g_strdup(text);
    pcap_close(pcap);
    return NULL;
}

/* The kernel drops frames that do not match, and does not count them. */
static bool set_live_filter(struct input *input, const char *expression, char **error)
{
    struct link_filter filter = {.link_type = pcap_datalink(input->pcap)};
    bool good = compile(&filter, expression, error);

    if (good && pcap_setfilter(input->pcap, &filter.program) != 0) {
        *error = g_strdup(pcap_geterr(input->pcap));
        good = false;
    }
    free_filter(&filter);
    return good;
}

struct input *input_open_live(const char *name, const char *filter, unsigned buffer, char **error)
{
    pcap_t *pcap = activate(name, buffer, error);
    struct input *input;

    if (!pcap)
        return NULL;
    input = input_new(name);
    input->pcap = pcap;
    input->live = true;
    input->nano = pcap_get_tstamp_precision(pcap) == PCAP_TSTAMP_PRECISION_NANO;
    if (filter && !set_live_filter(input, filter, error)) {
        input_close(input);
        return NULL;
    }
    return input;
}

/* --- Reading -------------------------------------------------------------------------------- */

int input_link_type(const struct input *input)
{
    return input->reader ? input->reader->link_type : pcap_datalink(input->pcap);
}

bool input_has_known_links(const struct input *input)
{
    return input->mixed || link_find(input_link_type(input));
}

/* Sets the error: what is wrong, and where in the file. */
static enum input_status broken(struct input *input)
{
    const char *reason = input->reader ? input->reader->problem : pcap_geterr(input->pcap);

    g_free(input->error);
    if (input->live)
        input->error = g_strdup_printf("cannot be read further: %s", reason);
    else
        input->error = g_strdup_printf("cannot be read beyond offset %" G_GUINT64_FORMAT ": %s",
                                       input->position, reason);
    return INPUT_BROKEN;
}

/* A damaged file may contain any time: limits it to what 64 bits of nanoseconds hold. */
static int64_t time_of(const struct input *input, const struct timeval *stamp)
{
    const int64_t seconds = CLAMP((int64_t)stamp->tv_sec, 0, INT64_MAX / 1000000000 - 1);
    const int64_t fraction = CLAMP((int64_t)stamp->tv_usec, 0, 999999999);

    return seconds * 1000000000 + (input->nano ? fraction : MIN(fraction, 999999) * 1000);
}

static enum input_status next_of_pcap(struct input *input, struct input_frame *frame)
{
    struct pcap_pkthdr *header;
    const uint8_t *data;

    switch (pcap_next_ex(input->pcap, &header, &data)) {
    case 1:
        break;
    case 0:
        return INPUT_IDLE;
    case PCAP_ERROR_BREAK:
        return INPUT_END;
    default:
        return broken(input);
    }
    input->position += PCAP_FRAME_HEADER + (uint64_t)header->caplen;
    *frame = (struct input_frame){
        .packet = {.data = data,
                   .size = header->caplen,
                   .wire_size = MAX(header->len, header->caplen),
                   .time = time_of(input, &header->ts)},
        .link_type = pcap_datalink(input->pcap),
    };
    return INPUT_FRAME;
}

static enum input_status next_of_reader(struct input *input, struct input_frame *frame)
{
    const enum input_status status =
        input->interrupted ? INPUT_END : input->reader->next(input->reader, frame);

    if (status == INPUT_BROKEN)
        return broken(input);
    input->position = input->reader->position;
    return status;
}

static enum input_status next(struct input *input, struct input_frame *frame)
{
    return input->reader ? next_of_reader(input, frame) : next_of_pcap(input, frame);
}

enum input_status input_next(struct input *input, struct input_frame *frame)
{
    enum input_status status;

    do {
        status = next(input, frame);
        if (status != INPUT_FRAME)
            return status;
        frame->packet.number = ++input->frames;
    } while (!matches(input, frame));
    return INPUT_FRAME;
}

void input_break(struct input *input)
{
    if (input->pcap)
        pcap_breakloop(input->pcap);
    else
        input->interrupted = 1;
}

int input_descriptor(const struct input *input)
{
    return pcap_get_selectable_fd(input->pcap);
}

struct input_drops input_drops(const struct input *input)
{
    struct pcap_stat stat;

    if (!input->live || pcap_stats(input->pcap, &stat) != 0)
        return (struct input_drops){0};
    return (struct input_drops){stat.ps_drop, stat.ps_ifdrop};
}

void input_close(struct input *input)
{
    free_filter(&input->compiled);
    g_free(input->filter);
    if (input->reader)
        input->reader->close(input->reader);
    else if (input->pcap)
        pcap_close(input->pcap);
    g_free(input->name);
    g_free(input->stem);
    g_free(input->error);
    g_free(input);
}
