/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recording.h"

#include <string.h>

#include "pcap2demo/recording_format.h"

struct recording {
    const struct recording_format *format;
    char *name;
    GByteArray *bytes;
    char *load_problem; /* or NULL */
    char *error;
    struct recording_progress progress;
    uint64_t number;
    double time; /* seconds, of the last block */
};

/* --- All formats ----------------------------------------------------------------------------- */

/* The strictest first. */
static const struct recording_format *const formats[] = {&recording_dm2, &recording_dem,
                                                         &recording_mvd, &recording_qwd};

static const struct recording_format *format_of_content(struct qs_view file)
{
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++)
        if (formats[i]->recognise(file))
            return formats[i];
    return NULL;
}

/* "x.dm2", "x.dm2.gz" */
static const struct recording_format *format_of_name(const char *name)
{
    char *lower = g_ascii_strdown(name, -1);
    const struct recording_format *found = NULL;
    const char *dot;

    if (g_str_has_suffix(lower, ".gz"))
        lower[strlen(lower) - strlen(".gz")] = '\0';
    dot = strrchr(lower, '.');
    for (size_t i = 0; dot && i < G_N_ELEMENTS(formats); i++)
        if (strcmp(dot + 1, formats[i]->format->extension) == 0)
            found = formats[i];
    g_free(lower);
    return found;
}

/* --- Opening --------------------------------------------------------------------------------- */

/* Source: pcap-savefile(5), with the variants that libpcap reads; pcapng, section 4.1. */
static bool is_capture_magic(const uint8_t magic[4])
{
    static const uint32_t known[] = {0xa1b2c3d4, 0xa1b23c4d, 0xa1b2cd34, 0x0a0d0d0a};
    const uint32_t little = qs_le32(magic), big = qs_be32(magic);

    for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
        if (little == known[i] || big == known[i])
            return true;
    return false;
}

/* The bytes go back one by one: C promises one, the C libraries of Linux take as many as these. */
bool recording_is_likely(FILE *stream)
{
    uint8_t magic[4] = {0};
    const size_t size = fread(magic, 1, sizeof magic, stream);

    for (size_t i = size; i--;)
        ungetc(magic[i], stream);
    return size < sizeof magic || !is_capture_magic(magic);
}

bool recording_is_capture(struct qs_view file)
{
    return file.size >= 4 && is_capture_magic(file.data);
}

struct recording *recording_open(GByteArray *bytes, char *problem, const char *name, char **error)
{
    struct recording *recording = g_new0(struct recording, 1);

    recording->bytes = bytes;
    recording->load_problem = problem;
    recording->name = g_strdup(strcmp(name, "-") == 0 ? "standard input" : name);
    recording->progress.in = qs_reader_over(bytes->data, bytes->len);
    recording->format = format_of_content((struct qs_view){bytes->data, bytes->len});
    if (!recording->format)
        recording->format = format_of_name(name);
    if (recording->format)
        return recording;
    *error = problem ? g_strdup(problem) : g_strdup("neither a capture nor a demo");
    recording_close(recording);
    return NULL;
}

void recording_close(struct recording *recording)
{
    g_byte_array_free(recording->bytes, TRUE);
    g_free(recording->name);
    g_free(recording->load_problem);
    g_free(recording->error);
    g_free(recording);
}

const char *recording_name(const struct recording *recording)
{
    return recording->name;
}

int recording_protocol(const struct recording *recording)
{
    return qs_protocol_number(recording->format->protocol);
}

const struct qs_demo_format *recording_demo_format(const struct recording *recording)
{
    return recording->format->format;
}

uint64_t recording_number(const struct recording *recording)
{
    return recording->number;
}

const char *recording_error(const struct recording *recording)
{
    return recording->error;
}

/* --- Reading --------------------------------------------------------------------------------- */

static enum recording_status broken(struct recording *recording, const char *what)
{
    if (recording->load_problem)
        recording->error = g_strdup_printf("offset %u: %s; %s", recording->progress.in.pos, what,
                                           recording->load_problem);
    else
        recording->error = g_strdup_printf("offset %u: %s", recording->progress.in.pos, what);
    return RECORDING_BROKEN;
}

static enum recording_status finish(struct recording *recording, enum recording_outcome outcome)
{
    switch (outcome) {
    case OUTCOME_LINE:
    case OUTCOME_BLOCK:
    case OUTCOME_END:
        break;
    case OUTCOME_UNMARKED_END:
        return broken(recording, "the file ends without an end mark");
    case OUTCOME_CUT:
        return broken(recording, "the file ends within the block");
    case OUTCOME_BAD:
        return broken(recording, recording->progress.ended ? "there is more behind the end mark"
                                                           : "no block begins here");
    }
    return recording->load_problem ? broken(recording, "the file ends") : RECORDING_END;
}

enum recording_status recording_next(struct recording *recording, struct recording_block *block)
{
    struct recording_progress *progress = &recording->progress;
    const uint32_t start = progress->in.pos;
    const enum recording_outcome outcome = recording->format->next(progress);

    if (outcome != OUTCOME_BLOCK && outcome != OUTCOME_LINE)
        return finish(recording, outcome);
    recording->number += outcome == OUTCOME_BLOCK;
    progress->begun = true;
    progress->block = (struct qs_view){progress->in.data + start, progress->in.pos - start};
    *block = (struct recording_block){
        .number = recording->number, .offset = start, .bytes = progress->block};
    return RECORDING_BLOCK;
}

int64_t recording_time(struct recording *recording, const struct qs_decoder *decoder)
{
    const double limit = 1e9; /* demos can say any number */
    const double time = recording->format->seconds(&recording->progress, decoder, recording->time);

    if (time >= 0 && time < limit)
        recording->time = time;
    return (int64_t)(recording->time * 1e9 + 0.5);
}
