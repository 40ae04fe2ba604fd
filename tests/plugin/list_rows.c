/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the rows that the protocol records ask to be registered, tab-separated, for wireshark.py.
 */
#include <stdio.h>

#include "common/netchan/links.h"
#include "common/core/sink.h"
#include "common/protocols.h"

static void print_fields(const struct qs_protocol *protocol)
{
    static const char *const types[] = {
        [QS_GROUP] = "group",       [QS_BOOL] = "bool",      [QS_U8] = "unsigned",
        [QS_U16] = "unsigned",      [QS_U32] = "unsigned",   [QS_U64] = "unsigned",
        [QS_X8] = "unsigned",       [QS_X16] = "unsigned",   [QS_X32] = "unsigned",
        [QS_X64] = "unsigned",      [QS_I8] = "signed",      [QS_I16] = "signed",
        [QS_I32] = "signed",        [QS_I64] = "signed",     [QS_FLOAT] = "float",
        [QS_DOUBLE] = "double",     [QS_COORD] = "double",   [QS_ANGLE] = "double",
        [QS_TEXT] = "text",         [QS_BYTES] = "bytes",    [QS_IPV4] = "ipv4",
        [QS_IPV6] = "ipv6",         [QS_FRAMENUM] = "frame", [QS_TIME] = "time",
        [QS_DURATION] = "duration",
    };

    for (unsigned i = 0; i < protocol->field_count; i++) {
        const struct qs_field *row = &protocol->fields[i];

        printf("field\t%s\t%s\t%s\t%u\n", row->name, row->title, types[row->type], row->mask);
    }
}

static void print_notes(const struct qs_protocol *protocol)
{
    for (unsigned note = 0; note < QS_NOTE_KINDS; note++)
        if (protocol->notes & QS_NOTE_BIT(note))
            printf("note\t%s.%s\t%s\n", protocol->name, qs_note_kinds[note].suffix,
                   qs_note_kinds[note].summary);
}

static void print_links(const struct qs_protocol *protocol)
{
    /* The links of a packet that are unknown until a later packet comes. */
    static const bool ahead[] = {
#define LINK(id, name, title, type, unit, blurb) false,
#define LINK_AHEAD(id, name, title, type, unit, blurb) true,
#include "common/netchan/links.def"
    };

    for (unsigned link = 0; link < QS_LINKS; link++)
        printf("link\t%s\t%s\n", protocol->fields[protocol->links + link].name,
               ahead[link] ? "ahead" : "back");
}

int main(void)
{
    for (const struct qs_protocol *const *each = qs_protocols; *each; each++) {
        const struct qs_protocol *protocol = *each;

        printf("protocol\t%s\t%s\t%s\t%s\n", protocol->name, protocol->short_name, protocol->title,
               protocol->ports);
        print_fields(protocol);
        print_notes(protocol);
        print_links(protocol);
        for (unsigned i = 0; i < protocol->option_count; i++)
            printf("option\t%s.%s\n", protocol->name, protocol->options[i].name);
    }
    return 0;
}
