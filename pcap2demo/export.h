/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes of a demo the packets that it could have been recorded from: what a format provides (struct
 * exporter), and what it is given to send with (struct export). Each is in an export_<format>.c.
 *
 * A handshake comes first, so that whoever reads the capture knows the game. What packets cannot
 * say is told in asides; see aside.h.
 */
#ifndef PCAP2DEMO_EXPORT_H
#define PCAP2DEMO_EXPORT_H

#include <glib.h>
#include <stdint.h>

#include "common/core/decoder.h"
#include "common/core/writer.h"
#include "pcap2demo/capture/pcap_out.h"

struct export;

struct exporter {
    const struct qs_demo_format *format;
    uint16_t port; /* of the server */
    void *(*create)(struct export *out);
    /* A block, after its decode. */
    void (*block)(void *state, const struct qs_decoder *decoder, const struct qs_packet *block);
    void (*finish)(void *state); /* behind the last block; or NULL */
    void (*free)(void *state);
};

extern const struct exporter export_qwd, export_mvd, export_dm2, export_dem;

/* Sends a datagram at the time of the block at hand. */
void export_to_server(struct export *out, struct qs_view datagram);
void export_to_client(struct export *out, struct qs_view datagram);

/* A TCP segment. */
void export_segment_to_server(struct export *out, const struct pcap_out_segment *segment);
void export_segment_to_client(struct export *out, const struct pcap_out_segment *segment);

/* A connectionless packet: four bytes 255 and the text, without its NUL. */
void export_text_to_server(struct export *out, const char *text);
void export_text_to_client(struct export *out, const char *text);

#endif
