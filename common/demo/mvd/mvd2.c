/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/mvd/mvd2.h"

#include "common/core/writer.h"
#include "common/quake2/mvd.h"
#include "common/quake2/quake2.h"
#include "common/quake2/session.h"

enum { FRAMES_A_SECOND = 10 };

enum qs_demo_status mvd2_read_block(struct qs_reader *in, struct qs_view *messages)
{
    const uint32_t left = qs_reader_left(in);
    uint32_t length;

    *messages = (struct qs_view){0};
    if (!left)
        return QS_DEMO_UNMARKED;
    if (left < Q2_MVD_LENGTH_SIZE)
        return QS_DEMO_CUT;
    length = qs_le16(in->data + in->pos);
    if (!length)
        return QS_DEMO_END;
    if (length > Q2_MVD_BLOCK_MAX)
        return QS_DEMO_BAD;
    if (length > left - Q2_MVD_LENGTH_SIZE)
        return QS_DEMO_CUT;
    qs_reader_take(in, Q2_MVD_LENGTH_SIZE);
    *messages = (struct qs_view){qs_reader_take(in, length), length};
    return QS_DEMO_BLOCK;
}

bool mvd2_begins_level(struct qs_view messages)
{
    return messages.size && (messages.data[0] & Q2_MVD_ID_MASK) == MVD_SERVERDATA;
}

/* --- The format --- */

static bool take_magic(struct qs_reader *in)
{
    const uint8_t *magic = qs_reader_take(in, Q2_MVD_MAGIC_SIZE);

    return magic && memcmp(magic, Q2_MVD_MAGIC, Q2_MVD_MAGIC_SIZE) == 0;
}

static enum qs_demo_status next_magic(struct qs_reader *in)
{
    const uint32_t left = MIN(qs_reader_left(in), (uint32_t)Q2_MVD_MAGIC_SIZE);

    if (memcmp(in->data + in->pos, Q2_MVD_MAGIC, left) != 0)
        return QS_DEMO_BAD;
    return take_magic(in) ? QS_DEMO_LINE : QS_DEMO_CUT;
}

static bool recognise(struct qs_view file)
{
    struct qs_reader in = qs_reader_over(file.data, file.size);

    return take_magic(&in);
}

static enum qs_demo_status next(struct qs_demo_reader *reader)
{
    struct qs_view messages;
    enum qs_demo_status status;

    if (!reader->begun)
        return next_magic(&reader->in);
    if (reader->ended)
        return qs_reader_left(&reader->in) ? QS_DEMO_BAD : QS_DEMO_END;
    status = mvd2_read_block(&reader->in, &messages);
    if (status != QS_DEMO_END)
        return status;
    reader->ended = true;
    qs_reader_take(&reader->in, Q2_MVD_LENGTH_SIZE);
    return QS_DEMO_BLOCK;
}

static double seconds(struct qs_demo_reader *reader, const struct qs_decoder *decoder)
{
    (void)reader;
    return (double)q2_session_of_const(decoder->session)->mvd_frames / FRAMES_A_SECOND;
}

/* A block without a byte in it. */
static void append_end(GByteArray *out, struct qs_view last)
{
    (void)last;
    qs_write_u16(out, 0);
}

const struct qs_demo_format qs_demo_mvd2 = {
    .extension = "mvd2",
    .protocol = &q2_protocol,
    .of_stream = true,
    .recognise = recognise,
    .next = next,
    .seconds = seconds,
    .decode_block = q2_decode_mvd_block,
    .append_end = append_end,
    .rebuilder = &mvd2_rebuilder,
    .packets = &mvd2_packets,
};
