/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Session, numbers, and messages that both ends send. */
#include "common/acknex/decode.h"
#include "common/core/text.h"

/* --- The session ------------------------------------------------------------------------------ */

void acknex_session_init(struct qs_session *session)
{
    *(struct acknex_session *)session = (struct acknex_session){0};
    qs_session_init(session);
}

void acknex_session_copy(struct qs_session *to, const struct qs_session *from)
{
    struct acknex_session *target = (struct acknex_session *)to;
    const struct acknex_session *source = (const struct acknex_session *)from;

    *target = *source;
    qs_table_copy(&target->texts, &source->texts);
    qs_table_copy(&target->requested, &source->requested);
    qs_table_copy(&target->files, &source->files);
    qs_table_copy(&target->players, &source->players);
}

bool acknex_session_shares(const struct qs_session *a, const struct qs_session *b)
{
    const struct acknex_session *one = (const struct acknex_session *)a;
    const struct acknex_session *other = (const struct acknex_session *)b;

    return qs_table_shares(&one->texts, &other->texts) &&
           qs_table_shares(&one->requested, &other->requested) &&
           qs_table_shares(&one->files, &other->files) &&
           qs_table_shares(&one->players, &other->players);
}

static void forget_entities(struct acknex_session *session)
{
    qs_table_clear(&session->requested);
    qs_table_clear(&session->files);
    qs_table_clear(&session->players);
}

void acknex_session_clear(struct qs_session *session)
{
    struct acknex_session *known = (struct acknex_session *)session;

    qs_table_clear(&known->texts);
    forget_entities(known);
}

void acknex_session_join(struct acknex_session *session, struct qs_view player)
{
    if (!session->base.connection || session->base.version)
        qs_session_connect(&session->base);
    acknex_session_clear(&session->base);
    qs_table_set(&session->texts, ACKNEX_TEXT_PLAYER, player);
}

void acknex_session_begin_level(struct acknex_session *session, struct qs_view level)
{
    const char *before = qs_table_get(&session->texts, ACKNEX_TEXT_LEVEL);

    if (before && !qs_view_equal(level, before))
        forget_entities(session);
    session->base.level++;
    qs_table_set(&session->texts, ACKNEX_TEXT_LEVEL, level);
}

static char *readable(const char *text)
{
    return text ? qs_text_utf8(qs_view_of(text)) : NULL;
}

void acknex_session_describe(const struct qs_session *session, struct qs_description *description)
{
    const struct acknex_session *known = (const struct acknex_session *)session;

    *description = (struct qs_description){
        .version = session->version ? g_strdup_printf("%d", session->version) : NULL,
        .map = readable(qs_table_get(&known->texts, ACKNEX_TEXT_LEVEL)),
        .player = readable(qs_table_get(&known->texts, ACKNEX_TEXT_PLAYER)),
    };
}

double acknex_fixed(struct qs_decoder *d, unsigned row)
{
    const uint32_t at = d->in.pos;
    const double value = (int32_t)qs_reader_u32(&d->in) / 1024.0;

    qs_emit_double(d, row, at, 4, value);
    return value;
}

double acknex_packed(struct qs_decoder *d, unsigned row)
{
    const uint32_t at = d->in.pos;
    const uint8_t *bytes = qs_reader_bytes(&d->in, 3);
    const int32_t raw = bytes ? qs_le16(bytes) + (int8_t)bytes[2] * 0x10000 : 0;
    const double value = raw / 128.0;

    qs_emit_double(d, row, at, 3, value);
    return value;
}

double acknex_quarter(struct qs_decoder *d, unsigned row)
{
    return qs_scaled_i16(d, row, 1.0 / 256) / 256.0;
}

void acknex_angle(struct qs_decoder *d, unsigned row)
{
    const uint32_t at = d->in.pos;
    const bool intel = qs_option(d, ACKNEX_ANGLE_BYTE_ORDER) == ACKNEX_ANGLE_INTEL;
    const uint16_t raw = intel ? qs_reader_u16(&d->in) : qs_reader_u16be(&d->in);

    qs_emit_double(d, row, at, 2, raw * 360.0 / 65535);
}

void acknex_scaled(struct qs_decoder *d, unsigned row, unsigned range)
{
    const uint32_t at = d->in.pos;

    qs_emit_double(d, row, at, 1, qs_reader_u8(&d->in) * range / 255.0);
}

void acknex_vector(struct qs_decoder *d, unsigned row, acknex_number *read)
{
    double x, y, z;

    qs_open(d, row);
    x = read(d, row + 1);
    y = read(d, row + 2);
    z = read(d, row + 3);
    qs_label(d, ": (%g %g %g)", x, y, z);
    qs_close(d);
}

void acknex_cposition(struct qs_decoder *d, unsigned row)
{
    const bool fixed = qs_option(d, ACKNEX_POS_RESOLUTION) == ACKNEX_POS_FIXED;

    acknex_vector(d, row, fixed ? acknex_fixed : acknex_packed);
}

void acknex_emit_entity(struct qs_decoder *d, int32_t index, uint32_t length)
{
    const struct acknex_session *session = acknex_session_of(d);
    const uint32_t at = d->in.pos - length;
    const char *file = qs_table_get(&session->files, (uint32_t)index);
    const char *player = qs_table_get(&session->players, (uint32_t)index);

    if (d->in.overrun)
        return;
    qs_emit_generated_text(d, ACKNEX_ENTITY_FILE, at, length, file);
    qs_emit_generated_text(d, ACKNEX_ENTITY_PLAYER, at, length, player);
    qs_label(d, ": entity %d", index);
    if (file)
        qs_label_text(d, " (", qs_view_of(file), ")");
}

void acknex_summarize_entity(struct qs_decoder *d, int32_t index)
{
    const struct acknex_session *session = acknex_session_of(d);
    const char *file = qs_table_get(&session->files, (uint32_t)index);

    qs_summary(d, " entity %d", index);
    if (file)
        qs_summary_text(d, " (", qs_view_of(file), ")");
}

bool acknex_alone(const struct qs_decoder *d)
{
    return !d->found.messages->len && !qs_reader_left(&d->in) && !d->in.overrun;
}

int16_t acknex_read_entity(struct qs_decoder *d)
{
    const int16_t index = qs_i16(d, ACKNEX_ENTITY);

    acknex_emit_entity(d, index, 2);
    return index;
}

void acknex_read_var(struct qs_decoder *d)
{
    const int16_t index = qs_i16(d, ACKNEX_VAR_INDEX);
    const uint32_t at = d->in.pos;
    const int16_t length = qs_i16(d, ACKNEX_VAR_LENGTH);

    if (length < 0) {
        qs_note(d, QS_NOTE_MALFORMED, at, 2, "Variable of negative length %d", length);
        d->stop = true;
    }
    for (int i = 0; i < length && !d->in.overrun; i++)
        acknex_fixed(d, ACKNEX_VAR_VALUE);
    qs_label(d, length == 1 ? ": variable %d" : ": array %d", index);
    if (acknex_alone(d))
        qs_summary(d, " %d", index);
}

void acknex_read_string(struct qs_decoder *d)
{
    const int16_t index = qs_i16(d, ACKNEX_STRING_INDEX);
    const struct qs_view text = qs_text(d, ACKNEX_STRING_TEXT);

    qs_label(d, ": string %d", index);
    qs_label_text(d, " = \"", text, "\"");
    qs_summary(d, " %d", index);
    qs_summary_quote(d, "", text);
}

static void read_skill_head(struct qs_decoder *d)
{
    const int16_t entity = acknex_read_entity(d);

    qs_i16(d, ACKNEX_SKILL_OFFSET);
    acknex_summarize_entity(d, entity);
}

void acknex_read_skill(struct qs_decoder *d)
{
    read_skill_head(d);
    acknex_fixed(d, ACKNEX_SKILL);
}

void acknex_read_skill3(struct qs_decoder *d)
{
    read_skill_head(d);
    acknex_vector(d, ACKNEX_SKILL3, acknex_fixed);
}
