/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/help.h"

#include <stdio.h>

#include "common/demo/format.h"

/* A new text. */
static char *summary(void)
{
    GString *extensions = g_string_new(NULL);
    char *text;

    for (int i = 0; qs_demo_formats[i]; i++)
        g_string_append_printf(extensions, "%s.%s", i ? ", " : "", qs_demo_formats[i]->extension);
    text =
        g_strdup_printf("Rebuilds demos (%s) from captures of\n"
                        "Quake-family games, and lists, dumps, checks and counts what is in them."
                        "\n\n"
                        "FILE is a capture (pcap, pcapng), a demo, or a folder of them; \"-\" is\n"
                        "standard input. Several captures are taken as one, in the order given.",
                        extensions->str);
    g_string_free(extensions, TRUE);
    return text;
}

static const char ending[] =
    "\nExit status: 0 all is well; 1 something in the input is wrong or differs from\n"
    "its golden, nothing is there that was asked for, or a demo could not be written;\n"
    "2 wrong usage, or a file that cannot be read or written at all.\n\n"
    "Examples:\n"
    "  pcap2demo duel.pcap                       a demo of each session, here\n"
    "  pcap2demo --list duel.pcap                which sessions are in it\n"
    "  pcap2demo --dump duel.pcap | grep damage\n"
    "  pcap2demo --fields qw.damage              what its fields are\n"
    "  pcap2demo --golden goldens --update duel.pcap    keep how it decodes\n"
    "  pcap2demo --golden goldens duel.pcap             does it still?\n"
    "  tcpdump -w - udp | pcap2demo -\n"
    "  pcap2demo --dump duel.qwd | less          what is in a demo\n"
    "  pcap2demo --pcap duel.pcapng duel.qwd     the same for Wireshark\n"
    "  pcap2demo --pcap bug.pcapng -s 2 --packets 4700-4711 duel.pcap    a small one\n";

void help_print(const struct option_table *table)
{
    char *about = summary();

    printf("Usage: pcap2demo [OPTION...] FILE...\n\n%s\n", about);
    option_table_print(table);
    fputs(ending, stdout);
    g_free(about);
}
