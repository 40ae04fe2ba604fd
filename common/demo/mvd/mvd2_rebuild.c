/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rebuilds MVD2 demos out of GTV streams: from the first gamestate on the blocks as the server sent
 * them, which is what it would have recorded. Source: Q2PRO, server/mvd.c rec_write, rec_frame,
 * rec_stop.
 */
#include "common/core/lists.h"
#include "common/core/writer.h"
#include "common/demo/mvd/mvd2.h"
#include "common/quake2/mvd.h"
#include "common/quake2/session.h"

struct mvd2 {
    struct qs_demo_writer *out;
    bool lost;            /* what came behind a hole is of no use */
    GByteArray *block;    /* scratch */
    GByteArray *filtered; /* the same */
};

static void *mvd2_new(struct qs_demo_writer *out)
{
    struct mvd2 *mvd2 = g_new0(struct mvd2, 1);

    mvd2->out = out;
    mvd2->block = g_byte_array_new();
    mvd2->filtered = g_byte_array_new();
    return mvd2;
}

static void mvd2_free(void *state)
{
    struct mvd2 *mvd2 = state;

    g_byte_array_free(mvd2->block, TRUE);
    g_byte_array_free(mvd2->filtered, TRUE);
    g_free(mvd2);
}

static void write_length(struct mvd2 *mvd2, uint16_t length)
{
    qs_bytes_empty(mvd2->block);
    qs_write_u16(mvd2->block, length);
    qs_demo_write(mvd2->out, qs_view_of_bytes(mvd2->block));
}

static void begin(struct mvd2 *mvd2)
{
    static const uint8_t magic[] = Q2_MVD_MAGIC;

    qs_demo_begin(mvd2->out);
    qs_demo_write(mvd2->out, (struct qs_view){magic, Q2_MVD_MAGIC_SIZE});
}

/* Frames are deltas: those before the first gamestate show nothing. */
static void take_block(struct mvd2 *mvd2, struct qs_view messages)
{
    if (!messages.size || (!mvd2->out->begun && !mvd2_begins_level(messages)))
        return;
    if (!mvd2->out->begun)
        begin(mvd2);
    write_length(mvd2, (uint16_t)messages.size);
    qs_demo_write(mvd2->out, messages);
    mvd2->out->counts.blocks++;
}

/* The block, which begins at `offset`, without the messages that stuff commands into players. */
static struct qs_view sanitize(struct mvd2 *mvd2, const struct q2_gtv_blocks *blocks,
                               uint32_t offset, struct qs_view messages)
{
    uint32_t done = 0;

    qs_bytes_empty(mvd2->filtered);
    for (guint i = 0; i < blocks->stuffed->len; i++) {
        const struct q2_stuffed *range = &g_array_index(blocks->stuffed, struct q2_stuffed, i);

        if (range->offset < offset || range->offset >= offset + messages.size)
            continue;
        g_byte_array_append(mvd2->filtered, messages.data + done, range->offset - offset - done);
        done = range->offset - offset + range->length;
        qs_demo_left_out(mvd2->out, "svc_stufftext");
    }
    g_byte_array_append(mvd2->filtered, messages.data + done, messages.size - done);
    return qs_view_of_bytes(mvd2->filtered);
}

static void take_blocks(struct mvd2 *mvd2, const struct qs_decoder *decoder,
                        const struct qs_packet *packet, const struct q2_gtv_blocks *blocks)
{
    struct qs_reader in = qs_reader_over(blocks->bytes->data, blocks->bytes->len);
    struct qs_view messages;

    if (blocks->bytes->len && qs_decoder_problems(decoder))
        qs_demo_not_decoded(mvd2->out, packet, mvd2->out->sanitize);
    while (mvd2_read_block(&in, &messages) == QS_DEMO_BLOCK) {
        if (mvd2->out->sanitize)
            messages = sanitize(mvd2, blocks, in.pos - messages.size, messages);
        take_block(mvd2, messages);
    }
}

/* Reports, once, why the demo ends here. */
static void stop(struct mvd2 *mvd2, const struct qs_packet *packet)
{
    if (packet->missing)
        qs_demo_problem(mvd2->out, packet,
                        "the capture lacks %u bytes of the stream before packet %" G_GUINT64_FORMAT
                        ": the demo ends there",
                        packet->missing, packet->missing_before);
    else if (qs_packet_is_cut(packet))
        qs_demo_problem(mvd2->out, packet,
                        "the stream ends within a message, %u bytes of which are left out",
                        packet->size);
    else
        qs_demo_problem(mvd2->out, packet, "no message begins here: the demo ends before it");
    mvd2->out->counts.missing++;
    mvd2->lost = true;
}

static void mvd2_packet(void *state, const struct qs_decoder *decoder,
                        const struct qs_packet *packet)
{
    const struct q2_gtv *gtv = &q2_session_of_const(decoder->session)->gtv;
    struct mvd2 *mvd2 = state;

    if (mvd2->lost || !qs_session_from_server(decoder->session, packet))
        return;
    if (gtv->blocks)
        take_blocks(mvd2, decoder, packet, gtv->blocks);
    if (gtv->stage[packet->from] == Q2_GTV_STAGE_LOST)
        stop(mvd2, packet);
}

static void mvd2_finish(void *state)
{
    struct mvd2 *mvd2 = state;

    if (mvd2->out->begun)
        write_length(mvd2, 0);
    else if (!mvd2->lost)
        qs_demo_start_missing(mvd2->out, "no gamestate seen");
}

const struct qs_demo_rebuilder mvd2_rebuilder = {
    .create = mvd2_new,
    .packet = mvd2_packet,
    .finish = mvd2_finish,
    .free = mvd2_free,
};
