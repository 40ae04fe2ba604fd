/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/input.h"

#include <errno.h>
#include <glib.h>
#include <pcap/pcap.h>
#include <stdio.h>
#ifdef __GLIBC__
#include <stdio_ext.h>
#endif
#include <string.h>

enum {
    READ_BUFFER = 256 * 1024,
    LIVE_SNAPLEN = 262144,
    LIVE_TIMEOUT_MS = 100,
    MIB = 1024 * 1024,
    /* Source: pcap-savefile(5). */
    PCAP_FILE_HEADER = 24,
    PCAP_FRAME_HEADER = 16,
    PCAPNG_MAJOR_VERSION = 1
};

struct input {
    pcap_t *pcap;
    char *name, *stem;
    bool live;
    bool filtered; /* files only: then the frames that do not match are counted, not handed out */
    struct bpf_program filter;
    uint64_t frames;
    FILE *stream;     /* of a file; libpcap's */
    int64_t position; /* in the file, behind the last frame; -1 where that cannot be known */
    bool pcapng, nano;
    char *error;
};

static void cut_ending(char *stem)
{
    char *dot = strrchr(stem, '.');

    if (dot && dot != stem)
        *dot = '\0';
}

/* "duel" of "duel.pcap" and of "duel.pcap.gz" */
static char *stem_of(const char *name)
{
    char *stem = g_path_get_basename(name);

    if (g_str_has_suffix(stem, ".gz"))
        cut_ending(stem);
    cut_ending(stem);
    return stem;
}

/* Compiles the filter for `input`. */
static bool compile(struct input *input, const char *expression, char **error)
{
    if (pcap_compile(input->pcap, &input->filter, expression, 1, PCAP_NETMASK_UNKNOWN) == 0) {
        input->filtered = true;
        return true;
    }
    *error = g_strdup_printf("filter \"%s\": %s", expression, pcap_geterr(input->pcap));
    return false;
}

/* --- Files ---------------------------------------------------------------------------------- */

/*
 * libpcap reads each packet in two small pieces: they should not cost more than a copy. The C
 * library takes another size than its own only with a buffer. Since inputs are read one after the
 * other, and libpcap closes streams by itself, they share one that is never freed.
 */
static void speed_up(FILE *stream)
{
    static char buffer[READ_BUFFER];

    setvbuf(stream, buffer, _IOFBF, sizeof buffer);
#ifdef __GLIBC__
    __fsetlocking(stream, FSETLOCKING_BYCALLER); /* there is only one thread */
#endif
}

static bool is_standard_input(const char *name)
{
    return strcmp(name, "-") == 0;
}

FILE *input_open_stream(const char *name, char **error)
{
    FILE *stream = is_standard_input(name) ? stdin : fopen(name, "rb");

    if (stream)
        speed_up(stream);
    else
        *error = g_strdup(g_strerror(errno));
    return stream;
}

void input_close_stream(FILE *stream)
{
    if (stream != stdin)
        fclose(stream);
}

struct input *input_open_file(const char *name, const char *filter, char **error)
{
    FILE *stream = input_open_stream(name, error);

    return stream ? input_open_capture(stream, name, filter, error) : NULL;
}

struct input *input_open_capture(FILE *stream, const char *name, const char *filter, char **error)
{
    char text[PCAP_ERRBUF_SIZE] = "";
    struct input *input;
    pcap_t *pcap;

    pcap = pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO, text);
    if (!pcap) {
        *error = g_strdup(text);
        input_close_stream(stream);
        return NULL;
    }
    input = g_new0(struct input, 1);
    input->pcap = pcap;
    input->name = g_strdup(is_standard_input(name) ? "standard input" : name);
    input->stem = is_standard_input(name) ? g_strdup("stdin") : stem_of(name);
    input->nano = true;
    input->pcapng = pcap_major_version(pcap) == PCAPNG_MAJOR_VERSION;
    input->stream = stream;
    input->position = input->pcapng ? ftello(stream) : PCAP_FILE_HEADER;
    if (filter && !compile(input, filter, error)) {
        input_close(input);
        return NULL;
    }
    return input;
}

/* --- Live ----------------------------------------------------------------------------------- */

/* Why libpcap could not start, in its words. */
static char *live_error(pcap_t *pcap, int status)
{
    const char *detail = pcap_geterr(pcap);

    if (detail && *detail)
        return g_strdup_printf("%s (%s)", pcap_statustostr(status), detail);
    return g_strdup(pcap_statustostr(status));
}

/* Returns libpcap's first complaint, or 0. */
static int configure(pcap_t *pcap, unsigned buffer)
{
    int status = pcap_set_snaplen(pcap, LIVE_SNAPLEN);

    if (!status)
        status = pcap_set_timeout(pcap, LIVE_TIMEOUT_MS);
    if (!status)
        status = pcap_set_buffer_size(pcap, (int)(buffer * MIB));
    /* Not every system has this clock; microseconds do as well. */
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

struct input *input_open_live(const char *name, const char *filter, unsigned buffer, char **error)
{
    pcap_t *pcap = activate(name, buffer, error);
    struct input *input;

    if (!pcap)
        return NULL;
    input = g_new0(struct input, 1);
    input->pcap = pcap;
    input->name = g_strdup(name);
    input->stem = stem_of(name);
    input->live = true;
    input->nano = pcap_get_tstamp_precision(pcap) == PCAP_TSTAMP_PRECISION_NANO;
    if (filter && (!compile(input, filter, error) || pcap_setfilter(pcap, &input->filter) != 0)) {
        if (!*error)
            *error = g_strdup(pcap_geterr(pcap));
        input_close(input);
        return NULL;
    }
    return input;
}

/* --- Reading -------------------------------------------------------------------------------- */

const char *input_name(const struct input *input)
{
    return input->name;
}

const char *input_stem(const struct input *input)
{
    return input->stem;
}

int input_link_type(const struct input *input)
{
    return pcap_datalink(input->pcap);
}

const char *input_error(const struct input *input)
{
    return input->error;
}

uint64_t input_frames(const struct input *input)
{
    return input->frames;
}

/* libpcap's error, and where in the file. */
static enum input_status broken(struct input *input)
{
    const char *reason = pcap_geterr(input->pcap);

    g_free(input->error);
    if (input->live || input->position < 0)
        input->error = g_strdup_printf("cannot be read further: %s", reason);
    else
        input->error = g_strdup_printf("cannot be read beyond offset %" G_GINT64_FORMAT ": %s",
                                       input->position, reason);
    return INPUT_BROKEN;
}

/* A damaged file can hold any time: it is kept within what 64 bits of nanoseconds hold. */
static int64_t time_of(const struct input *input, const struct timeval *stamp)
{
    const int64_t seconds = CLAMP((int64_t)stamp->tv_sec, 0, INT64_MAX / 1000000000 - 1);
    const int64_t fraction = CLAMP((int64_t)stamp->tv_usec, 0, 999999999);

    return seconds * 1000000000 + (input->nano ? fraction : MIN(fraction, 999999) * 1000);
}

/* pcapng has blocks of many kinds between frames: only the stream knows where it is. */
static void count_frame(struct input *input, uint32_t size)
{
    input->frames++;
    if (!input->pcapng)
        input->position += PCAP_FRAME_HEADER + (int64_t)size;
    else if (input->position >= 0)
        input->position = ftello(input->stream);
}

/* The next frame of the file that the filter lets pass. */
static int fetch(struct input *input, struct pcap_pkthdr **header, const uint8_t **data)
{
    int status;

    while ((status = pcap_next_ex(input->pcap, header, data)) == 1) {
        count_frame(input, (*header)->caplen);
        if (input->live || !input->filtered || pcap_offline_filter(&input->filter, *header, *data))
            break;
    }
    return status;
}

enum input_status input_next(struct input *input, struct input_frame *frame)
{
    struct pcap_pkthdr *header;
    const uint8_t *data;

    switch (fetch(input, &header, &data)) {
    case 1:
        break;
    case 0:
        return INPUT_IDLE;
    case PCAP_ERROR_BREAK:
        return INPUT_END;
    default:
        return broken(input);
    }
    frame->bytes = (struct span){data, header->caplen, MAX(header->len, header->caplen)};
    frame->number = input->frames;
    frame->time = time_of(input, &header->ts);
    return INPUT_FRAME;
}

uint64_t input_position(const struct input *input)
{
    return (uint64_t)MAX(input->position, 0);
}

void input_break(struct input *input)
{
    pcap_breakloop(input->pcap);
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
    if (input->filtered)
        pcap_freecode(&input->filter);
    pcap_close(input->pcap);
    g_free(input->name);
    g_free(input->stem);
    g_free(input->error);
    g_free(input);
}
