/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/fuzz/fuzz.h"

#include <glib.h>
#include <string.h>

#include "pcap2demo/actions/action.h"
#include "pcap2demo/command_line.h"

enum { ARGUMENTS_MAX = 1 + RUN_TOOL_WORDS_MAX + 1 };

/* The arguments: program, words, the file; how many. */
static int command_line(const char *const *words, const char *file, char **argv)
{
    int argc = 0;

    argv[argc++] = g_strdup("pcap2demo");
    while (argc <= RUN_TOOL_WORDS_MAX && words[argc - 1]) {
        argv[argc] = g_strdup(words[argc - 1]);
        argc++;
    }
    argv[argc++] = g_strdup(file);
    argv[argc] = NULL;
    return argc;
}

void run_tool(const char *const *words, const char *file)
{
    char *argv[ARGUMENTS_MAX + 1];
    int count = command_line(words, file, argv);
    struct options options;

    if (command_line_parse(&options, argv) == COMMAND_LINE_GOOD) {
        if (options.action->print)
            options.action->print(&options);
        else
            run_inputs(&options);
    }
    command_line_clear(&options);
    while (count--)
        g_free(argv[count]);
}
