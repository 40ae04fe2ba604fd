/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/output/transcript.h"

#include <stdlib.h>
#include <string.h>

#include "pcap2demo/output/progress.h"

/* Around a session's number. */
enum { NUMBER_BEGINS = '\001', NUMBER_ENDS = '\002' };

static const char ends[] = {NUMBER_BEGINS, NUMBER_ENDS, '\0'};

enum { TO_OUTPUT = '1', TO_ERROR = '2' };

void transcript_add(GString *transcript, const FILE *stream, const char *line)
{
    g_string_append_c(transcript, stream == stdout ? TO_OUTPUT : TO_ERROR);
    g_string_append(transcript, line);
    g_string_append_c(transcript, '\n');
}

char *transcript_number(unsigned number)
{
    return g_strdup_printf("%c%u%c", NUMBER_BEGINS, number, NUMBER_ENDS);
}

char *transcript_renumber(const char *transcript, unsigned more)
{
    GString *text = g_string_new(NULL);
    const char *number;

    while ((number = strchr(transcript, NUMBER_BEGINS))) {
        char *end;
        const unsigned long old = strtoul(number + 1, &end, 10);

        g_string_append_len(text, transcript, number + 1 - transcript);
        g_string_append_printf(text, "%lu", old + more);
        transcript = end;
    }
    g_string_append(text, transcript);
    return g_string_free(text, FALSE);
}

static void print_line_to(FILE *stream, const char *line, size_t size)
{
    char *text = g_strndup(line, size);
    char *to = text;

    for (const char *from = text; *from; from++)
        if (!strchr(ends, *from))
            *to++ = *from;
    *to = '\0';
    fprintf(stream, "%s\n", text);
    g_free(text);
}

void transcript_print(const char *transcript)
{
    progress_erase();
    while (*transcript) {
        const size_t size = strcspn(transcript, "\n");

        print_line_to(*transcript == TO_OUTPUT ? stdout : stderr, transcript + 1, size - 1);
        transcript += size + (transcript[size] == '\n');
    }
}
