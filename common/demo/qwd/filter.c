/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/qwd/filter.h"

#include "common/core/containers.h"
#include "common/quakeworld/constants.h"

/* The bytes from `at` on, up to where those of the next one begin, for message `index`. */
struct replacement {
    guint index, at;
};

void filter_qw_init(struct filter_qw *filter, struct qs_demo_writer *out)
{
    filter->out = out;
    filter->replacements = g_array_new(FALSE, FALSE, sizeof(struct replacement));
    filter->replacing = g_byte_array_new();
}

void filter_qw_clear(struct filter_qw *filter)
{
    g_array_free(filter->replacements, TRUE);
    g_byte_array_free(filter->replacing, TRUE);
}

GByteArray *filter_qw_replace(struct filter_qw *filter, guint index)
{
    const struct replacement replacement = {.index = index, .at = filter->replacing->len};

    g_array_append_val(filter->replacements, replacement);
    return filter->replacing;
}

/* Appends what replaces message `index`, the `*next` of all, to `out`, if that is not NULL. False:
 * nothing replaces it. */
static bool append_replacement(struct filter_qw *filter, guint index, guint *next, GByteArray *out)
{
    const struct replacement *all = (const struct replacement *)(void *)filter->replacements->data;
    const guint count = filter->replacements->len;
    guint end;

    if (*next >= count || all[*next].index != index)
        return false;
    end = *next + 1 < count ? all[*next + 1].at : filter->replacing->len;
    if (out && end > all[*next].at)
        g_byte_array_append(out, filter->replacing->data + all[*next].at, end - all[*next].at);
    ++*next;
    return true;
}

bool filter_qw_touches(const struct filter_qw *filter, const struct qs_decoder *decoder)
{
    return filter->replacements->len || qs_packet_is_cut(decoder->packet) ||
           qs_has_message(decoder, SVC_DOWNLOAD);
}

void filter_qw_append(struct filter_qw *filter, const struct qs_decoder *decoder,
                      struct qs_view content, uint32_t start, GByteArray *out)
{
    uint32_t end = start;
    guint next = 0;

    for (guint i = 0; i < decoder->found.messages->len; i++) {
        const struct qs_message *message = qs_message_at(decoder, i);
        const bool is_kept = message->id != SVC_DOWNLOAD;

        end = message->offset + message->length;
        if (append_replacement(filter, i, &next, is_kept ? out : NULL))
            continue;
        if (is_kept)
            g_byte_array_append(out, content.data + message->offset, message->length);
        else
            filter->out->counts.stripped++;
    }
    /* Behind the last whole message of a packet that the capture cut is a torn one. */
    if (!qs_packet_is_cut(decoder->packet))
        g_byte_array_append(out, content.data + end, content.size - end);
    g_array_set_size(filter->replacements, 0);
    qs_bytes_empty(filter->replacing);
}
