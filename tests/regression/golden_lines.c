/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints a golden in the full form of text dumps: with all that its compact form implies. */
#include <inttypes.h>
#include <stdio.h>

#include "pcap2demo/regression/golden.h"

static void print_packet(const struct golden_packet *packet)
{
    for (guint i = 0; i < packet->lines->len; i++) {
        const struct golden_line *line = &g_array_index(packet->lines, struct golden_line, i);

        printf("%" PRIu64 " ", packet->number);
        if (line->source)
            printf("%u:", line->source);
        printf("%" PRIu32 "+%" PRIu32 " ", line->offset, line->length);
        fwrite(packet->text->str + line->start, 1, line->end - line->start, stdout);
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
