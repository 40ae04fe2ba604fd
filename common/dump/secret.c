/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/dump/secret.h"

#include "common/core/text.h"

/* --- What is known of a packet's passwords --- */

static bool is_within(struct qs_view part, struct qs_view whole)
{
    return part.data >= whole.data && part.data + part.size <= whole.data + whole.size;
}

static bool is_known(const struct qs_secret_redactor *redactor, struct qs_view secret)
{
    for (unsigned i = 0; i < redactor->span_count; i++)
        if (is_within(secret, redactor->spans[i]))
            return true;
    return false;
}

/* Texts of a session are not in the packet's bytes: they were reported when they came. */
static void report(const struct qs_decoder *d, struct qs_view secret)
{
    const struct qs_view bytes = {d->in.data, d->in.size};
    uint32_t offset;

    if (!d->sink || !d->sink->secret || !is_within(secret, bytes))
        return;
    offset = (uint32_t)(secret.data - d->in.data);
    d->sink->secret(d->sink, d->source_depth ? offset : d->origin + offset, secret.size);
}

static void remember(struct qs_secret_redactor *redactor, const struct qs_decoder *d,
                     struct qs_view secret)
{
    if (!secret.size || is_known(redactor, secret))
        return;
    redactor->count++;
    report(d, secret);
    if (redactor->span_count < QS_SECRET_SPANS_MAX)
        redactor->spans[redactor->span_count++] = secret;
    else
        redactor->too_many = true;
}

/* --- Masks --- */

static void append_plain(GString *out, const uint8_t *from, const uint8_t *to)
{
    g_string_append_len(out, (const char *)from, (gssize)(to - from));
}

/* Whichever known password covers the byte `at`, or the empty view; `text` if it may be any. */
static struct qs_view span_over(const struct qs_secret_redactor *redactor, struct qs_view text,
                                const uint8_t *at)
{
    if (redactor->too_many)
        return text;
    for (unsigned i = 0; i < redactor->span_count; i++)
        if (is_within((struct qs_view){at, 1}, redactor->spans[i]))
            return redactor->spans[i];
    return (struct qs_view){0};
}

static void append_mask(GString *out, uint32_t size, bool each_byte)
{
    if (!each_byte)
        g_string_append(out, QS_SECRET_MASK);
    for (uint32_t i = 0; each_byte && i < size; i++)
        g_string_append_c(out, '*');
}

/* The text with asterisks where passwords are known to be; the text itself where none is. */
static struct qs_view masked(struct qs_secret_redactor *redactor, struct qs_view text,
                             bool each_byte)
{
    const uint8_t *at = text.data, *end = text.data + text.size, *plain = at;
    GString *out = redactor->masked;

    g_string_truncate(out, 0);
    while (at < end) {
        const struct qs_view span = span_over(redactor, text, at);
        const uint8_t *stop = span.size ? MIN(span.data + span.size, end) : at + 1;

        if (span.size) {
            append_plain(out, plain, at);
            append_mask(out, (uint32_t)(stop - at), each_byte);
            plain = stop;
        }
        at = stop;
    }
    if (plain == text.data)
        return text;
    append_plain(out, plain, end);
    return (struct qs_view){(const uint8_t *)out->str, (uint32_t)out->len};
}

/* --- The redactor --- */

static void search(struct qs_secret_redactor *redactor, const struct qs_decoder *d,
                   struct qs_view text)
{
    struct qs_view secret;
    uint32_t pos = 0;

    while (qs_secret_next(text, d->found.direction != QS_S2C, &pos, &secret))
        remember(redactor, d, secret);
}

static void search_text(struct qs_secret_redactor *redactor, const struct qs_decoder *d,
                        const struct qs_field *row, struct qs_view text)
{
    struct qs_view secret;

    if (row->role != QS_ROLE_SECRET && redactor->key &&
        qs_secret_behind(redactor->key, text, &secret))
        remember(redactor, d, secret);
    redactor->key = row->role == QS_ROLE_SECRET ? NULL : qs_secret_key(text);
}

static const struct qs_field *redact_number(struct qs_secret_redactor *redactor,
                                            const struct qs_field *row, struct qs_value *value)
{
    redactor->count += value->u != 0;
    if (!value->u || !redactor->hide)
        return row;
    value->bytes = qs_view_of(QS_SECRET_MASK);
    redactor->mask = *row;
    redactor->mask.type = QS_TEXT;
    return &redactor->mask;
}

static const struct qs_field *redact_value(struct qs_redactor *base, const struct qs_decoder *d,
                                           const struct qs_field *row, struct qs_value *value)
{
    struct qs_secret_redactor *redactor = (struct qs_secret_redactor *)base;
    const bool is_text = row->type == QS_TEXT;

    if (row->role == QS_ROLE_SECRET && !is_text)
        return redact_number(redactor, row, value);
    if (!is_text && row->type != QS_BYTES)
        return row;
    if (row->role == QS_ROLE_SECRET)
        remember(redactor, d, value->bytes);
    if (is_text && !value->generated)
        search_text(redactor, d, row, value->bytes);
    search(redactor, d, value->bytes);
    if (redactor->hide && redactor->span_count)
        value->bytes = masked(redactor, value->bytes, !is_text);
    return row;
}

static struct qs_view redact_text(struct qs_redactor *base, const struct qs_decoder *d,
                                  struct qs_view text)
{
    struct qs_secret_redactor *redactor = (struct qs_secret_redactor *)base;
    const bool is_value = text.data == (const uint8_t *)redactor->masked->str;

    if (!redactor->hide || is_value)
        return text;
    search(redactor, d, text);
    return redactor->span_count ? masked(redactor, text, false) : text;
}

static void begin_packet(struct qs_redactor *base)
{
    struct qs_secret_redactor *redactor = (struct qs_secret_redactor *)base;

    redactor->count = redactor->span_count = 0;
    redactor->too_many = false;
    redactor->key = NULL;
}

void qs_secret_redactor_init(struct qs_secret_redactor *redactor, bool hide)
{
    *redactor = (struct qs_secret_redactor){
        .base = {.begin = begin_packet, .value = redact_value, .text = redact_text},
        .hide = hide,
        .masked = g_string_new(NULL)};
}

void qs_secret_redactor_clear(struct qs_secret_redactor *redactor)
{
    g_string_free(redactor->masked, TRUE);
}
