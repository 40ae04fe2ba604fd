/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks of sanitized QWD and MVD demos. A demo's form of dem_cmd is known here, not guessed. */
#include "common/core/text.h"
#include "common/demo/mvd/mvd.h"
#include "common/demo/qwd/qwd.h"
#include "common/demo/sanitize/rules.h"
#include "common/quakeworld/constants.h"
#include "common/quakeworld/mvd.h"
#include "common/quakeworld/session.h"

/* --- QWD and MVD: ezQuake opens a file as an archive, too, if one ends near the file's end */

static void write_watched(const struct sanitize_block *block, const uint8_t *bytes, uint32_t size)
{
    qs_zip_watch_add(block->watch, (struct qs_view){bytes, size});
    block->out->append(block->out, bytes, size);
}

/* Writes blocks of sequence numbers until the end of what looks like an archive is far behind. */
static void pass_archive(const struct sanitize_block *block, const uint8_t *numbers, uint32_t size)
{
    while (qs_zip_watch_is_near(block->watch))
        write_watched(block, numbers, size);
}

/* --- QWD */

static enum qwd_cmd_form form_of(const struct qs_demo_writer *out)
{
    return out->qwd_format == QS_QWD_EZQUAKE_37 ? QWD_CMD_EZQUAKE_37 : QWD_CMD_CLASSIC;
}

static enum qs_demo_status next_qwd(struct qs_reader *in, const struct qs_demo_writer *out,
                                    bool is_first)
{
    struct qwd_block block;

    (void)is_first;
    return qwd_read_block_as(in, &block, form_of(out));
}

/* Block type that no engine knows: ezquake cl_demo.c, CL_GetDemoMessage. */
enum { NO_TYPE = 7 };

/*
 * Writes blocks that stop an engine which reads dem_cmd in the other form, and would find blocks
 * inside packets. In the long form, a short reader takes the last angle for a time, and the first
 * byte of the dem_set's time for a type. In the short form, a long reader takes that time for an
 * angle, and the next four bytes for a time; the type is then the last byte of the outgoing number.
 * Returns the time of these blocks.
 */
static float write_form_guard(const struct sanitize_block *block)
{
    static const struct qw_usercmd none;
    static const uint32_t number = (uint32_t)NO_TYPE << 24;
    static const uint32_t soon = 0x37270000 | NO_TYPE; /* about 1e-5 seconds */
    const enum qwd_cmd_form form = form_of(block->out);
    const float time = form == QWD_CMD_CLASSIC ? 0 : qs_float_of_bits(soon);
    GByteArray *guard = g_byte_array_set_size(g_byte_array_new(), QWD_HEADER + (guint)form);

    qwd_put_cmd(guard->data, time, &none, form);
    qwd_append_set(guard, time, number, 0);
    qwd_append_set(guard, time, 0, 0);
    write_watched(block, guard->data, guard->len);
    g_byte_array_unref(guard);
    return time;
}

static void write_end_of_qwd(const struct sanitize_block *block)
{
    uint8_t numbers[QWD_SET_BLOCK] = {0};

    memcpy(numbers, block->block.data, sizeof(float)); /* time of the block */
    numbers[4] = QWD_SET;
    pass_archive(block, numbers, sizeof numbers);
    write_watched(block, block->block.data, block->block.size);
}

/* Writes a QWD block; before the first one, the form guard, whose time is the minimum. */
static void write_qwd(const struct sanitize_block *block)
{
    const struct qs_view packet = qs_view_skip(block->block, block->payload);
    GByteArray *made = block->made;
    float first;

    if (!block->watch->last && !block->watch->behind) {
        first = write_form_guard(block);
        if (qs_float_of_bits(qs_le32(made->data)) < first)
            memcpy(made->data, &first, sizeof first);
    }
    if (block->payload && qwd_is_end(packet)) {
        write_end_of_qwd(block);
    } else if (!block->payload) {
        write_watched(block, made->data, made->len);
    } else if (packet.size >= 4 && qs_le32(packet.data) != UINT32_MAX) {
        sanitize_put_length(block, QWD_HEADER, 4);
        write_watched(block, made->data, made->len);
    }
}

/* --- MVD */

static enum qs_demo_status next_mvd(struct qs_reader *in, const struct qs_demo_writer *out,
                                    bool is_first)
{
    struct mvd_block block;

    (void)out, (void)is_first;
    return mvd_read_block(in, &block);
}

/* True if the block contains hidden messages, which are in blocks for no player. Only those of
 * numbers (damage, moves, weapons) stay: ezQuake reads a demo's time as 20 bytes of another
 * message. */
static bool is_hidden(const struct sanitize_block *block)
{
    const struct qw_session *session = (const struct qw_session *)block->decoder->session;
    struct qs_reader in = qs_reader_over(block->block.data, block->block.size);
    struct mvd_block read;

    return !qs_decoder_problems(block->decoder) && session->ext.mvd1 & MVD1_HIDDEN_MESSAGES &&
           qw_mvd_read_block(&in, &read) && read.type == MVD_MULTIPLE && !read.players;
}

static void write_mvd(const struct sanitize_block *block)
{
    static const uint8_t numbers[] = {0, MVD_SET, 0, 0, 0, 0, 0, 0, 0, 0};

    if (sanitize_has_messages(block) && block->made->data[block->payload] == SVC_DISCONNECT)
        pass_archive(block, numbers, sizeof numbers);
    if (!block->payload || (is_hidden(block) && !block->has_other)) {
        write_watched(block, block->block.data, block->block.size);
        return;
    }
    if (is_hidden(block))
        qs_demo_left_out(block->out, "hidden messages");
    sanitize_put_length(block, block->payload - 4, 4);
    write_watched(block, block->made->data, block->made->len);
}

const struct sanitize_format sanitize_qwd = {.extension = "qwd",
                                             .game = &sanitize_quakeworld,
                                             .first = 1,
                                             .header = 8, /* size of the netchan's header */
                                             .next = next_qwd,
                                             .decode = qwd_decode_block,
                                             .write = write_qwd};

const struct sanitize_format sanitize_mvd = {.extension = "mvd",
                                             .game = &sanitize_quakeworld,
                                             .first = 1,
                                             .next = next_mvd,
                                             .decode = qw_decode_mvd_block,
                                             .write = write_mvd};
