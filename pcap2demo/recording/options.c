/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recording/recording.h"

#include "pcap2demo/output/message.h"

const struct option_row recorder_rows[] = {
    {"follow", 0, OPTION(TEXT, recorder.follow),
     "Read the captures of this folder as they are written", "DIR"},
    {"interface", 'i', OPTION(TEXT, recorder.interface), "Let tcpdump capture, and follow it",
     "IFACE[,IFACE...]"},
    {"ring", 0, OPTION(TEXT, recorder.ring), "Capture to this folder (default: DEMOS/ring)", "DIR"},
    {"ring-size", 0, OPTION(SIZE, recorder.ring_size),
     "Remove the oldest captures above this size (-i: 1G)", "SIZE"},
    {"idle-timeout", 0, OPTION(TIME, recorder.idle),
     "End sessions after this time without packets (5m)", "TIME"},
    {"min-free", 0, OPTION(SIZE, recorder.min_free),
     "Begin no demo if less disk space is free (1G)", "SIZE"},
    {"max-demo-size", 0, OPTION(SIZE, recorder.max_demo_size),
     "End a demo at this size; resume at the next level", "SIZE"},
    {"players-only", 0, OPTION(FLAG, recorder.players_only), "Record no spectators"},
    {"metrics", 0, OPTION(TEXT, recorder.metrics), "Write counters to this file, for Prometheus",
     "FILE.prom"},
    {"log-format", 0, OPTION(TEXT, recorder.log_format),
     "Log as lines of text (the default) or of JSON", .choices = "text|json"},

    /* Options of earlier versions, accepted because old service files contain them. */
    {"max-disk", 0, .type = OPTION_GONE, .offset = 0, "--min-free keeps disk space free", "SIZE"},
    {"keep", 0, .type = OPTION_GONE, .offset = 0, "tmpfiles.d removes old demos", "TIME"},
    {"write-pcap", 0, .type = OPTION_GONE, .offset = 0, "--pcap -s N cuts sessions out", "DIR"},
    {"buffer-size", 0, .type = OPTION_GONE, .offset = 0, "tcpdump has the buffer", "SIZE"},
    OPTIONS_END};

bool recorder_is_wanted(const struct options *options)
{
    return options->recorder.follow || options->recorder.interface;
}

bool recorder_options_check(struct options *options)
{
    struct recorder_options *recorder = &options->recorder;

    if (recorder->interface && recorder->follow)
        return usage_error("--interface follows what it captures: choose --ring, not --follow");
    if (recorder->interface && g_file_test(recorder->interface, G_FILE_TEST_IS_REGULAR))
        return usage_error("%s is a file: pcap2demo %s", recorder->interface, recorder->interface);
    if (recorder->follow && g_file_test(recorder->follow, G_FILE_TEST_IS_REGULAR))
        return usage_error("%s is a file, and --follow takes the folder that it is in: pcap2demo "
                           "%s reads it once",
                           recorder->follow, recorder->follow);
    if (recorder->ring && !recorder->interface)
        return usage_error("--ring goes with --interface");
    if (recorder->interface && !recorder->ring_size)
        recorder->ring_size = RECORDER_SIZE;
    return true;
}
