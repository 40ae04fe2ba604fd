/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/filter_qw.h"

#include "common/quakeworld/constants.h"

/*
 * The commands that players need: the server's settings, a level's beginning and end, and what is
 * seen of the game. Everything else is run by the player's console to no use, or worse: `packet`
 * sends real datagrams.
 */
static const char *const needed_commands[] = {"fullserverinfo", "skins", "changing",
                                              "reconnect",      "bf",    NULL};

void filter_qw_init(struct filter_qw *filter, struct qs_demo_writer *out)
{
    filter->out = out;
    stufftext_init(&filter->stufftext, out, needed_commands, NULL);
}

void filter_qw_clear(struct filter_qw *filter)
{
    stufftext_clear(&filter->stufftext);
}

bool filter_qw_touches(const struct filter_qw *filter, const struct qs_decoder *decoder)
{
    const bool sanitize = filter->out->sanitize;

    if (qs_packet_is_cut(decoder->packet))
        return true;
    for (guint i = 0; i < decoder->messages->len; i++) {
        const uint16_t id = g_array_index(decoder->messages, struct qs_message, i).id;

        if (id == SVC_DOWNLOAD || (id == SVC_STUFFTEXT && sanitize))
            return true;
    }
    return false;
}

static void copy_message(struct filter_qw *filter, struct qs_view message, uint16_t id,
                         GByteArray *out)
{
    if (id == SVC_DOWNLOAD)
        filter->out->counts.stripped++;
    else if (id == SVC_STUFFTEXT && filter->out->sanitize)
        stufftext_filter(&filter->stufftext, message, out);
    else
        g_byte_array_append(out, message.data, message.size);
}

void filter_qw_append(struct filter_qw *filter, const struct qs_decoder *decoder,
                      struct qs_view content, uint32_t start, GByteArray *out)
{
    uint32_t end = start;

    for (guint i = 0; i < decoder->messages->len; i++) {
        const struct qs_message *message = &g_array_index(decoder->messages, struct qs_message, i);

        copy_message(filter, (struct qs_view){content.data + message->offset, message->length},
                     message->id, out);
        end = message->offset + message->length;
    }
    /* Behind the last whole message of a packet that the capture cut is a torn one. */
    if (!qs_packet_is_cut(decoder->packet))
        g_byte_array_append(out, content.data + end, content.size - end);
}
