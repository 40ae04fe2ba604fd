/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints a golden in the full form of text dumps: with all that its compact form implies. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pcap2demo/regression/golden.h"

/* Of another packet the number is told as a distance: "q2.fragment := #-2". */
static void print_text(const struct golden_packet *packet, const struct golden_line *line)
{
    const char *text = packet->text->str + line->start, *mark = strstr(text, "= #");

    if (!mark || mark >= packet->text->str + line->end)
        fwrite(text, 1, line->end - line->start, stdout);
    else
        printf("%.*s%" PRIu64 "\n", (int)(mark + 2 - text), text,
               packet->number + (uint64_t)strtoll(mark + 3, NULL, 10));
}

static void print_packet(const struct golden_packet *packet)
{
    for (guint i = 0; i < packet->lines->len; i++) {
        const struct golden_line *line = &g_array_index(packet->lines, struct golden_line, i);

        printf("%" PRIu64 " ", packet->number);
        if (line->source)
            printf("%u:", line->source);
        printf("%" PRIu32 "+%" PRIu32 " ", line->offset, line->length);
        print_text(packet, line);
    }
}

int main(int argc, char **argv)
{
    GPtrArray *ignored = g_ptr_array_new_with_free_func(g_free);
    struct golden_packet *packet = golden_packet_new();
    char *error = NULL;
    struct golden_reader *reader = argc == 2 ? golden_open(argv[1], ignored, &error) : NULL;
    enum golden_status status = GOLDEN_DAMAGED;

    while (reader && (status = golden_next(reader, packet)) == GOLDEN_PACKET)
        print_packet(packet);
    if (status == GOLDEN_DAMAGED)
        fprintf(stderr, "%s\n", reader ? golden_error(reader) : error);
    if (reader)
        golden_close(reader);
    g_free(error);
    golden_packet_free(packet);
    g_ptr_array_free(ignored, TRUE);
    return status == GOLDEN_END ? 0 : 1;
}
