/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/actions/cut_frames.h"

#include "pcap2demo/capture/pair.h"

/* What of a conversation belongs to a session. */
struct stretch {
    unsigned session;
    uint64_t first, last; /* numbers of packets */
};

static void stretches_free(gpointer data)
{
    g_array_free(data, TRUE);
}

struct cut_frames *cut_frames_new(const char *name)
{
    struct cut_frames *frames = g_new0(struct cut_frames, 1);

    frames->name = g_strdup(name);
    frames->kept = g_byte_array_new();
    frames->pairs = g_hash_table_new_full(pair_hash, pair_equal, g_free, stretches_free);
    return frames;
}

void cut_frames_free(gpointer data)
{
    struct cut_frames *frames = data;

    g_free(frames->name);
    g_byte_array_free(frames->kept, TRUE);
    g_hash_table_destroy(frames->pairs);
    g_free(frames);
}

/* --- By number ------------------------------------------------------------------------------- */

void cut_frames_keep(struct cut_frames *frames, uint64_t number)
{
    const guint byte = (guint)(number / 8), length = frames->kept->len;

    if (byte >= length) {
        g_byte_array_set_size(frames->kept, byte + 1);
        memset(frames->kept->data + length, 0, byte + 1 - length);
    }
    frames->kept->data[byte] |= (uint8_t)(1u << (number % 8));
}

bool cut_frames_has(const struct cut_frames *frames, uint64_t number)
{
    const guint byte = (guint)(number / 8);

    return byte < frames->kept->len && frames->kept->data[byte] >> (number % 8) & 1;
}

/* --- By conversation ------------------------------------------------------------------------- */

static GArray *stretches_of(struct cut_frames *frames, const struct qs_packet *packet)
{
    const struct pair pair = {{packet->source, packet->destination}};
    GArray *stretches = g_hash_table_lookup(frames->pairs, &pair);

    if (!stretches) {
        stretches = g_array_new(FALSE, FALSE, sizeof(struct stretch));
        g_hash_table_insert(frames->pairs, g_memdup2(&pair, sizeof pair), stretches);
    }
    return stretches;
}

void cut_frames_stretch(struct cut_frames *frames, unsigned session, const struct qs_packet *packet,
                        bool to_end)
{
    GArray *stretches = stretches_of(frames, packet);
    const struct stretch new = {session, packet->unit ? 0 : packet->number,
                                to_end ? UINT64_MAX : packet->number};

    for (guint i = 0; i < stretches->len; i++) {
        struct stretch *old = &g_array_index(stretches, struct stretch, i);

        if (old->session == session) {
            old->first = MIN(old->first, new.first);
            old->last = MAX(old->last, new.last);
            return;
        }
    }
    g_array_append_val(stretches, new);
}

bool cut_frames_covers(const struct cut_frames *frames, const struct qs_packet *packet)
{
    const struct pair pair = {{packet->source, packet->destination}};
    const GArray *stretches = g_hash_table_lookup(frames->pairs, &pair);

    for (guint i = 0; stretches && i < stretches->len; i++) {
        const struct stretch *stretch = &g_array_index(stretches, struct stretch, i);

        if (packet->number >= stretch->first && packet->number <= stretch->last)
            return true;
    }
    return false;
}
