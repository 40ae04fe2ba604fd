/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the formats differ in when a demo is made of a capture that was made of it. */
#ifndef PCAP2DEMO_REBUILD_MADE_FORMAT_H
#define PCAP2DEMO_REBUILD_MADE_FORMAT_H

#include <glib.h>

#include "pcap2demo/aside.h"
#include "pcap2demo/rebuild.h"

struct made_format;

struct made {
    struct demo *demo;
    const struct made_format *format; /* NULL before the client's first packet */
    GByteArray *file;                 /* what the packet at hand adds */
    GByteArray *head;                 /* QWD: of the next block, or NULL */
    bool block_said;                  /* QWD: an aside of this packet gave its block */
    uint8_t view[12];                 /* DEM: as it stands in blocks */
    bool client_next;                 /* DEM: the client's next packet is a block */
};

struct made_format {
    const char *name, *protocol;
    void (*begin)(struct made *made, struct qs_view value); /* or NULL */
    void (*aside)(struct made *made, struct qs_view word, struct qs_view value);
    void (*from_server)(struct made *made, const struct qs_decoder *decoder,
                        const struct qs_packet *packet);
    void (*from_client)(struct made *made, const struct qs_decoder *decoder,
                        const struct qs_packet *packet); /* or NULL */
};

extern const struct made_format made_qwd, made_dm2, made_dem;

#endif
