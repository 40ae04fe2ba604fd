/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/mvd/mvd.h"

#include "common/core/containers.h"
#include "common/core/text.h"
#include "common/core/writer.h"
#include "common/demo/format.h"
#include "common/demo/qwd/late_join.h"
#include "common/demo/qwd/qwd.h"
#include "common/demo/zip_archive.h"
#include "common/quakeworld/constants.h"
#include "common/quakeworld/mvd.h"
#include "common/quakeworld/session.h"

enum qs_demo_status mvd_read_block(struct qs_reader *in, struct mvd_block *block)
{
    const struct qs_view left = {in->data + in->pos, qs_reader_left(in)};

    if (!left.size)
        return QS_DEMO_END;
    if (qw_mvd_read_block(in, block))
        return QS_DEMO_BLOCK;
    return qw_mvd_block_size(left) ? QS_DEMO_CUT : QS_DEMO_BAD;
}

/* --- Packets: a QTV stream over TCP with unchanged blocks. Source: common/quakeworld/qtv.c */

static const char request[] = "QTV\nVERSION: 1\nRECEIVE\n\n";
static const char reply[] = "QTVSV 1\nBEGIN\n\n";

static void send_next(void *data, const struct qs_decoder *decoder, const struct qs_packet *block)
{
    const struct qs_view bytes = {block->data, block->size};
    struct qs_demo_stream *stream = data;

    (void)decoder;
    if (!stream->open) {
        qs_demo_stream_open(stream);
        qs_demo_stream_send(stream, QS_C2S, qs_view_of(request));
        qs_demo_stream_send(stream, QS_S2C, qs_view_of(reply));
    }
    if (!qs_zip_is_whole(bytes))
        qs_demo_stream_pdu(stream, bytes);
}

const struct qs_demo_packet_maker mvd_packets = {
    .port = 28000,
    .state_size = sizeof(struct qs_demo_stream),
    .block = send_next,
    .finish = qs_demo_stream_close,
};

/*
 * --- Rebuilding of QTV streams: the blocks as the server sent them and would have recorded them.
 *
 * A server ends its recordings with a message that announces the end; without it engines stop with
 * an error, or wait forever. So a stream that breaks off gets one. The server also sends it to its
 * streams whenever a recording ends; if more blocks follow, engines ignore it. Source: mvdsv
 * sv_demo.c SV_MVDStop; ezquake cl_demo.c CL_Demo_Read, cl_parse.c CL_ParseServerMessage.
 */

struct mvd {
    struct qs_demo_writer *out;
    bool lost;  /* blocks after a hole cannot be used */
    bool ended; /* the last block ended the demo */
    struct qw_filter filter;
    GByteArray *block; /* scratch */
};

static void *mvd_new(struct qs_demo_writer *out)
{
    struct mvd *mvd = g_new0(struct mvd, 1);

    mvd->out = out;
    mvd->block = g_byte_array_new();
    qw_filter_init(&mvd->filter, out);
    return mvd;
}

static void mvd_free(void *state)
{
    struct mvd *mvd = state;

    g_byte_array_free(mvd->block, TRUE);
    qw_filter_clear(&mvd->filter);
    g_free(mvd);
}

static void write_block(struct mvd *mvd, struct qs_view block)
{
    if (!mvd->out->begun)
        qs_demo_begin(mvd->out);
    qs_demo_write(mvd->out, block);
    mvd->out->counts.blocks++;
}

/* True unless the block has sequence numbers or hidden messages, which are never filtered. */
static bool has_messages(const struct qs_decoder *decoder, const struct qs_packet *block)
{
    const struct qw_session *session = (const struct qw_session *)decoder->session;
    const bool may_hide = session->ext.mvd1 & MVD1_HIDDEN_MESSAGES;
    struct qs_reader in = qs_reader_over(block->data, block->size);
    struct mvd_block read;

    return !qw_mvd_read_block(&in, &read) ||
           !(read.type == MVD_SET || (may_hide && read.type == MVD_MULTIPLE && !read.players));
}

/* Returns the block as the demo gets it. */
static struct qs_view filter(struct mvd *mvd, const struct qs_decoder *decoder,
                             const struct qs_packet *packet)
{
    const struct qs_view payload = {decoder->payload.data, decoder->payload.size};
    const uint32_t header_size = packet->size - payload.size;
    uint32_t length;

    if (!qw_filter_touches(&mvd->filter, decoder) || !has_messages(decoder, packet))
        return (struct qs_view){packet->data, packet->size};
    qs_bytes_empty(mvd->block);
    g_byte_array_append(mvd->block, packet->data, header_size);
    qw_filter_append(&mvd->filter, decoder, payload, 0, mvd->block);
    length = GUINT32_TO_LE(mvd->block->len - header_size);
    memcpy(mvd->block->data + header_size - sizeof length, &length, sizeof length);
    return qs_view_of_bytes(mvd->block);
}

/* Appends the end, which is the same after any block. */
static void append_end(GByteArray *out, struct qs_view last)
{
    static const char reason[] = "EndOfDemo";

    (void)last;
    qs_write_u8(out, 0);
    qs_write_u8(out, MVD_ALL);
    qs_write_u32(out, 1 + sizeof reason);
    qs_write_u8(out, SVC_DISCONNECT);
    qs_write_text(out, reason);
}

static void add_block(struct mvd *mvd, const struct qs_decoder *decoder,
                      const struct qs_packet *packet)
{
    const struct qs_view block = filter(mvd, decoder, packet);

    if (qs_decoder_problems(decoder))
        qs_demo_not_decoded(mvd->out, packet, false);
    write_block(mvd, block);
    mvd->ended = qs_has_message(decoder, SVC_DISCONNECT);
}

static void mvd_packet(void *state, const struct qs_decoder *decoder,
                       const struct qs_packet *packet)
{
    const struct qw_qtv *qtv = &((const struct qw_session *)decoder->session)->qtv;
    struct mvd *mvd = state;

    if (mvd->lost || !qs_session_from_server(decoder->session, packet))
        return;
    if (qtv->block) {
        add_block(mvd, decoder, packet);
    } else if (qtv->stage[packet->from] == QW_QTV_STAGE_LOST) {
        qs_demo_stream_broken(mvd->out, packet, "block");
        mvd->lost = true;
    }
}

static void mvd_finish(void *state)
{
    struct mvd *mvd = state;

    if (!mvd->out->begun || mvd->ended)
        return;
    qs_bytes_empty(mvd->block);
    append_end(mvd->block, (struct qs_view){0});
    write_block(mvd, qs_view_of_bytes(mvd->block));
}

const struct qs_demo_rebuilder mvd_rebuilder = {
    .create = mvd_new,
    .packet = mvd_packet,
    .finish = mvd_finish,
    .free = mvd_free,
};

/* --- Format --- */

/* Checks that svc_serverdata of a QuakeWorld version comes first, or after FTE's comments for
 * players in svc_stufftext. */
static bool recognize(struct qs_view file)
{
    struct qs_reader in = qs_reader_over(file.data, file.size);
    struct mvd_block block;
    uint8_t message;
    uint32_t version;

    if (mvd_read_block(&in, &block) != QS_DEMO_BLOCK || block.milliseconds ||
        (block.type != MVD_ALL && block.type != MVD_READ))
        return false;
    in = qs_reader_over(block.payload.data, block.payload.size);
    while ((message = qs_reader_u8(&in)) == SVC_STUFFTEXT)
        qs_reader_string(&in);
    qwd_skip_pairs(&in);
    version = qs_reader_u32(&in);
    return message == SVC_SERVERDATA && version >= QW_PROTOCOL_FIRST && version <= QW_PROTOCOL_LAST;
}

/* True for svc_disconnect, which servers write last. */
static bool is_end(const struct mvd_block *block)
{
    return block->type != MVD_SET && block->payload.size &&
           block->payload.data[0] == SVC_DISCONNECT;
}

/* Reads the next block or archive. An archive's first bytes could be a block's, too, so one that is
 * cut is recognized only after the end. */
static enum qs_demo_status next(struct qs_demo_reader *reader)
{
    struct qs_reader *in = &reader->in;
    const struct qs_view rest = {in->data + in->pos, qs_reader_left(in)};
    struct mvd_block block;
    enum qs_demo_status status;

    if (qs_zip_is_whole(rest) || (reader->ended && qs_zip_begins(rest)))
        return qs_zip_skip(in);
    status = mvd_read_block(in, &block);
    if (status == QS_DEMO_BLOCK)
        reader->ended = is_end(&block);
    return status;
}

static void decode_block(struct qs_decoder *d)
{
    if (qs_zip_is_whole((struct qs_view){d->in.data, d->in.size}))
        qs_zip_decode(d);
    else
        qw_decode_mvd_block(d);
}

static double seconds(struct qs_demo_reader *reader, const struct qs_decoder *decoder)
{
    (void)decoder;
    if (qs_zip_is_whole(reader->block))
        return reader->time;
    return reader->time + reader->block.data[0] / 1000.0;
}

const struct qs_demo_file mvd_file = {
    .recognize = recognize,
    .next = next,
    .seconds = seconds,
    .decode_block = decode_block,
    .append_end = append_end,
};
