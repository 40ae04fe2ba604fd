/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/dump/secret.h"

#include "common/core/decoder.h"
#include "common/core/infostring.h"
#include "common/core/text.h"

/* --- Credentials --- */

void qs_add_secret(struct qs_decoder *d, unsigned row, const char *purpose, struct qs_view user)
{
    struct qs_secret *secret;
    char *readable;

    if (d->in.overrun || d->secret_count == QS_SECRETS_MAX)
        return;
    secret = &d->secrets[d->secret_count++];
    *secret = (struct qs_secret){.row = row, .purpose = purpose};
    readable = qs_text_utf8(user);
    if (g_utf8_strlen(readable, -1) <= QS_SECRET_CHARACTERS)
        g_strlcpy(secret->user, readable, sizeof secret->user);
    g_free(readable);
}

/* "none" is what engines take for no password. */
void qs_add_userinfo_secret(struct qs_decoder *d, unsigned row, struct qs_view userinfo)
{
    const struct qs_view password = qs_info_value(userinfo, "password");

    if (password.size && !qs_view_equal(password, "none"))
        qs_add_secret(d, row, "server password", qs_info_value(userinfo, "name"));
}

/* --- What is known of a packet's passwords --- */

void qs_secrecy_init(struct qs_decoder *d)
{
    d->secrecy.masked = g_string_new(NULL);
}

void qs_secrecy_clear(struct qs_decoder *d)
{
    g_string_free(d->secrecy.masked, TRUE);
}

void qs_secrecy_begin(struct qs_decoder *d)
{
    d->secrecy.count = d->secrecy.span_count = 0;
    d->secrecy.too_many = false;
    d->secrecy.key = NULL;
}

static bool is_within(struct qs_view part, struct qs_view whole)
{
    return part.data >= whole.data && part.data + part.size <= whole.data + whole.size;
}

static bool is_known(const struct qs_secrecy *secrecy, struct qs_view secret)
{
    for (unsigned i = 0; i < secrecy->span_count; i++)
        if (is_within(secret, secrecy->spans[i]))
            return true;
    return false;
}

/* Texts of a session are elsewhere than the packet's bytes: they were told when they came. */
static void tell_sink(struct qs_decoder *d, struct qs_view secret)
{
    const struct qs_view bytes = {d->in.data, d->in.size};
    uint32_t offset;

    if (!d->sink || !d->sink->secret || !is_within(secret, bytes))
        return;
    offset = (uint32_t)(secret.data - d->in.data);
    d->sink->secret(d->sink, d->source_depth ? offset : d->origin + offset, secret.size);
}

static void remember(struct qs_decoder *d, struct qs_view secret)
{
    struct qs_secrecy *secrecy = &d->secrecy;

    if (!secret.size || is_known(secrecy, secret))
        return;
    secrecy->count++;
    tell_sink(d, secret);
    if (secrecy->span_count < QS_SECRET_SPANS_MAX)
        secrecy->spans[secrecy->span_count++] = secret;
    else
        secrecy->too_many = true;
}

/* --- Masks --- */

static void append_plain(GString *out, const uint8_t *from, const uint8_t *to)
{
    g_string_append_len(out, (const char *)from, (gssize)(to - from));
}

/* Whichever known password covers the byte `at`, or the empty view; `text` if it may be any. */
static struct qs_view span_over(const struct qs_secrecy *secrecy, struct qs_view text,
                                const uint8_t *at)
{
    if (secrecy->too_many)
        return text;
    for (unsigned i = 0; i < secrecy->span_count; i++)
        if (is_within((struct qs_view){at, 1}, secrecy->spans[i]))
            return secrecy->spans[i];
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
static struct qs_view masked(struct qs_secrecy *secrecy, struct qs_view text, bool each_byte)
{
    const uint8_t *at = text.data, *end = text.data + text.size, *plain = at;
    GString *out = secrecy->masked;

    g_string_truncate(out, 0);
    while (at < end) {
        const struct qs_view span = span_over(secrecy, text, at);
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

/* --- Where texts pass --- */

static void look_into(struct qs_decoder *d, struct qs_view text)
{
    struct qs_view secret;
    uint32_t pos = 0;

    while (qs_secret_next(text, d->direction != QS_S2C, &pos, &secret))
        remember(d, secret);
}

static void look_behind_key(struct qs_decoder *d, struct qs_view text)
{
    struct qs_view secret;

    if (d->secrecy.key && qs_secret_behind(d->secrecy.key, text, &secret))
        remember(d, secret);
}

bool qs_guard_value(struct qs_decoder *d, const struct qs_field *row, struct qs_value *value)
{
    struct qs_secrecy *secrecy = &d->secrecy;
    const bool is_text = row->type == QS_TEXT;

    if (row->secret && !is_text) {
        secrecy->count += value->u != 0;
        if (!value->u || secrecy->mode != QS_SECRETS_HIDDEN)
            return false;
        value->bytes = qs_view_of(QS_SECRET_MASK);
        return true;
    }
    if (!is_text && row->type != QS_BYTES)
        return false;
    if (row->secret)
        remember(d, value->bytes);
    else if (is_text && !value->generated)
        look_behind_key(d, value->bytes);
    look_into(d, value->bytes);
    if (is_text && !value->generated)
        secrecy->key = row->secret ? NULL : qs_secret_key(value->bytes);
    if (secrecy->mode == QS_SECRETS_HIDDEN && secrecy->span_count)
        value->bytes = masked(secrecy, value->bytes, !is_text);
    return false;
}

/* A value comes guarded. */
static bool is_guarded(const struct qs_secrecy *secrecy, struct qs_view text)
{
    return text.data == (const uint8_t *)secrecy->masked->str;
}

struct qs_view qs_guard_text(struct qs_decoder *d, struct qs_view text)
{
    if (d->secrecy.mode != QS_SECRETS_HIDDEN || is_guarded(&d->secrecy, text))
        return text;
    look_into(d, text);
    return d->secrecy.span_count ? masked(&d->secrecy, text, false) : text;
}
