/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DM2: what follows the header of each packet of the server. */
#include "common/core/text.h"
#include "common/demo/dm2.h"
#include "pcap2demo/rebuild_made_format.h"

enum { HEADER_SIZE = 8 };

static void take_aside(struct made *made, struct qs_view word, struct qs_view value)
{
    (void)value;
    if (qs_view_equal(word, "end"))
        dm2_append_end(made->file);
}

static void take_server_packet(struct made *made, const struct qs_decoder *decoder,
                               const struct qs_packet *packet)
{
    if (decoder->connectionless || packet->size < HEADER_SIZE)
        return;
    dm2_append_block(made->file,
                     (struct qs_view){packet->data + HEADER_SIZE, packet->size - HEADER_SIZE});
    demo_counts(made->demo)->blocks++;
}

const struct made_format made_dm2 = {
    .name = "DM2",
    .protocol = "q2",
    .aside = take_aside,
    .from_server = take_server_packet,
};
