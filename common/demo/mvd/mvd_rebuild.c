/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rebuilds MVD demos out of QTV streams: the blocks as the server sent them, which is what it would
 * have recorded.
 *
 * A server ends its recordings with a message that announces it, and players stop with an error, or
 * wait for ever, where it is missing: a stream that merely breaks off gets one. The server sends it
 * to its streams, too, whenever any recording ends; where more follows, players pass over it.
 * Source: mvdsv sv_demo.c SV_MVDStop; ezquake cl_demo.c CL_Demo_Read, cl_parse.c
 * CL_ParseServerMessage.
 */
#include "common/core/lists.h"
#include "common/demo/zip_archive.h"
#include "common/demo/mvd/mvd.h"
#include "common/quakeworld/constants.h"
#include "common/quakeworld/mvd_framing.h"
#include "common/quakeworld/quakeworld.h"
#include "common/core/writer.h"
#include "common/demo/sanitize/filter_quakeworld.h"

struct mvd {
    struct qs_demo_writer *out;
    bool lost;  /* what came behind a hole is of no use */
    bool ended; /* by the last block */
    struct filter_qw filter;
    GByteArray *block; /* scratch */
    struct appendix_watch watch;
};

static void *mvd_new(struct qs_demo_writer *out)
{
    struct mvd *mvd = g_new0(struct mvd, 1);

    mvd->out = out;
    mvd->block = g_byte_array_new();
    filter_qw_init(&mvd->filter, out);
    return mvd;
}

static void mvd_free(void *state)
{
    struct mvd *mvd = state;

    g_byte_array_free(mvd->block, TRUE);
    filter_qw_clear(&mvd->filter);
    g_free(mvd);
}

/* --- Blocks --- */

static void write_block(struct mvd *mvd, struct qs_view block)
{
    if (!mvd->out->begun)
        qs_demo_begin(mvd->out);
    qs_demo_write(mvd->out, block);
    if (mvd->out->sanitize)
        appendix_watch_add(&mvd->watch, block);
    mvd->out->counts.blocks++;
}

static void set_length(GByteArray *block, uint32_t header_size)
{
    const uint32_t length = GUINT32_TO_LE(block->len - header_size);

    memcpy(block->data + header_size - sizeof length, &length, sizeof length);
}

/* Sequence numbers and hidden messages are nothing that anything could be left out of. */
static bool has_messages(const struct qs_decoder *decoder, const struct qs_packet *block)
{
    const struct qw_session *session = (const struct qw_session *)decoder->session;
    const bool may_hide = session->ext.mvd1 & MVD1_HIDDEN_MESSAGES;
    struct qs_reader in = qs_reader_over(block->data, block->size);
    struct mvd_block read;

    return !qw_mvd_read_block(&in, &read) ||
           !(read.type == MVD_SET || (may_hide && read.type == MVD_MULTIPLE && !read.players));
}

/* The block as the demo shall have it. */
static struct qs_view filter(struct mvd *mvd, const struct qs_decoder *decoder,
                             const struct qs_packet *packet)
{
    const struct qs_view payload = {decoder->payload.data, decoder->payload.size};
    const uint32_t header_size = packet->size - payload.size;

    if (!filter_qw_touches(&mvd->filter, decoder) || !has_messages(decoder, packet))
        return (struct qs_view){packet->data, packet->size};
    qs_bytes_empty(mvd->block);
    g_byte_array_append(mvd->block, packet->data, header_size);
    filter_qw_append(&mvd->filter, decoder, payload, 0, mvd->block);
    set_length(mvd->block, header_size);
    return qs_view_of_bytes(mvd->block);
}

/* --- The end --- */

static bool ends_recording(const struct qs_decoder *decoder)
{
    for (guint i = 0; i < decoder->messages->len; i++)
        if (g_array_index(decoder->messages, struct qs_message, i).id == SVC_DISCONNECT)
            return true;
    return false;
}

void mvd_append_end(GByteArray *out, struct qs_view last)
{
    static const char reason[] = "EndOfDemo";

    (void)last;
    qs_write_u8(out, 0);
    qs_write_u8(out, MVD_ALL);
    qs_write_u32(out, 1 + sizeof reason);
    qs_write_u8(out, SVC_DISCONNECT);
    qs_write_text(out, reason);
}

/* Sequence numbers, of which at the end none counts. */
static void append_set(GByteArray *out)
{
    qs_write_u8(out, 0);
    qs_write_u8(out, MVD_SET);
    qs_write_u32(out, 0);
    qs_write_u32(out, 0);
}

/* --- Units of the stream --- */

static void take_block(struct mvd *mvd, const struct qs_decoder *decoder,
                       const struct qs_packet *packet)
{
    const struct qs_view block = filter(mvd, decoder, packet);

    if (qs_decoder_problems(decoder))
        qs_demo_not_decoded(mvd->out, packet, mvd->out->sanitize);
    write_block(mvd, block);
    mvd->ended = ends_recording(decoder);
}

/* Reports, once, why the demo ends here. */
static void stop(struct mvd *mvd, const struct qs_packet *packet)
{
    if (packet->missing)
        qs_demo_problem(mvd->out, packet,
                        "the capture lacks %u bytes of the stream before packet %" G_GUINT64_FORMAT
                        ": the demo ends there",
                        packet->missing, packet->missing_before);
    else if (qs_packet_is_cut(packet))
        qs_demo_problem(mvd->out, packet,
                        "the stream ends within a block, %u bytes of which are left out",
                        packet->size);
    else
        qs_demo_problem(mvd->out, packet, "no block begins here: the demo ends before it");
    mvd->out->counts.missing++;
    mvd->lost = true;
}

static void mvd_packet(void *state, const struct qs_decoder *decoder,
                       const struct qs_packet *packet)
{
    const struct qw_qtv *qtv = &((const struct qw_session *)decoder->session)->qtv;
    struct mvd *mvd = state;

    if (mvd->lost || !qs_session_from_server(decoder->session, packet))
        return;
    if (qtv->block)
        take_block(mvd, decoder, packet);
    else if (qtv->stage[packet->from] == QW_QTV_STAGE_LOST)
        stop(mvd, packet);
}

/* Puts what looks like an archive out of reach. Returns whether anything was added. */
static bool end_archive(struct mvd *mvd)
{
    bool added = false;

    for (; appendix_watch_is_near(&mvd->watch); added = true) {
        qs_bytes_empty(mvd->block);
        append_set(mvd->block);
        write_block(mvd, qs_view_of_bytes(mvd->block));
    }
    return added;
}

static void mvd_finish(void *state)
{
    struct mvd *mvd = state;

    if (!mvd->out->begun || (!end_archive(mvd) && mvd->ended))
        return;
    qs_bytes_empty(mvd->block);
    mvd_append_end(mvd->block, (struct qs_view){0});
    write_block(mvd, qs_view_of_bytes(mvd->block));
}

const struct qs_demo_rebuilder mvd_rebuilder = {
    .create = mvd_new,
    .packet = mvd_packet,
    .finish = mvd_finish,
    .free = mvd_free,
};
