/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/demo_input.h"
#include "common/protocols.h"

#include <string.h>

struct qs_demo_input {
    struct qs_demo_reader reader;
    char *name;
    GByteArray *bytes;
    char *load_problem; /* or NULL */
    char *error;        /* or NULL */
};

/* --- Opening --- */

/* What people take for captures because one is in them. */
static const struct {
    const char *mark, *is;
} packed[] = {{"7z\xbc\xaf\x27\x1c", "a 7z archive"}, {"Rar!\x1a", "a rar archive"}};

static char *what_else(const GByteArray *bytes)
{
    if (!bytes->len)
        return g_strdup("neither a capture nor a demo: it is empty");
    for (size_t i = 0; i < G_N_ELEMENTS(packed); i++)
        if (bytes->len > strlen(packed[i].mark) &&
            memcmp(bytes->data, packed[i].mark, strlen(packed[i].mark)) == 0)
            return g_strdup_printf("neither a capture nor a demo, but %s: unpack it first",
                                   packed[i].is);
    return g_strdup("neither a capture nor a demo");
}

struct qs_demo_input *qs_demo_input_open(GByteArray *bytes, char *problem, const char *name,
                                         char **error)
{
    struct qs_demo_input *recording = g_new0(struct qs_demo_input, 1);
    const struct qs_view file = qs_view_of_bytes(bytes);
    const struct qs_demo_format *format = qs_demo_format_of_content(file);

    if (!format)
        format = qs_demo_format_of_name(name);
    recording->bytes = bytes;
    recording->load_problem = problem;
    recording->name = g_strdup(strcmp(name, "-") == 0 ? "standard input" : name);
    qs_demo_reader_init(&recording->reader, format, file);
    if (format)
        return recording;
    *error = problem ? g_strdup(problem) : what_else(bytes);
    qs_demo_input_close(recording);
    return NULL;
}

void qs_demo_input_close(struct qs_demo_input *recording)
{
    g_byte_array_free(recording->bytes, TRUE);
    g_free(recording->name);
    g_free(recording->load_problem);
    g_free(recording->error);
    g_free(recording);
}

const char *qs_demo_input_name(const struct qs_demo_input *recording)
{
    return recording->name;
}

int qs_demo_input_protocol(const struct qs_demo_input *recording)
{
    return qs_protocol_number(recording->reader.format->protocol->name);
}

const struct qs_demo_format *qs_demo_input_demo_format(const struct qs_demo_input *recording)
{
    return recording->reader.format;
}

uint64_t qs_demo_input_number(const struct qs_demo_input *recording)
{
    return recording->reader.number;
}

const char *qs_demo_input_error(const struct qs_demo_input *recording)
{
    return recording->error;
}

/* --- Reading --- */

static void broken(struct qs_demo_input *recording, const char *what)
{
    recording->error = g_strdup_printf("offset %u: %s%s%s", recording->reader.in.pos, what,
                                       recording->load_problem ? "; " : "",
                                       recording->load_problem ? recording->load_problem : "");
}

bool qs_demo_input_next(struct qs_demo_input *recording, struct qs_demo_block *block)
{
    const enum qs_demo_status status = qs_demo_next(&recording->reader, block);
    const char *what = qs_demo_status_text(&recording->reader, status);

    if (status == QS_DEMO_BLOCK)
        return true;
    if (what || recording->load_problem)
        broken(recording, what ? what : "the file ends");
    return false;
}

int64_t qs_demo_input_time(struct qs_demo_input *recording, const struct qs_decoder *decoder)
{
    return qs_demo_time(&recording->reader, decoder);
}
