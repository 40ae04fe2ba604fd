/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/demo_input.h"
#include "common/demo_formats.h"
#include "common/protocols.h"

#include <string.h>

/* Files that users pass by mistake, recognized by extension or first bytes. */
static const struct {
    const char *name, *start, *is, *then;
} foreign[] = {
    {".7z", "7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it first"},
    {".rar", "Rar!\x1a", "a rar archive", "unpack it first"},
    {".dz", "DZ\x02", "a Dzip archive", "unpack it with dzip -x"},
    {".qwz", NULL, "a QuakeWorld demo that Qizmo packed", "unpack it with qizmo -D"},
    {NULL, "version https://git-lfs", "a Git LFS pointer", "get the file with git lfs pull"},
    {".html", "<!doctype html", "a web page", "download the file itself"},
    {".htm", "<html", "a web page", "download the file itself"},
    {NULL, "snoop", "a capture of Solaris", "convert it with editcap -F pcap"},
    {".erf", NULL, "a capture of an Endace card", "convert it with editcap -F pcap"},
    {NULL, "HLDEMO", "a demo of Half-Life", "only that game plays it"},
    {NULL, "HL2DEMO", "a demo of a Source game", "only that game plays it"},
    {NULL, "PBDEMS2", "a demo of a Source 2 game", "only that game plays it"},
};

/* Returns why the file is neither a capture nor a demo, to be freed; NULL if unknown. */
static char *foreign_text(const GByteArray *bytes, const char *name)
{
    g_autofree char *lower = g_ascii_strdown(name, -1);

    if (!bytes->len)
        return g_strdup("neither a capture nor a demo: it is empty");
    for (size_t i = 0; i < G_N_ELEMENTS(foreign); i++) {
        const char *start = foreign[i].start;

        if ((foreign[i].name && g_str_has_suffix(lower, foreign[i].name)) ||
            (start && bytes->len > strlen(start) &&
             g_ascii_strncasecmp((const char *)bytes->data, start, strlen(start)) == 0))
            return g_strdup_printf("neither a capture nor a demo, but %s: %s", foreign[i].is,
                                   foreign[i].then);
    }
    return NULL;
}

struct qs_demo_input *qs_demo_input_open(GByteArray *bytes, char *problem, const char *name,
                                         char **error)
{
    struct qs_demo_input *input = g_new0(struct qs_demo_input, 1);
    const struct qs_view file = qs_view_of_bytes(bytes);
    const struct qs_demo_format *format = qs_demo_format_of_content(file);
    char *other = format ? NULL : foreign_text(bytes, name);

    if (!format && !other)
        format = qs_demo_format_of_name(name);
    input->bytes = bytes;
    input->load_problem = problem;
    input->name = g_strdup(strcmp(name, "-") == 0 ? "standard input" : name);
    qs_demo_reader_init(&input->reader, format, file);
    if (format)
        return input;
    *error = g_strdup(problem ? problem : other ? other : "neither a capture nor a demo");
    g_free(other);
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
