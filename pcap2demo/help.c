/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "pcap2demo/command_line.h"
#include "pcap2demo/config.h"

#define SUMMARY                                                                                    \
    "Rebuilds demos of Quake-family games from packet captures, and lists, dumps and\n"            \
    "checks captures and demos.\n\n"

static const char one_screen[] =
    SUMMARY "Usage: pcap2demo [OPTION...] FILE...\n\n"
            "  -o, --output=DIR|FILE   Write demos to this folder, or one demo to this file\n"
            "  -s, --session=N         Only these sessions: 2, or 1,3-5\n"
            "  -f, --force             Overwrite files\n"
            "      --sign-on=DEMO      If the capture starts mid-game: a demo of the same map\n"
            "      --sanitize          Leave out commands that your client would execute\n"
            "  -l, --list              List the sessions: who played, how good the line was\n"
            "      --dump              Print every field of every packet\n"
            "  -c, --check             Check that everything can be decoded and rebuilt\n"
            "  -p, --port=GAME=PORT    If a server has an unusual port: qw=28500\n"
            "  -i, --interface=IFACE   Record every player, until Ctrl-C\n\n"
            "FILE is a capture, a demo, a folder of them, or \"-\" for standard input.\n\n"
            "  pcap2demo match.pcapng                       a demo of each session, here\n"
            "  pcap2demo --list --sort=loss evening.pcap    who played, the worst line first\n"
            "  sudo pcap2demo -i any -o demos/              record on a server\n\n"
            "--help prints all options, \"man pcap2demo\" explains them.\n";

static const char ending[] =
    "\nExit status: 0: all is well. 1: something in the input is wrong or differs from\n"
    "its golden, nothing asked for was found, or a demo could not be written.\n"
    "2: wrong usage, or a file that cannot be read or written at all.\n\n"
    "Examples:\n"
    "  pcap2demo duel.pcap                       a demo of each session, here\n"
    "  pcap2demo --list duel.pcap                which sessions are in it\n"
    "  pcap2demo --dump duel.pcap | grep damage\n"
    "  pcap2demo --fields damage                 which fields are about it\n"
    "  pcap2demo --golden goldens --update duel.pcap    keep how it decodes\n"
    "  pcap2demo --golden goldens duel.pcap             does it still?\n"
    "  tcpdump -w - udp | pcap2demo -\n"
    "  pcap2demo --dump duel.qwd | less          what is in a demo\n"
    "  pcap2demo --pcap duel.pcapng duel.qwd     the same for Wireshark\n"
    "  pcap2demo --pcap bug.pcapng -s 2 --packets 4700-4711 duel.pcap    a small one\n";

/* "-o, --output=DIR|FILE" */
static char *usage_of(const struct option_row *row)
{
    g_autofree char *form = option_value_form(row);
    const char letter[] = {row->letter, '\0'};

    return g_strdup_printf("%s%s%s--%s%s%s", *letter ? "-" : "", letter, *letter ? ", " : "",
                           row->name, form ? "=" : "", form ? form : "");
}

void print_help(const GPtrArray *rows)
{
    enum { USAGE_WIDTH = 35 };

    fputs("Usage:\n  pcap2demo [OPTION...] FILE...\n\n" SUMMARY
          "FILE is a capture (pcap, pcapng), a demo, or a folder of them; \"-\" is\n"
          "standard input. Several captures are read as one, in the order given.\n",
          stdout);
    for (guint i = 0; i < rows->len; i++) {
        const struct option_row *row = g_ptr_array_index(rows, i);
        g_autofree char *usage = row->name ? usage_of(row) : NULL;

        if (usage && row->help && row->type != OPTION_GONE)
            printf("  %-*s  %s\n", USAGE_WIDTH, usage, row->help);
        else if (!usage)
            printf("\n%s:\n", row->help);
    }
    fputs(ending, stdout);
}

void print_short_help(void)
{
    fputs(one_screen, stdout);
}

void print_version(void)
{
    puts("pcap2demo " QUAKESHARK_VERSION);
    if (*QUAKESHARK_HOMEPAGE)
        puts(QUAKESHARK_HOMEPAGE);
    if (*QUAKESHARK_CONTACT)
        puts("Report problems to " QUAKESHARK_CONTACT);
}
