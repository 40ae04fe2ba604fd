/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcap2demo: converts captures to demos, lists, dumps and checks.
 *
 *     command_line   parses the options
 *     run            reads all inputs in the order of time; recording/ follows interfaces
 *     actions/       process sessions; goldens and test reports: regression/
 *     capture/       pipeline: link, IP, TCP; then common/sessions/sessions.h
 *     output/        messages and files
 *
 * Each layer depends only on those below it; nothing calls upward.
 */
#include <errno.h>
#include <locale.h>
#include <stdio.h>

#include "pcap2demo/command_line.h"
#include "pcap2demo/output/message.h"
#include "pcap2demo/capture/signals.h"

/* Flushes standard output. A closed pipe ends the program by SIGPIPE; other errors are reported. */
static void finish_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return;
    if (errno == EPIPE)
        signals_die_of_pipe();
    failure(EXIT_UNUSABLE, (struct qs_location){0}, "standard output: %s", g_strerror(errno));
}

int main(int argc, char **argv)
{
    struct options options;
    enum command_line_verdict verdict;

    (void)argc;
    setlocale(LC_CTYPE, "");
    verdict = command_line_parse(&options, argv);
    if (verdict == COMMAND_LINE_WRONG)
        exit_status_raise(EXIT_UNUSABLE);
    else if (verdict == COMMAND_LINE_GOOD && options.action->print)
        options.action->print(&options);
    else if (verdict == COMMAND_LINE_GOOD)
        run_inputs(&options);
    command_line_clear(&options);
    finish_output();
    messages_end();
    return (int)exit_status_get();
}
