/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Protocol extensions: their announcement, and the messages that they allow. Source: PROTOCOL.md,
 * section 1; common/quakeworld/PROTOCOL.md, sections 5 and 6.
 */
#include "common/fte/fte.h"

/* --- Numbers of variable length --------------------------------------------------------------- */

/*
 * FTE's encodings of numbers in few bytes. Source: PROTOCOL.md, section 5; fteqw common.c
 * MSG_ReadULEB128, MSG_ReadUInt64, MSG_ReadInt64, MSG_ReadBigEntity.
 */

uint64_t fte_read_uleb128(struct qs_reader *in)
{
    uint64_t value = 0;
    uint8_t byte;
    unsigned shift = 0;

    do {
        byte = qs_reader_u8(in);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    return value;
}

int32_t fte_uleb128_biased(struct qs_decoder *d, unsigned id, int32_t bias)
{
    const uint32_t at = d->in.pos;
    const int32_t value = (int32_t)((uint32_t)fte_read_uleb128(&d->in) - (uint32_t)bias);

    qs_emit_int(d, id, at, d->in.pos - at, value);
    return value;
}

/* Reads a number whose first byte has a leading one bit for each later byte, highest byte first. */
static uint64_t read_varint(struct qs_reader *in)
{
    uint8_t first = qs_reader_u8(in);
    unsigned more = 0;
    uint64_t value;

    for (unsigned bit = 0x80; first & bit; bit >>= 1) {
        first = (uint8_t)(first & ~bit);
        more++;
    }
    value = more < 8 ? (uint64_t)first << (more * 8) : 0;
    while (more--)
        value |= (uint64_t)qs_reader_u8(in) << (more * 8);
    return value;
}

/* Reads a number whose lowest bit is the sign: 0, -1, 1, -2, … */
static int64_t read_signed_varint(struct qs_reader *in)
{
    const uint64_t folded = read_varint(in);

    return folded & 1 ? -1 - (int64_t)(folded >> 1) : (int64_t)(folded >> 1);
}

static uint32_t read_big_entity(struct qs_reader *in)
{
    const uint32_t entity = qs_reader_u16(in);

    return entity & 0x8000 ? (entity & 0x7fff) << 8 | qs_reader_u8(in) : entity;
}

#define FTE_VALUE_READER(function, type, read, emit)                                               \
    type function(struct qs_decoder *d, unsigned id)                                               \
    {                                                                                              \
        const uint32_t at = d->in.pos;                                                             \
        const type value = (type)read(&d->in);                                                     \
                                                                                                   \
        emit(d, id, at, d->in.pos - at, value);                                                    \
        return value;                                                                              \
    }

FTE_VALUE_READER(fte_uleb128, uint32_t, fte_read_uleb128, qs_emit_uint)
FTE_VALUE_READER(fte_uleb128_short, uint16_t, fte_read_uleb128, qs_emit_uint)
FTE_VALUE_READER(fte_varint, uint32_t, read_varint, qs_emit_uint)
FTE_VALUE_READER(fte_varint_signed, int16_t, read_signed_varint, qs_emit_int)
FTE_VALUE_READER(fte_varint64, uint64_t, read_varint, qs_emit_uint)
FTE_VALUE_READER(fte_varint64_signed, int64_t, read_signed_varint, qs_emit_int)
FTE_VALUE_READER(fte_big_entity, uint32_t, read_big_entity, qs_emit_uint)

uint32_t fte_entity(struct qs_decoder *d, unsigned id)
{
    return fte_session(d)->fte2 & FTE2_REPLACEMENTDELTAS ? fte_big_entity(d, id) : qs_u16(d, id);
}

/* --- Pairs of key and value --- */

static int flags_row(uint32_t key)
{
    switch (key) {
    case EXTENSION_FTE:
        return FTE_WORD_FTE;
    case EXTENSION_FTE2:
        return FTE_WORD_FTE2;
    case EXTENSION_MVD1:
        return FTE_WORD_MVD1;
    default:
        return -1;
    }
}

/* Emits mvdsv's meaning of FTE2's bit 1 in a server's packet; a client's has FTE's meaning. */
static void emit_meaning(struct qs_decoder *d, struct fte_extension extension, uint32_t offset,
                         uint32_t length)
{
    const struct fte_game *game = fte_session(d)->game;

    if (extension.key == EXTENSION_FTE2 && extension.value & FTE2_PRYDONCURSOR &&
        d->found.direction == QS_S2C && game->server_is_mvdsv && game->server_is_mvdsv(d->session))
        qs_emit_generated_text(d, FTE2_BIT_1_MEANING, offset, length, "VOICECHAT");
}

static void emit_flags(struct qs_decoder *d, struct fte_extension extension, uint32_t offset,
                       uint32_t length)
{
    const int row = flags_row(extension.key);

    if (row < 0)
        return;
    qs_emit_generated_uint(d, (unsigned)row, offset, length, extension.value);
    emit_meaning(d, extension, offset, length);
}

struct fte_extension fte_emit_extension_words(struct qs_decoder *d, const struct qs_token *key,
                                              const struct qs_token *value, uint32_t offset)
{
    const struct fte_extension extension = {qs_view_unsigned(key->text),
                                            qs_view_unsigned(value->text)};
    const uint32_t at = offset + value->offset;

    qs_open_at(d, FTE_EXTENSION, offset + key->offset);
    qs_label(d, ": 0x%x", extension.value);
    qs_emit_uint(d, FTE_EXTENSION_KEY, offset + key->offset, key->length, extension.key);
    qs_emit_uint(d, FTE_EXTENSION_VALUE, at, value->length, extension.value);
    emit_flags(d, extension, at, value->length);
    qs_close_at(d, at + value->length);
    return extension;
}

void fte_emit_pext(struct qs_decoder *d, struct qs_view command, uint32_t offset)
{
    struct qs_token key, value;
    uint32_t pos = 0;

    if (!qs_token_next(command, &pos, &key) || !qs_view_equal(key.text, "pext"))
        return;
    while (qs_token_next(command, &pos, &key) && qs_token_next(command, &pos, &value))
        fte_emit_extension_words(d, &key, &value, offset);
}

bool fte_next_is_extension(const struct qs_decoder *d)
{
    return qs_reader_left(&d->in) >= 8 && qs_name_of(fte_extension_names, qs_peek_u32(d));
}

/* The key vlen has a length and data after its value. Source: fteqw CLQW_ParseServerData. */
struct fte_extension fte_read_extension(struct qs_decoder *d)
{
    struct fte_extension extension;

    qs_open(d, FTE_EXTENSION);
    extension.key = qs_u32(d, FTE_EXTENSION_KEY);
    extension.value = qs_u32(d, FTE_EXTENSION_VALUE);
    if (!d->in.overrun)
        emit_flags(d, extension, d->in.pos - 4, 4);
    qs_label(d, ": 0x%x", extension.value);
    if (extension.key == EXTENSION_VLEN)
        qs_bytes(d, FTE_EXTENSION_DATA, qs_u32(d, FTE_EXTENSION_LENGTH));
    qs_close(d);
    return extension;
}

/* --- Agreed extensions --- */

static void agree(struct fte_session *session, struct fte_extension extension)
{
    if (extension.key == EXTENSION_FTE)
        session->fte = extension.value;
    else if (extension.key == EXTENSION_FTE2)
        session->fte2 = extension.value;
    else if (extension.key == EXTENSION_MVD1)
        session->mvd1 = extension.value;
}

/* Emits the agreed extensions, which the pairs from `start` on have changed. */
static void emit_agreed(struct qs_decoder *d, uint32_t start)
{
    const struct fte_session *session = fte_session(d);
    const uint32_t length = d->in.pos - start;

    qs_emit_generated_uint(d, FTE_AGREED_FTE, start, length, session->fte);
    qs_emit_generated_uint(d, FTE_AGREED_FTE2, start, length, session->fte2);
    qs_emit_generated_uint(d, FTE_AGREED_MVD1, start, length, session->mvd1);
}

void fte_read_agreement(struct qs_decoder *d)
{
    const uint32_t start = d->in.pos;

    while (fte_next_is_extension(d))
        agree(fte_session(d), fte_read_extension(d));
    if (d->in.pos > start)
        emit_agreed(d, start);
}

void fte_describe(const struct fte_session *session, GString *text)
{
    if (session->fte)
        g_string_append_printf(text, " FTE 0x%x", session->fte);
    if (session->fte2)
        g_string_append_printf(text, " FTE2 0x%x", session->fte2);
    if (session->mvd1)
        g_string_append_printf(text, " MVD1 0x%x", session->mvd1);
}

/* --- Messages and formats that extensions change --- */

static bool is_allowed(const struct fte_message *message, const struct fte_session *session)
{
    return (message->fte & session->fte) || (message->fte2 & session->fte2) ||
           (message->mvd1 & session->mvd1);
}

const struct qs_message_type *fte_allowed_message(const struct qs_decoder *d,
                                                  const struct fte_message *table, size_t count,
                                                  uint32_t id)
{
    const struct fte_session *session = fte_session(d);

    /* The usual case: no extension is agreed. */
    if (!(session->fte | session->fte2 | session->mvd1))
        return NULL;
    return id < count && is_allowed(&table[id], session) ? &table[id].type : NULL;
}

enum qs_coord_format fte_widen_coords(struct qs_decoder *d)
{
    const enum qs_coord_format before = d->coord_format;

    if (fte_session(d)->mvd1 & MVD1_FLOATCOORDS)
        d->coord_format = QS_COORD_FLOAT32;
    return before;
}

void fte_stop_malformed(struct qs_decoder *d, uint32_t offset, const char *what, uint32_t value)
{
    if (d->in.overrun)
        return;
    qs_note(d, QS_NOTE_MALFORMED, offset, d->in.pos - offset, "%s 0x%x", what, value);
    d->stop = true;
}

char *qs_extension_bits_text(const struct qs_protocol *protocol, const char *extension,
                             uint32_t bits)
{
    g_autofree char *low = g_ascii_strdown(extension, -1);
    g_autofree char *prefix = g_strconcat(protocol->name, ".extension.", low, ".", NULL);
    GString *text = g_string_new(NULL);

    for (unsigned i = 0; i < protocol->field_count; i++) {
        const struct qs_field *field = &protocol->fields[i];

        if (field->mask & bits && g_str_has_prefix(field->name, prefix))
            g_string_append_printf(text, "%s%s", text->len ? ", " : "",
                                   field->name + strlen(prefix));
    }
    return g_string_free(text, FALSE);
}
