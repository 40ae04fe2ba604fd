/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/filter_qw.h"

#include "common/quakeworld/constants.h"

/*
 * The commands that players need: the server's settings, a level's beginning and end, and what is
 * seen of the game. Everything else is run by the player's console to no use, or worse: `packet`
 * sends real datagrams.
 */
static const struct command needed_commands[] = {
    {"fullserverinfo", COMMAND_INFO},
    {"skins", COMMAND_ALONE},
    {"changing", COMMAND_ALONE},
    {"reconnect", COMMAND_ALONE},
    {"bf", COMMAND_ALONE},
    {"//", COMMAND_REMARK},
    {NULL, COMMAND_ALONE},
};

void filter_qw_init(struct filter_qw *filter, struct qs_demo_writer *out)
{
    filter->out = out;
    stufftext_init(&filter->stufftext, out, SVC_STUFFTEXT, needed_commands, NULL);
}

void filter_qw_clear(struct filter_qw *filter)
{
    stufftext_clear(&filter->stufftext);
}

static bool has_download(const struct qs_decoder *decoder)
{
    for (guint i = 0; i < decoder->messages->len; i++)
        if (g_array_index(decoder->messages, struct qs_message, i).id == SVC_DOWNLOAD)
            return true;
    return false;
}

bool filter_qw_touches(const struct filter_qw *filter, const struct qs_decoder *decoder)
{
    return filter->out->sanitize || qs_packet_is_cut(decoder->packet) || has_download(decoder);
}

static void copy_message(struct filter_qw *filter, const struct qs_decoder *decoder,
                         const struct qs_message *message, struct qs_view bytes, GByteArray *out)
{
    const bool sanitize = filter->out->sanitize;

    if (message->id == SVC_DOWNLOAD)
        filter->out->counts.stripped++;
    else if (sanitize && message->has_odd_text)
        qs_demo_left_out_odd_text(filter->out, decoder->packet);
    else if (sanitize && message->id == SVC_STUFFTEXT)
        stufftext_filter(&filter->stufftext, bytes, out);
    else
        g_byte_array_append(out, bytes.data, bytes.size);
}

void filter_qw_append(struct filter_qw *filter, const struct qs_decoder *decoder,
                      struct qs_view content, uint32_t start, GByteArray *out)
{
    uint32_t end = start;

    for (guint i = 0; i < decoder->messages->len; i++) {
        const struct qs_message *message = &g_array_index(decoder->messages, struct qs_message, i);

        copy_message(filter, decoder, message,
                     (struct qs_view){content.data + message->offset, message->length}, out);
        end = message->offset + message->length;
    }
    /* Behind the last whole message of a packet that the capture cut is a torn one. */
    if (!filter->out->sanitize && !qs_packet_is_cut(decoder->packet))
        g_byte_array_append(out, content.data + end, content.size - end);
}
