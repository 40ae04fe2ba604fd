/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages that demos of the rerelease (protocols 2022 and 2023) have of their own. Source:
 * PROTOCOL.md, section 19; q2proto, q2proto_proto_kex.c.
 */
#include "common/core/inflate.h"
#include "common/quake2/baselines.h"
#include "common/quake2/decode.h"

void q2_read_splitclient(struct qs_decoder *d)
{
    qs_label(d, ": %u", qs_u8(d, Q2_SPLITCLIENT_NUMBER));
}

void q2_read_locprint(struct qs_decoder *d)
{
    uint8_t count;

    qs_u8(d, Q2_LOCPRINT_FLAGS);
    qs_label_text(d, ": ", qs_text(d, Q2_LOCPRINT_BASE), "");
    count = qs_u8(d, Q2_LOCPRINT_COUNT);
    for (unsigned i = 0; i < count && !d->in.overrun; i++)
        qs_text(d, Q2_LOCPRINT_ARGUMENT);
}

/* A stream of zlib's to its end. NULL: there is none, or it is too long. */
static GBytes *inflate_whole(struct qs_decoder *d, uint32_t at, struct qs_view packed)
{
    struct qs_inflate_stream stream = {0};
    GByteArray *out = g_byte_array_new();
    uint32_t used;
    const bool good = qs_inflate_more(d, &stream, at, packed, out, &used);

    qs_inflate_stream_clear(&stream);
    if (good)
        return g_byte_array_free_to_bytes(out);
    g_byte_array_free(out, TRUE);
    return NULL;
}

static void read_blast(struct qs_decoder *d, const char *title, void (*read)(struct qs_decoder *))
{
    const uint32_t at = d->in.pos;
    const uint16_t size = qs_u16(d, Q2_BLAST_SIZE);
    struct qs_view packed;
    GBytes *inflated;

    qs_u16(d, Q2_BLAST_UNPACKED);
    packed = qs_bytes(d, Q2_BLAST_DATA, size);
    if (d->in.overrun)
        return;
    inflated = inflate_whole(d, at, packed);
    if (!inflated)
        return;
    q2_read_source(d, title, inflated, read);
    g_bytes_unref(inflated);
}

static void read_configstrings(struct qs_decoder *d)
{
    while (qs_reader_left(&d->in)) {
        qs_open(d, Q2_CONFIGSTRING);
        q2_read_configstring(d);
        qs_close(d);
    }
    qs_undecoded(d);
}

static void read_baselines(struct qs_decoder *d)
{
    while (qs_reader_left(&d->in)) {
        qs_open(d, Q2_ENTITY);
        q2_read_baseline(d, q2_read_entity_mask(d));
        qs_close(d);
    }
    qs_undecoded(d);
}

void q2_read_configblast(struct qs_decoder *d)
{
    read_blast(d, "Inflated config strings", read_configstrings);
}

void q2_read_spawnbaselineblast(struct qs_decoder *d)
{
    read_blast(d, "Inflated baselines", read_baselines);
}
