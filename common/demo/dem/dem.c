/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/dem/dem.h"

#include <stdlib.h>

#include "common/core/writer.h"
#include "common/quake/constants.h"
#include "common/quake/session.h"

/* --- Reading --- */

enum qs_demo_status dem_read_header(struct qs_reader *in, int32_t *track)
{
    const uint32_t left = MIN(qs_reader_left(in), (uint32_t)DEM_HEADER_MAX);
    const uint8_t *line = in->data + in->pos;
    const uint8_t *feed = left ? memchr(line, '\n', left) : NULL;
    char text[DEM_HEADER_MAX];
    char *end;
    long number;

    if (!feed)
        return left == DEM_HEADER_MAX ? QS_DEMO_BAD : QS_DEMO_CUT;
    memcpy(text, line, (size_t)(feed - line));
    text[feed - line] = '\0';
    number = strtol(text, &end, 10);
    if (end == text || *end || number < INT32_MIN || number > INT32_MAX)
        return QS_DEMO_BAD;
    *track = (int32_t)number;
    qs_reader_bytes(in, (uint32_t)(feed - line) + 1);
    return QS_DEMO_LINE;
}

enum qs_demo_status dem_read_block(struct qs_reader *in, struct dem_block *block)
{
    struct qs_reader from = *in;
    uint32_t length;

    if (!qs_reader_left(in))
        return QS_DEMO_END;
    length = qs_reader_u32(&from);
    block->from_client = length & DEM_FROM_CLIENT;
    length &= ~DEM_FROM_CLIENT;
    if (!from.overrun && length > DEM_BLOCK_MAX)
        return QS_DEMO_BAD;
    block->view.pitch = qs_reader_float(&from);
    block->view.yaw = qs_reader_float(&from);
    block->view.roll = qs_reader_float(&from);
    block->messages = (struct qs_view){qs_reader_bytes(&from, length), length};
    if (from.overrun)
        return QS_DEMO_CUT;
    *in = from;
    return QS_DEMO_BLOCK;
}

/* --- Writing --- */

void dem_append_header(GByteArray *out, int32_t track)
{
    g_autofree char *line = g_strdup_printf("%d\n", track);

    g_byte_array_append(out, (const guint8 *)line, (guint)strlen(line));
}

void dem_append_block(GByteArray *out, const struct dem_angles *view, struct qs_view messages)
{
    qs_write_u32(out, messages.size);
    qs_write_float(out, view->pitch);
    qs_write_float(out, view->yaw);
    qs_write_float(out, view->roll);
    qs_write_view(out, messages);
}

void dem_set_view(uint8_t *block, const struct dem_angles *view)
{
    const float angles[] = {view->pitch, view->yaw, view->roll};

    for (unsigned i = 0; i < G_N_ELEMENTS(angles); i++) {
        const uint32_t bits = GUINT32_TO_LE(qs_bits_of_float(angles[i]));

        memcpy(block + 4 + 4 * i, &bits, sizeof bits);
    }
}

/* --- Decoding --- */

static void decode_track(struct qs_decoder *d)
{
    const struct qs_view line = qs_bytes(d, NQ_BLOCK_TRACK, d->in.size);

    qs_label_text(d, ": CD track ", line, "");
    qs_summary(d, "CD track");
}

static void decode_framing(struct qs_decoder *d)
{
    const uint32_t word = qs_u32(d, NQ_BLOCK_LENGTH_WORD);

    if (word & DEM_FROM_CLIENT)
        d->found.direction = QS_C2S;
    qs_open(d, NQ_BLOCK_VIEWANGLES);
    qs_f32(d, NQ_BLOCK_VIEWANGLES_PITCH);
    qs_f32(d, NQ_BLOCK_VIEWANGLES_YAW);
    qs_f32(d, NQ_BLOCK_VIEWANGLES_ROLL);
    qs_close(d);
    qs_label(d, ": %u bytes%s", word & ~DEM_FROM_CLIENT,
             word & DEM_FROM_CLIENT ? " from the client" : "");
}

void dem_decode_block(struct qs_decoder *d)
{
    const bool line = d->packet->number == 0;

    qs_open(d, NQ_BLOCK);
    if (line)
        decode_track(d);
    else
        decode_framing(d);
    qs_close(d);
    if (d->in.overrun) {
        qs_no_block(d);
    } else if (!line) {
        qs_enter_payload(d);
        d->protocol->decode_server_messages(d);
    }
}

/* --- Recognition, time and end of a file --- */

enum { ANGLE_MAX = 1000000 };

/* Requires a plausible length and angles of the first block: many files begin with a number. */
static bool recognize(struct qs_view file)
{
    struct qs_reader in = qs_reader_over(file.data, file.size);
    int32_t track;

    if (dem_read_header(&in, &track) != QS_DEMO_LINE || qs_reader_left(&in) < DEM_BLOCK_HEADER)
        return false;
    if (qs_reader_u32(&in) > DEM_BLOCK_MAX)
        return false;
    for (unsigned i = 0; i < 3; i++) {
        const float angle = qs_reader_float(&in);

        if (!(angle > -ANGLE_MAX && angle < ANGLE_MAX))
            return false;
    }
    return true;
}

/* Reads the line, then blocks. */
static enum qs_demo_status next(struct qs_demo_reader *reader)
{
    struct dem_block block;
    int32_t track;

    return reader->begun ? dem_read_block(&reader->in, &block)
                         : dem_read_header(&reader->in, &track);
}

/* Returns the seconds since the last call; the server's time is at `value`. */
static double passed(struct qs_demo_reader *reader, const uint8_t *value)
{
    const double time = (double)qs_float_of_bits(qs_le32(value));
    const double seconds = reader->timed ? time - reader->level_time : 0;

    reader->timed = true;
    reader->level_time = time;
    return seconds > 0 ? seconds : 0;
}

/*
 * Returns the demo's time in seconds. The server's time (svc_time, or svcfte_updateentities) starts
 * over in each level, at any value, so only the seconds that pass within levels count.
 */
static double seconds(struct qs_demo_reader *reader, const struct qs_decoder *decoder)
{
    const struct nq_session *session = (const struct nq_session *)decoder->session;
    const unsigned move_size = session->ext.fte2 & FTE2_PREDINFO ? 2 : 0; /* move's number */
    double time = reader->time;

    for (guint i = 0; i < decoder->found.messages->len; i++) {
        const struct qs_message *message = qs_message_at(decoder, i);

        if (decoder->found.direction != QS_S2C || message->source)
            continue;
        if (message->id == SVC_SERVERINFO)
            reader->timed = false;
        else if (message->id == SVC_TIME)
            time += passed(reader, decoder->payload.data + message->offset + 1);
        else if (message->id == SVCFTE_UPDATEENTITIES)
            time += passed(reader, decoder->payload.data + message->offset + 1 + move_size);
    }
    return time;
}

/* Appends svc_disconnect, with the view of the last block. */
static void append_end(GByteArray *out, struct qs_view last)
{
    static const uint8_t disconnect[] = {SVC_DISCONNECT};
    struct dem_block block = {0};
    struct qs_reader in = qs_reader_over(last.data, last.size);

    if (dem_read_block(&in, &block) != QS_DEMO_BLOCK)
        block.view = (struct dem_angles){0};
    dem_append_block(out, &block.view, (struct qs_view){disconnect, sizeof disconnect});
}

const struct qs_demo_file dem_file = {
    .recognize = recognize,
    .next = next,
    .seconds = seconds,
    .decode_block = dem_decode_block,
    .append_end = append_end,
};
