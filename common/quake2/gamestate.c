/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Start of a level: config strings and baselines, each alone (svc_configstring, svc_spawnbaseline),
 * in a row (svc_gamestate), or compressed (svc_configblast, svc_spawnbaselineblast). Source:
 * dm2-format, sections 3.14 and 3.15; PROTOCOL.md, sections 7, 17 and 19.
 */
#include "common/core/inflate.h"
#include "common/core/text.h"
#include "common/quake2/decode.h"

void q2_read_source(struct qs_decoder *d, const char *title, GBytes *source,
                    void (*read)(struct qs_decoder *))
{
    struct q2_tracker *tracker = q2_tracker(d);
    gsize size;
    const uint8_t *data = g_bytes_get_data(source, &size);

    if (tracker)
        q2_tracker_source(tracker, source);
    if (!qs_push_source(d, title, data, (uint32_t)size))
        return; /* buffers nest only twice: joined and inflated */
    read(d);
    qs_pop_source(d);
}

static void name_range(struct qs_decoder *d, uint32_t at, uint16_t index)
{
    enum q2_range range;
    uint32_t number;

    if (d->in.overrun)
        return;
    if (!q2_configstring_range(q2_session_of(d->session), index, &range, &number)) {
        qs_note(d, QS_NOTE_MALFORMED, at, 2, "Config string %u exceeds the maximum of %u", index,
                q2_configstring_end(q2_session_of(d->session)) - 1);
        return;
    }
    qs_emit_generated_uint(d, Q2_CONFIGSTRING_RANGE, at, 2, range);
    qs_emit_generated_uint(d, Q2_CONFIGSTRING_NUMBER, at, 2, number);
    if (qs_label_wanted(d))
        qs_label(d, " %s %u", qs_name_of(q2_configstring_names, range), number);
}

static void read_configstring_text(struct qs_decoder *d, uint32_t at, uint16_t index)
{
    struct q2_session *session = q2_session_of(d->session);
    enum q2_range range;
    struct qs_view text;
    uint32_t number;

    name_range(d, at, index);
    text = qs_text(d, Q2_CONFIGSTRING_TEXT);
    qs_label_text(d, ": ", text, "");
    if (d->in.overrun)
        return;
    q2_configstring_set(session, index, text);
    if (q2_configstring_range(session, index, &range, &number) && range == Q2_RANGE_PLAYERSKINS)
        qs_add_player_event(d, QS_PLAYER_INFO, number, text.size != 0);
}

enum qs_role q2_config_role(uint32_t range, uint32_t number)
{
    switch (range) {
    case Q2_RANGE_STATUSBAR:
        return QS_ROLE_LAYOUT;
    case Q2_RANGE_PLAYERSKINS:
        return QS_ROLE_PLAYER;
    case Q2_RANGE_CDTRACK:
    case Q2_RANGE_SKY:
    case Q2_RANGE_IMAGES:
        return QS_ROLE_FILE;
    case Q2_RANGE_SOUNDS:
        return QS_ROLE_SOUND;
    case Q2_RANGE_MODELS:
        return number == 1 ? QS_ROLE_NONE : QS_ROLE_MODEL; /* the map */
    default:
        return QS_ROLE_NAME; /* as short as one */
    }
}

void q2_read_configstring(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;

    read_configstring_text(d, at, qs_u16(d, Q2_CONFIGSTRING_INDEX));
}

void q2_read_configstring_stream(struct qs_decoder *d)
{
    const uint32_t end = q2_configstring_end(q2_session_of(d->session));

    while (!d->in.overrun) {
        const uint32_t at = d->in.pos;
        const uint16_t index = qs_reader_u16(&d->in);

        if (index == end || d->in.overrun) {
            qs_emit_uint(d, Q2_STREAM_END, at, 2, index);
            return;
        }
        qs_open_at(d, Q2_CONFIGSTRING, at);
        qs_emit_uint(d, Q2_CONFIGSTRING_INDEX, at, 2, index);
        read_configstring_text(d, at, index);
        qs_close(d);
    }
}

void q2_read_spawnbaseline(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const struct q2_entity_mask mask = q2_read_entity_mask(d);

    if (!mask.number && !d->in.overrun)
        qs_note(d, QS_NOTE_MALFORMED, at, d->in.pos - at, "Baseline of entity 0");
    q2_read_baseline(d, mask);
}

void q2_read_baseline_stream(struct qs_decoder *d)
{
    struct q2_entity_mask mask;

    do {
        qs_open(d, Q2_ENTITY);
        mask = q2_read_entity_mask(d);
        if (mask.number)
            q2_read_baseline(d, mask);
        qs_close(d);
    } while (mask.number && !d->in.overrun);
}

void q2_read_gamestate(struct qs_decoder *d)
{
    q2_read_configstring_stream(d);
    q2_read_baseline_stream(d);
}

/* --- Compressed gamestates --- */

/* Inflates a zlib stream to its end. Returns NULL if it is invalid or too long. */
static GBytes *inflate_whole(struct qs_decoder *d, uint32_t at, struct qs_view packed)
{
    struct qs_inflate_stream stream = {0};
    GByteArray *out = g_byte_array_new();
    uint32_t used;
    const bool good = qs_inflate_more(d, &stream, at, packed, out, &used);

    qs_inflate_stream_clear(&stream);
    if (good)
        return g_byte_array_free_to_bytes(out);
    g_byte_array_free(out, TRUE);
    return NULL;
}

static void read_blast(struct qs_decoder *d, const char *title, void (*read)(struct qs_decoder *))
{
    const uint32_t at = d->in.pos;
    const uint16_t size = qs_u16(d, Q2_BLAST_SIZE);
    struct qs_view packed;
    GBytes *inflated;

    qs_u16(d, Q2_BLAST_UNPACKED);
    packed = qs_bytes(d, Q2_BLAST_DATA, size);
    if (d->in.overrun)
        return;
    inflated = inflate_whole(d, at, packed);
    if (!inflated)
        return;
    q2_read_source(d, title, inflated, read);
    g_bytes_unref(inflated);
}

static void read_configstrings(struct qs_decoder *d)
{
    while (qs_reader_left(&d->in)) {
        qs_open(d, Q2_CONFIGSTRING);
        q2_read_configstring(d);
        qs_close(d);
    }
    qs_undecoded(d);
}

static void read_baselines(struct qs_decoder *d)
{
    while (qs_reader_left(&d->in)) {
        qs_open(d, Q2_ENTITY);
        q2_read_baseline(d, q2_read_entity_mask(d));
        qs_close(d);
    }
    qs_undecoded(d);
}

void q2_read_configblast(struct qs_decoder *d)
{
    read_blast(d, "Inflated config strings", read_configstrings);
}

void q2_read_spawnbaselineblast(struct qs_decoder *d)
{
    read_blast(d, "Inflated baselines", read_baselines);
}
