/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DEM: every message that either end's game was given, with the view angles that asides say. */
#include "common/core/text.h"
#include "common/demo/dem.h"
#include "common/quake/quake.h"
#include "pcap2demo/rebuild_made_format.h"

enum { VIEW_AT = 4, NETWORK_HEADER = 8 };

static void begin(struct made *made, struct qs_view track)
{
    static const uint8_t feed = '\n';

    if (track.size)
        g_byte_array_append(made->file, track.data, track.size);
    g_byte_array_append(made->file, &feed, 1);
}

static void take_aside(struct made *made, struct qs_view word, struct qs_view value)
{
    GByteArray *bytes = aside_bytes(value);

    if (bytes && bytes->len == sizeof made->view && qs_view_equal(word, "view"))
        memcpy(made->view, bytes->data, sizeof made->view);
    if (bytes)
        g_byte_array_free(bytes, TRUE);
    made->client_next = qs_view_equal(word, "client");
    made->block_said = true;
}

static void add_block(struct made *made, struct qs_view message)
{
    static const struct dem_angles nowhere;

    dem_append_block(made->file, &nowhere, message);
    memcpy(made->file->data + VIEW_AT, made->view, sizeof made->view);
    demo_counts(made->demo)->blocks++;
}

static void take_server_packet(struct made *made, const struct qs_decoder *decoder,
                               const struct qs_packet *packet)
{
    const struct nq_session *session = (const struct nq_session *)decoder->session;

    (void)packet;
    if (!decoder->connectionless && session->delivered.bytes.data)
        add_block(made, session->delivered.bytes);
}

static void take_client_packet(struct made *made, const struct qs_decoder *decoder,
                               const struct qs_packet *packet)
{
    enum { FROM_CLIENT = 0x80, LENGTH_TOP = 3 };

    (void)decoder;
    if (!made->client_next || made->block_said || packet->size < NETWORK_HEADER)
        return;
    add_block(made, (struct qs_view){packet->data + NETWORK_HEADER, packet->size - NETWORK_HEADER});
    made->file->data[LENGTH_TOP] |= FROM_CLIENT;
    made->client_next = false;
}

const struct made_format made_dem = {
    .name = "DEM",
    .protocol = "nq",
    .begin = begin,
    .aside = take_aside,
    .from_server = take_server_packet,
    .from_client = take_client_packet,
};
