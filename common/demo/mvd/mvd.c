/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/mvd/mvd.h"
#include "common/demo/qwd/qwd.h"

#include "common/demo/zip_archive.h"
#include "common/quakeworld/constants.h"
#include "common/quakeworld/mvd.h"
#include "common/quakeworld/quakeworld.h"

enum qs_demo_status mvd_read_block(struct qs_reader *in, struct mvd_block *block)
{
    const struct qs_view left = {in->data + in->pos, qs_reader_left(in)};

    if (!left.size)
        return QS_DEMO_END;
    if (qw_mvd_read_block(in, block))
        return QS_DEMO_BLOCK;
    return qw_mvd_block_size(left) ? QS_DEMO_CUT : QS_DEMO_BAD;
}

/* --- The format --- */

/* The pairs of protocol extensions, then the version. */
static bool begins_level(struct qs_reader *in)
{
    uint32_t word = qs_reader_u32(in);

    while (word == EXTENSION_FTE || word == EXTENSION_FTE2 || word == EXTENSION_MVD1) {
        qs_reader_u32(in);
        word = qs_reader_u32(in);
    }
    return !in->overrun && word >= QW_PROTOCOL_FIRST && word <= QW_PROTOCOL_LAST;
}

/* mvdsv begins with svc_serverdata; FTE with two comments for players, in svc_stufftext. */
static bool recognise(struct qs_view file)
{
    struct qs_reader in = qs_reader_over(file.data, file.size);
    struct mvd_block block;
    uint8_t message;

    if (mvd_read_block(&in, &block) != QS_DEMO_BLOCK || block.milliseconds ||
        (block.type != MVD_ALL && block.type != MVD_READ))
        return false;
    in = qs_reader_over(block.payload.data, block.payload.size);
    while ((message = qs_reader_u8(&in)) == SVC_STUFFTEXT)
        qs_reader_string(&in);
    return message == SVC_SERVERDATA && begins_level(&in);
}

/* svc_disconnect, which servers write last. */
static bool is_end(const struct mvd_block *block)
{
    return block->type != MVD_SET && block->payload.size &&
           block->payload.data[0] == SVC_DISCONNECT;
}

/* The first bytes of an archive could be those of a block, too: one that is cut begins behind the
 * end only. */
static enum qs_demo_status next(struct qs_demo_reader *reader)
{
    struct qs_reader *in = &reader->in;
    const struct qs_view rest = {in->data + in->pos, qs_reader_left(in)};
    struct mvd_block block;
    enum qs_demo_status status;

    if (appendix_is_whole(rest) || (reader->ended && appendix_begins(rest)))
        return appendix_take(in);
    status = mvd_read_block(in, &block);
    if (status == QS_DEMO_BLOCK)
        reader->ended = is_end(&block);
    return status;
}

static void decode_block(struct qs_decoder *d)
{
    if (appendix_is_whole((struct qs_view){d->in.data, d->in.size}))
        appendix_decode(d);
    else
        qw_decode_mvd_block(d);
}

static double seconds(struct qs_demo_reader *reader, const struct qs_decoder *decoder)
{
    (void)decoder;
    if (appendix_is_whole(reader->block))
        return reader->time;
    return reader->time + reader->block.data[0] / 1000.0;
}

const struct qs_demo_format qs_demo_mvd = {
    .extension = "mvd",
    .protocol = &qw_protocol,
    .of_stream = true,
    .recognise = recognise,
    .next = next,
    .seconds = seconds,
    .decode_block = decode_block,
    .append_end = mvd_append_end,
    .rebuilder = &mvd_rebuilder,
    .donor_for = &qs_demo_qwd,
    .packets = &mvd_packets,
};
