/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of demo formats: each is a file rebuild_<format>.c that defines its record. */
#include "pcap2demo/rebuild.h"

#include <string.h>

#include "pcap2demo/rebuild_dem.h"
#include "pcap2demo/rebuild_dm2.h"
#include "pcap2demo/rebuild_made.h"
#include "pcap2demo/rebuild_mvd.h"
#include "pcap2demo/rebuild_qwd.h"

const struct rebuilder *const rebuilders[] = {
    &rebuild_qwd,
    &rebuild_dm2,
    &rebuild_dem,
    NULL,
};

const struct rebuilder *rebuilder_find(const struct qs_protocol *protocol)
{
    for (size_t i = 0; rebuilders[i]; i++)
        if (strcmp(rebuilders[i]->protocol, protocol->name) == 0)
            return rebuilders[i];
    return NULL;
}

const struct rebuilder *rebuilder_choose(const struct qs_decoder *decoder,
                                         const struct qs_packet *first)
{
    const struct rebuilder *made;

    if (first->unit)
        return &rebuild_mvd;
    made = rebuild_made_find(decoder, first);

    return made ? made : rebuilder_find(decoder->protocol);
}
