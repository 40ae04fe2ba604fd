/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/support/invariants.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/core/inflate.h"
#include "common/dump/dump.h"

struct group {
    const struct qs_field *field;
    uint32_t offset;
    unsigned sources; /* that were open before it */
};

G_GNUC_NORETURN G_GNUC_PRINTF(2, 3) static void broken(const char *name, const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "broken promise: %s: ", name ? name : "packet");
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    abort();
}

static struct invariants *self(struct qs_sink *base)
{
    return (struct invariants *)base;
}

/* --- Single promises --- */

static void check_range(const struct invariants *invariants, const char *name, uint32_t offset,
                        uint32_t length)
{
    const uint32_t size = invariants->sizes[invariants->sources];

    if (offset > size || length > size - offset)
        broken(name, "is at %u+%u of %u bytes", offset, length, size);
}

static void check_row(const struct invariants *invariants, const struct qs_field *field)
{
    const struct qs_protocol *protocol = invariants->base.protocol;

    if (field < protocol->fields || field >= protocol->fields + protocol->field_count)
        broken(NULL, "a field that is no row of %s", protocol->name);
    if (!field->name)
        broken(NULL, "a row of %s without a name", protocol->name);
}

static void check_utf8(const char *name, const char *text)
{
    if (!g_utf8_validate(text, -1, NULL))
        broken(name, "text is not UTF-8");
}

static void check_unsigned(const struct qs_field *field, uint64_t value)
{
    const unsigned bits = qs_type_bits(field->type);

    /* A word that is a truth value may have any bit set: it is true then. */
    if (field->type != QS_BOOL && bits < 64 && value >> bits)
        broken(field->name, "%" G_GUINT64_FORMAT " does not fit its type", value);
    if (field->mask && value > field->mask >> __builtin_ctz(field->mask))
        broken(field->name, "%" G_GUINT64_FORMAT " does not fit its mask", value);
}

/* Reads each byte, so that a sanitizer sees a view that outlived its bytes. */
static void check_bytes(struct invariants *invariants, const struct qs_field *field,
                        struct qs_view bytes)
{
    if (bytes.size && !bytes.data)
        broken(field->name, "%u bytes of nothing", bytes.size);
    if ((field->type == QS_IPV4 && bytes.size != 4) || (field->type == QS_IPV6 && bytes.size != 16))
        broken(field->name, "an address of %u bytes", bytes.size);
    for (uint32_t i = 0; i < bytes.size; i++)
        invariants->bytes += bytes.data[i];
}

static void check_value(struct invariants *invariants, const struct qs_field *field,
                        const struct qs_value *value)
{
    switch (qs_type_kind(field->type)) {
    case QS_KIND_NONE:
        broken(field->name, "a group with a value");
    case QS_KIND_BOOL:
    case QS_KIND_UNSIGNED:
        check_unsigned(field, value->u);
        break;
    case QS_KIND_SIGNED:
        if (!qs_type_holds(field->type, value->i))
            broken(field->name, "%" G_GINT64_FORMAT " does not fit its type", value->i);
        break;
    case QS_KIND_REAL:
    case QS_KIND_TIME:
    case QS_KIND_DURATION:
        break;
    case QS_KIND_BYTES:
        check_bytes(invariants, field, value->bytes);
        break;
    }
    if (field->type == QS_TEXT) { /* as dumps print it; of numbers there are many */
        g_autoptr(GString) text = g_string_new(NULL);

        qs_value_append(text, field, value);
        check_utf8(field->name, text->str);
        if (strlen(text->str) != text->len)
            broken(field->name, "its text has a NUL");
    }
}

/* --- The sink --- */

static void on_open(struct qs_sink *base, const struct qs_field *field, uint32_t offset)
{
    struct invariants *invariants = self(base);
    const struct group group = {field, offset, invariants->sources};

    check_row(invariants, field);
    if (field->type != QS_GROUP)
        broken(field->name, "opens, but is no group");
    check_range(invariants, field->name, offset, 0);
    g_array_append_val(invariants->open, group);
}

static void on_close(struct qs_sink *base, uint32_t end)
{
    struct invariants *invariants = self(base);
    const struct group *group;

    if (!invariants->open->len)
        broken(NULL, "a group closes that never opened");
    group = &g_array_index(invariants->open, struct group, invariants->open->len - 1);
    if (group->sources != invariants->sources)
        broken(group->field->name, "closes in another source than it opened in");
    if (end < group->offset)
        broken(group->field->name, "ends at %u and begins at %u", end, group->offset);
    check_range(invariants, group->field->name, group->offset, end - group->offset);
    g_array_set_size(invariants->open, invariants->open->len - 1);
}

static void on_field(struct qs_sink *base, const struct qs_field *field,
                     const struct qs_value *value)
{
    struct invariants *invariants = self(base);

    check_row(invariants, field);
    check_range(invariants, field->name, value->offset, value->length);
    check_value(invariants, field, value);
    invariants->fields++;
    if (field == &base->protocol->fields[base->protocol->undecoded])
        invariants->undecoded += value->length;
}

static void on_label(struct qs_sink *base, const char *text)
{
    if (!self(base)->open->len)
        broken(NULL, "a title outside of all groups");
    check_utf8("title", text);
}

static void on_note(struct qs_sink *base, enum qs_note kind, uint32_t offset, uint32_t length,
                    const char *text)
{
    struct invariants *invariants = self(base);

    if ((unsigned)kind >= QS_NOTE_KINDS)
        broken(NULL, "note of no kind");
    if (!(base->protocol->notes & QS_NOTE_BIT(kind)))
        broken(qs_note_kinds[kind].suffix, "a note that %s does not give", base->protocol->name);
    check_range(invariants, qs_note_kinds[kind].suffix, offset, length);
    check_utf8(qs_note_kinds[kind].suffix, text);
    invariants->notes[kind]++;
}

static void on_source(struct qs_sink *base, const char *title, const uint8_t *data, uint32_t size)
{
    struct invariants *invariants = self(base);

    if (!data) {
        if (!invariants->sources)
            broken("source", "ends that never began");
        invariants->sources--;
        return;
    }
    check_utf8("source", title);
    invariants->inflated += g_str_has_prefix(title, "Inflated") ? size : 0;
    if (invariants->inflated > QS_INFLATED_MAX)
        broken(title, "%" G_GUINT64_FORMAT " bytes of one packet", invariants->inflated);
    if (invariants->sources == QS_SOURCES_MAX)
        broken(title, "nested too deep");
    invariants->sizes[++invariants->sources] = size;
}

/* --- A packet --- */

void invariants_init(struct invariants *invariants)
{
    *invariants = (struct invariants){.base = {.open = on_open,
                                               .close = on_close,
                                               .field = on_field,
                                               .label = on_label,
                                               .note = on_note,
                                               .source = on_source}};
    invariants->open = g_array_new(FALSE, FALSE, sizeof(struct group));
}

void invariants_clear(struct invariants *invariants)
{
    g_array_free(invariants->open, TRUE);
}

static void check_messages(const struct qs_decoder *decoder)
{
    for (guint i = 0; i < decoder->found.messages->len; i++) {
        const struct qs_message *message =
            &g_array_index(decoder->found.messages, struct qs_message, i);

        if (message->source == 0 && (message->offset > decoder->packet->size ||
                                     message->length > decoder->packet->size - message->offset))
            broken(NULL, "message %u is at %u+%u of %u bytes", i, message->offset, message->length,
                   decoder->packet->size);
    }
}

static void check_counts(const struct invariants *invariants, const struct qs_decoder *decoder)
{
    if (invariants->undecoded != decoder->found.undecoded)
        broken(NULL, "%u bytes undecoded, %" G_GUINT64_FORMAT " of them shown",
               decoder->found.undecoded, invariants->undecoded);
    for (unsigned i = 0; i < QS_NOTE_KINDS; i++)
        if (invariants->notes[i] != decoder->found.notes[i])
            broken(qs_note_kinds[i].suffix, "%u notes, %" G_GUINT64_FORMAT " of them shown",
                   decoder->found.notes[i], invariants->notes[i]);
}

static void decode(struct qs_decoder *decoder, struct qs_session *session, struct qs_sink *sink,
                   const struct qs_packet *packet)
{
    if (packet->pdu)
        qs_decode_pdu(decoder, session, sink, packet);
    else
        qs_decode(decoder, session, sink, packet);
}

static bool are_same_messages(const GArray *a, const GArray *b)
{
    if (a->len != b->len)
        return false;
    for (guint i = 0; i < a->len; i++) {
        const struct qs_message *one = &g_array_index(a, struct qs_message, i);
        const struct qs_message *other = &g_array_index(b, struct qs_message, i);

        if (one->offset != other->offset || one->length != other->length || one->id != other->id ||
            one->source != other->source || one->is_unlisted != other->is_unlisted)
            return false;
    }
    return true;
}

static bool are_same_numbers(const struct qs_netchan *a, const struct qs_netchan *b)
{
    return a->sequence == b->sequence && a->seen == b->seen && a->accepted == b->accepted &&
           a->missing == b->missing && a->not_captured == b->not_captured &&
           a->last_gap.from == b->last_gap.from && a->last_gap.counted == b->last_gap.counted &&
           a->restarts == b->restarts;
}

/* A decode without a sink finds the same, and leaves the session in the same state. */
static void check_silence(const struct qs_decoder *decoder, const struct qs_session *session,
                          const struct qs_decoder *silent, const struct qs_session *copy)
{
    const struct {
        const char *what;
        bool is_same;
    } parts[] = {{"messages", are_same_messages(decoder->found.messages, silent->found.messages)},
                 {"problems", decoder->found.problems == silent->found.problems},
                 {"header", decoder->found.accepted == silent->found.accepted &&
                                decoder->found.sequence == silent->found.sequence &&
                                decoder->found.acknowledged == silent->found.acknowledged},
                 {"path", decoder->found.path.choked == silent->found.path.choked &&
                              decoder->found.path.loss == silent->found.path.loss},
                 {"numbers", are_same_numbers(&session->to_client, &copy->to_client) &&
                                 are_same_numbers(&session->to_server, &copy->to_server)},
                 {"session", session->disconnected == copy->disconnected &&
                                 session->level == copy->level &&
                                 session->may_inflate == copy->may_inflate}};

    for (unsigned i = 0; i < G_N_ELEMENTS(parts); i++)
        if (!parts[i].is_same)
            broken(parts[i].what, "not the same without a sink, of packet %" G_GUINT64_FORMAT,
                   decoder->packet->number);
}

void invariants_decode(struct invariants *invariants, struct qs_decoder *decoder,
                       struct qs_session *session, const struct qs_packet *packet)
{
    struct qs_session *copy = NULL;
    struct qs_decoder silent;

    if (invariants->compare_silent) {
        copy = g_malloc(decoder->protocol->session_size);
        decoder->protocol->session_copy(copy, session);
        qs_decoder_init(&silent, decoder->protocol);
        silent.options = decoder->options;
        decode(&silent, copy, NULL, packet);
    }
    invariants->sizes[0] = packet->size;
    invariants->sources = 0;
    invariants->fields = invariants->undecoded = invariants->inflated = 0;
    memset(invariants->notes, 0, sizeof invariants->notes);
    g_array_set_size(invariants->open, 0);
    decode(decoder, session, &invariants->base, packet);
    if (copy) {
        check_silence(decoder, session, &silent, copy);
        qs_decoder_clear(&silent);
        decoder->protocol->session_clear(copy);
        g_free(copy);
    }
    if (invariants->open->len)
        broken(g_array_index(invariants->open, struct group, 0).field->name, "never closes");
    if (invariants->sources)
        broken("source", "never ends");
    check_counts(invariants, decoder);
    check_messages(decoder);
    if (decoder->want_summary)
        check_utf8("summary", decoder->found.summary->str);
}

/* A sum of what a decode found. */
static uint64_t outcome(struct invariants *invariants, struct qs_decoder *decoder,
                        struct qs_session *session, const struct qs_packet *packet)
{
    uint64_t sum;

    invariants->bytes = 0;
    invariants_decode(invariants, decoder, session, packet);
    sum = invariants->bytes * 31 + invariants->fields * 7 + decoder->found.undecoded;
    for (unsigned i = 0; i < QS_NOTE_KINDS; i++)
        sum = sum * 31 + decoder->found.notes[i];
    return sum * 31 + decoder->found.messages->len;
}

void invariants_decode_twice(struct invariants *invariants, struct qs_decoder *decoder,
                             struct qs_session *session, const struct qs_packet *packet)
{
    const struct qs_protocol *protocol = decoder->protocol;
    struct qs_session *copy = g_malloc(protocol->session_size);
    uint64_t first;

    protocol->session_copy(copy, session);
    first = outcome(invariants, decoder, copy, packet);
    if (first != outcome(invariants, decoder, session, packet))
        broken("session", "a copy of it shows another packet");
    protocol->session_clear(copy);
    g_free(copy);
}
