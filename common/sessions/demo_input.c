/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/demo_input.h"
#include "common/demo_formats.h"
#include "common/protocols.h"

#include <string.h>

/* What people take for captures because one is in them. */
static const struct {
    const char *magic, *name;
} packed[] = {{"7z\xbc\xaf\x27\x1c", "a 7z archive"}, {"Rar!\x1a", "a rar archive"}};

static char *no_demo_text(const GByteArray *bytes)
{
    if (!bytes->len)
        return g_strdup("neither a capture nor a demo: it is empty");
    for (size_t i = 0; i < G_N_ELEMENTS(packed); i++)
        if (bytes->len > strlen(packed[i].magic) &&
            memcmp(bytes->data, packed[i].magic, strlen(packed[i].magic)) == 0)
            return g_strdup_printf("neither a capture nor a demo, but %s: unpack it first",
                                   packed[i].name);
    return g_strdup("neither a capture nor a demo");
}

struct qs_demo_input *qs_demo_input_open(GByteArray *bytes, char *problem, const char *name,
                                         char **error)
{
    struct qs_demo_input *input = g_new0(struct qs_demo_input, 1);
    const struct qs_view file = qs_view_of_bytes(bytes);
    const struct qs_demo_format *format = qs_demo_format_of_content(file);

    if (!format)
        format = qs_demo_format_of_name(name);
    input->bytes = bytes;
    input->load_problem = problem;
    input->name = g_strdup(strcmp(name, "-") == 0 ? "standard input" : name);
    qs_demo_reader_init(&input->reader, format, file);
    if (format)
        return input;
    *error = problem ? g_strdup(problem) : no_demo_text(bytes);
    qs_demo_input_close(input);
    return NULL;
}

void qs_demo_input_close(struct qs_demo_input *input)
{
    g_byte_array_free(input->bytes, TRUE);
    g_free(input->name);
    g_free(input->load_problem);
    g_free(input->error);
    g_free(input);
}

int qs_demo_input_protocol(const struct qs_demo_input *input)
{
    return qs_protocol_number(input->reader.format->protocol->name);
}

bool qs_demo_input_next(struct qs_demo_input *input, struct qs_demo_block *block)
{
    const enum qs_demo_status status = qs_demo_next(&input->reader, block);
    const char *what = qs_demo_status_text(&input->reader, status);

    if (status == QS_DEMO_BLOCK)
        return true;
    g_free(input->error);
    input->error = NULL;
    if (what || input->load_problem)
        input->error = g_strdup_printf(
            "offset %u: %s%s%s", input->reader.in.pos, what ? what : "the file ends",
            input->load_problem ? "; " : "", input->load_problem ? input->load_problem : "");
    return false;
}
