/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/dm2/dm2.h"

#include "common/demo/dm2/late_join.h"

#include "common/quake2/fields.h"
#include "common/quake2/names.h"
#include "common/quake2/quake2.h"

enum qs_demo_status dm2_read_block(struct qs_reader *in, struct qs_view *block)
{
    const uint32_t left = qs_reader_left(in);
    uint32_t length;

    *block = (struct qs_view){0};
    if (!left)
        return QS_DEMO_UNMARKED;
    if (left < DM2_HEADER)
        return QS_DEMO_CUT;
    length = qs_le32(in->data + in->pos);
    if (length == UINT32_MAX)
        return QS_DEMO_END;
    /* Server-side recordings begin with a block of this size too; no engine writes longer ones. */
    if (length > DM2_EXTENDED_BLOCK_MAX)
        return QS_DEMO_BAD;
    if (length > left - DM2_HEADER)
        return QS_DEMO_CUT;
    qs_reader_take(in, DM2_HEADER);
    *block = (struct qs_view){qs_reader_take(in, length), length};
    return QS_DEMO_BLOCK;
}

static void append_length(GByteArray *out, uint32_t length)
{
    const uint32_t bytes = GUINT32_TO_LE(length);

    g_byte_array_append(out, (const uint8_t *)&bytes, DM2_HEADER);
}

GByteArray *dm2_block_new(void)
{
    return g_byte_array_set_size(g_byte_array_new(), DM2_HEADER);
}

void dm2_end_block(GByteArray *block)
{
    const uint32_t length = GUINT32_TO_LE(block->len - DM2_HEADER);

    memcpy(block->data, &length, sizeof length);
}

void dm2_append_block(GByteArray *out, struct qs_view messages)
{
    append_length(out, messages.size);
    if (messages.size)
        g_byte_array_append(out, messages.data, messages.size);
}

void dm2_append_end(GByteArray *out)
{
    append_length(out, UINT32_MAX);
}

/* --- Decoding --- */

static void decode_block(struct qs_decoder *d)
{
    int32_t length;

    qs_open(d, Q2_BLOCK);
    length = qs_i32(d, Q2_BLOCK_LENGTH);
    if (length > 0)
        qs_label(d, ": %d bytes", length);
    else
        qs_label(d, ": %s", length ? "the demo's end" : "empty");
    qs_close(d);
    if (d->in.overrun) {
        qs_no_block(d);
        return;
    }
    qs_enter_payload(d);
    d->protocol->decode_server_messages(d);
}

/* --- The format --- */

static bool is_version(uint32_t version)
{
    return q2_is_decoded((int32_t)version, 0) || qs_name_of(q2_undecoded_names, version);
}

/*
 * It begins with svc_serverdata; so does each level's part. The test release numbers it otherwise.
 */
static bool recognise(struct qs_view file)
{
    enum { LEVEL_BEGINS = 5 };
    struct qs_reader in = qs_reader_over(file.data, file.size);
    struct qs_view block;
    uint32_t version;

    if (dm2_read_block(&in, &block) != QS_DEMO_BLOCK || block.size < LEVEL_BEGINS)
        return false;
    version = qs_le32(block.data + 1);
    return is_version(version) &&
           (block.data[0] == SVC_SERVERDATA || version == Q2_PROTOCOL_TEST_RELEASE);
}

static enum qs_demo_status next(struct qs_demo_reader *reader)
{
    struct qs_view block;
    enum qs_demo_status status;

    if (reader->ended)
        return qs_reader_left(&reader->in) ? QS_DEMO_BAD : QS_DEMO_END;
    status = dm2_read_block(&reader->in, &block);
    if (status == QS_DEMO_UNMARKED && reader->unmarked)
        return QS_DEMO_END;
    if (status != QS_DEMO_END)
        return status;
    reader->ended = true;
    qs_reader_take(&reader->in, DM2_HEADER);
    return QS_DEMO_BLOCK;
}

static double seconds(struct qs_demo_reader *reader, const struct qs_decoder *decoder)
{
    const struct q2_session *session = q2_session_of_const(decoder->session);

    reader->unmarked =
        session->record == Q2_RECORD_SERVER || session->base.version == Q2_PROTOCOL_TEST_RELEASE;
    for (guint i = 0; i < decoder->messages->len; i++)
        reader->frames += g_array_index(decoder->messages, struct qs_message, i).id == SVC_FRAME;
    return (double)reader->frames / (q2_is_rerelease(session->base.version) && session->frame_rate
                                         ? session->frame_rate
                                         : 10);
}

static void append_end(GByteArray *out, struct qs_view last)
{
    (void)last;
    dm2_append_end(out);
}

const struct qs_demo_format qs_demo_dm2 = {
    .extension = "dm2",
    .protocol = &q2_protocol,
    .recognise = recognise,
    .next = next,
    .seconds = seconds,
    .decode_block = decode_block,
    .append_end = append_end,
    .rebuilder = &dm2_rebuilder,
    .late_join = &dm2_late_join,
    .packets = &dm2_packets,
};
