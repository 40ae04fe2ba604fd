/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/emit.h"

#include "common/core/infostring.h"
#include "common/core/summary.h"
#include "common/core/text.h"

/* The rows with a mask behind an unmasked integer row are its parts. */
static void emit_parts(struct qs_decoder *d, unsigned id, const struct qs_value *whole)
{
    const struct qs_field *row = &d->protocol->fields[id];

    if (row->mask)
        return;
    while (++id < d->protocol->field_count && d->protocol->fields[id].mask) {
        const uint32_t mask = d->protocol->fields[id].mask;
        struct qs_value part = *whole;

        part.u = (whole->u & mask) >> g_bit_nth_lsf(mask, -1);
        d->sink->field(d->sink, &d->protocol->fields[id], &part);
    }
}

/* An offset as sinks count: in the innermost source, or from the origin on. */
static uint32_t location(const struct qs_decoder *d, uint32_t offset)
{
    return d->source_depth ? offset : d->origin + offset;
}

void qs_emit_value(struct qs_decoder *d, unsigned id, const struct qs_value *value)
{
    const struct qs_field *row = &d->protocol->fields[id], *shown = row;
    struct qs_value located = *value;

    if (d->in.overrun)
        return;
    if (d->guard)
        shown = d->guard->value(d->guard, d, row, &located);
    if (d->want_summary && row->brief)
        qs_summary_value(d, row, &located);
    if (!d->fields_wanted)
        return;
    located.offset = location(d, value->offset);
    d->sink->field(d->sink, shown, &located);
    if (shown == row)
        emit_parts(d, id, &located);
}

#define QS_EMITTER_WANTED(function, type, member, derived)                                         \
    void function##_wanted(struct qs_decoder *d, unsigned id, uint32_t offset, uint32_t length,    \
                           type value)                                                             \
    {                                                                                              \
        qs_emit_value(d, id, &(struct qs_value){offset, length, derived, .member = value});        \
    }

QS_EMITTERS(QS_EMITTER_WANTED)

void qs_emit_generated_text(struct qs_decoder *d, unsigned id, uint32_t offset, uint32_t length,
                            const char *text)
{
    if (text)
        qs_emit_generated_bytes(d, id, offset, length, qs_view_of(text));
}

void qs_open_at(struct qs_decoder *d, unsigned id, uint32_t offset)
{
    if (d->fields_wanted && d->sink->open)
        d->sink->open(d->sink, &d->protocol->fields[id], location(d, offset));
}

void qs_close_at(struct qs_decoder *d, uint32_t end)
{
    if (d->fields_wanted && d->sink->close)
        d->sink->close(d->sink, location(d, end));
}

void qs_label(struct qs_decoder *d, const char *format, ...)
{
    va_list arguments;
    char *text;

    if (!qs_label_wanted(d))
        return;
    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    d->sink->label(d->sink, text);
    g_free(text);
}

void qs_label_text(struct qs_decoder *d, const char *before, struct qs_view text, const char *after)
{
    char *readable;

    if (!qs_label_wanted(d))
        return;
    readable = qs_text_title(text, QS_TITLE_CHARACTERS);
    qs_label(d, "%s%s%s", before, readable, after);
    g_free(readable);
}

void qs_note(struct qs_decoder *d, enum qs_note kind, uint32_t offset, uint32_t length,
             const char *format, ...)
{
    va_list arguments;
    char *text;

    d->notes[kind]++;
    d->problems += qs_note_kinds[kind].problem;
    if (!d->sink || !d->sink->note)
        return;
    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    d->sink->note(d->sink, kind, location(d, offset), length, text);
    g_free(text);
}

/* --- Credentials --- */

void qs_add_credential(struct qs_decoder *d, unsigned row, const char *purpose, struct qs_view user)
{
    struct qs_credential *credential;
    char *readable;

    if (d->in.overrun || d->credential_count == QS_CREDENTIALS_MAX)
        return;
    credential = &d->credentials[d->credential_count++];
    *credential = (struct qs_credential){.row = row, .purpose = purpose};
    readable = qs_text_utf8(user);
    if (g_utf8_strlen(readable, -1) <= QS_USER_CHARACTERS)
        g_strlcpy(credential->user, readable, sizeof credential->user);
    g_free(readable);
}

/* "none" is what engines take for no password. */
void qs_add_userinfo_credential(struct qs_decoder *d, unsigned row, struct qs_view userinfo)
{
    const struct qs_view password = qs_info_value(userinfo, "password");

    if (password.size && !qs_view_equal(password, "none"))
        qs_add_credential(d, row, "server password", qs_info_value(userinfo, "name"));
}
