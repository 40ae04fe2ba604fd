/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "common/core/text.h"

/* Characters for the font's first 32 glyphs. 128-159 are the same except for those in glyph(). */
static const char *const glyphs[32] = {
    "•", "•", "•", "•", "•", "•", "•", "•", "•", "\t", "\n", "•", "•", "\r", "•", "•",
    "[", "]", "0", "1", "2", "3", "4", "5", "6", "7",  "8",  "9", "•", "<",  "=", ">",
};

static const char *glyph(uint8_t byte)
{
    switch (byte) {
    case 0x80:
        return "(";
    case 0x81:
        return "=";
    case 0x82:
        return ")";
    case 0x89:
    case 0x8a:
        return "•";
    case 0x0b:
    case 0x8b:
        return "█";
    case 0x8d:
        return ">";
    case 0x7f:
    case 0xff:
        return "←";
    default:
        return glyphs[byte & 0x1f];
    }
}

static bool has_glyph_of_its_own(uint8_t byte)
{
    return (byte & 0x7f) < 0x20 || (byte & 0x7f) == 0x7f;
}

struct qs_view qs_view_of(const char *text)
{
    return (struct qs_view){(const uint8_t *)text, text ? (uint32_t)strlen(text) : 0};
}

void qs_text_append_utf8(GString *out, struct qs_view text)
{
    for (uint32_t i = 0; i < text.size; i++) {
        const uint8_t byte = text.data[i];

        if (has_glyph_of_its_own(byte))
            g_string_append(out, glyph(byte));
        else
            g_string_append_c(out, (char)(byte & 0x7f));
    }
}

char *qs_text_utf8(struct qs_view text)
{
    GString *out = g_string_sized_new(text.size + 1);

    qs_text_append_utf8(out, text);
    return g_string_free(out, FALSE);
}

char *qs_text_file_stem(const char *path)
{
    const char *base = path ? strrchr(path, '/') : NULL, *end;

    if (!path)
        return NULL;
    base = base ? base + 1 : path;
    end = strrchr(base, '.');
    return qs_text_utf8((struct qs_view){(const uint8_t *)base,
                                         (uint32_t)(end ? (size_t)(end - base) : strlen(base))});
}

struct qs_view qs_text_trimmed(struct qs_view text, uint8_t blank)
{
    while (text.size && text.data[text.size - 1] <= blank)
        text.size--;
    while (text.size && text.data[0] <= blank)
        text = (struct qs_view){text.data + 1, text.size - 1};
    return text;
}

bool qs_text_leads_out(struct qs_view text)
{
    return qs_view_contains(text, "../") || qs_view_contains(text, "..\\");
}

bool qs_text_is_plain(struct qs_view text)
{
    for (uint32_t i = 0; i < text.size; i++) {
        const uint8_t byte = text.data[i];

        if (byte >= 0x7f || (byte < 0x20 && byte != '\n' && byte != '\t' && byte != '\r'))
            return false;
    }
    return true;
}

char *qs_text_title(struct qs_view text, unsigned characters)
{
    const bool cut = text.size > characters;
    GString *out = g_string_new(NULL);

    if (cut)
        text.size = characters;
    qs_text_append_utf8(out, text);
    g_strdelimit(out->str, "\n\t\r", ' ');
    if (cut)
        g_string_append(out, "…");
    return g_string_free(out, FALSE);
}

enum { COLORED_QUOTE = '"' | 0x80 };

void qs_text_append_quoted(GString *out, struct qs_view text, unsigned characters)
{
    static const char escaped[] = "\n\t\r\"", letters[] = "ntr\"";

    for (uint32_t i = 0; i < MIN(text.size, characters); i++) {
        const uint8_t byte = text.data[i];
        const char *found = memchr(escaped, byte == COLORED_QUOTE ? '"' : byte, sizeof escaped - 1);

        if (found)
            g_string_append_printf(out, "\\%c", letters[found - escaped]);
        else
            qs_text_append_utf8(out, (struct qs_view){&byte, 1});
    }
    if (text.size > characters)
        g_string_append(out, "…");
}

bool qs_token_next(struct qs_view line, uint32_t *pos, struct qs_token *token)
{
    uint32_t at = *pos;
    uint32_t end;

    while (at < line.size && line.data[at] <= ' ')
        at++;
    if (at >= line.size) {
        *pos = line.size;
        return false;
    }
    token->offset = at;
    if (line.data[at] == '"') {
        for (end = ++at; end < line.size && line.data[end] != '"'; end++)
            ;
        *pos = end < line.size ? end + 1 : end;
    } else {
        for (end = at; end < line.size && line.data[end] > ' '; end++)
            ;
        *pos = end;
    }
    token->text = (struct qs_view){line.data + at, end - at};
    token->length = *pos - token->offset;
    return true;
}

uint32_t qs_command_end(struct qs_view text, uint32_t at)
{
    bool quoted = false;

    for (; at < text.size && text.data[at] != '\n'; at++) {
        if (text.data[at] == '"')
            quoted = !quoted;
        else if (text.data[at] == ';' && !quoted)
            break;
    }
    return at;
}

struct qs_view qs_view_up_to(struct qs_view text, const char *ends)
{
    const size_t count = strlen(ends) + 1;
    uint32_t size = 0;

    while (size < text.size && !memchr(ends, text.data[size], count))
        size++;
    return (struct qs_view){text.data, size};
}

bool qs_view_begins(struct qs_view text, const char *start)
{
    const size_t size = strlen(start);

    return text.size >= size && memcmp(text.data, start, size) == 0;
}

bool qs_view_contains(struct qs_view text, const char *other)
{
    const uint32_t length = (uint32_t)strlen(other);
    const uint8_t *at = text.data, *end;

    if (text.size < length || !text.size)
        return false;
    end = at + (text.size - length) + 1;
    while (at < end && (at = memchr(at, *other, (size_t)(end - at))))
        if (memcmp(at++, other, length) == 0)
            return true;
    return false;
}

bool qs_view_equal(struct qs_view text, const char *other)
{
    return strlen(other) == text.size && (!text.size || memcmp(text.data, other, text.size) == 0);
}

bool qs_view_is_one_of(struct qs_view text, const char *const *words)
{
    bool found = false;

    for (; *words && !found; words++)
        found = text.size == strlen(*words) &&
                g_ascii_strncasecmp((const char *)text.data, *words, text.size) == 0;
    return found;
}

bool qs_view_number(struct qs_view text, int64_t *number)
{
    return qs_view_number_within(text, INT64_MIN, INT64_MAX, number);
}

bool qs_view_number_within(struct qs_view text, int64_t low, int64_t high, int64_t *number)
{
    char digits[24] = "";

    *number = 0;
    if (!text.size || text.size >= sizeof digits || memchr(text.data, '\0', text.size))
        return false;
    memcpy(digits, text.data, text.size);
    return g_ascii_string_to_signed(digits, 10, low, high, number, NULL);
}

uint32_t qs_view_unsigned(struct qs_view text)
{
    char digits[24] = "";

    if (text.size < sizeof digits)
        memcpy(digits, text.data, text.size);
    return (uint32_t)strtoul(digits, NULL, 0);
}

/* True for characters without a glyph: terminals obey them, or they move the text after them. */
static bool is_control(gunichar c)
{
    switch (g_unichar_type(c)) {
    case G_UNICODE_CONTROL:
    case G_UNICODE_FORMAT:
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR:
        return true;
    default:
        return false;
    }
}

char *qs_text_printable(const char *text)
{
    const char *at = text;
    char *copy;
    GString *out;

    while (g_ascii_isprint(*at))
        at++;
    if (!*at)
        return g_strdup(text); /* the usual case */
    copy = g_utf8_make_valid(text, -1);
    out = g_string_new(NULL);
    for (at = copy; *at; at = g_utf8_next_char(at)) {
        const gunichar c = g_utf8_get_char(at);

        g_string_append_unichar(out, is_control(c) ? ' ' : c);
    }
    g_free(copy);
    return g_string_free(out, FALSE);
}

bool qs_text_safe_in_names(char c)
{
    return g_ascii_isalnum(c) || (c && strchr("_+-", c));
}

/* --- Info strings ----------------------------------------------------------------------------- */

static uint32_t part_end(struct qs_view info, uint32_t at)
{
    while (at < info.size && info.data[at] != '\\')
        at++;
    return at;
}

bool qs_info_next(struct qs_view info, uint32_t *pos, struct qs_info_pair *pair)
{
    uint32_t at = *pos;
    uint32_t end;

    if (at >= info.size)
        return false;
    *pair = (struct qs_info_pair){.offset = at};
    if (info.data[at] == '\\')
        at++;
    end = part_end(info, at);
    pair->key_offset = at;
    pair->key = (struct qs_view){info.data + at, end - at};
    pair->has_value = end < info.size;
    if (pair->has_value)
        end++;
    pair->value_offset = end;
    at = end;
    end = part_end(info, at);
    pair->value = (struct qs_view){info.data + at, end - at};
    pair->length = end - pair->offset;
    *pos = end;
    return true;
}

struct qs_view qs_info_value(struct qs_view info, const char *key)
{
    struct qs_info_pair pair;
    uint32_t pos = 0;

    while (qs_info_next(info, &pos, &pair))
        if (qs_view_equal(pair.key, key))
            return pair.value;
    return (struct qs_view){0};
}

static bool same_view(struct qs_view a, struct qs_view b)
{
    return a.size == b.size && (!a.size || memcmp(a.data, b.data, a.size) == 0);
}

bool qs_info_is_set(struct qs_view info, const char *key)
{
    const struct qs_view value = qs_info_value(info, key);

    return value.size && !qs_view_equal(value, "0");
}

char *qs_info_set(struct qs_view info, struct qs_view key, struct qs_view value, uint32_t max)
{
    GString *out = g_string_new_len((const char *)info.data, info.size);
    struct qs_info_pair pair;
    uint32_t pos = 0;

    while (qs_info_next((struct qs_view){(uint8_t *)out->str, (uint32_t)out->len}, &pos, &pair))
        if (same_view(pair.key, key)) {
            g_string_erase(out, pair.offset, pair.length);
            pos = pair.offset;
        }
    if (value.size) {
        g_string_append_c(out, '\\');
        g_string_append_len(out, (const char *)key.data, key.size);
        g_string_append_c(out, '\\');
        g_string_append_len(out, (const char *)value.data, value.size);
    }
    return g_string_free(out, out->len > max);
}

struct qs_view qs_info_cut(struct qs_view info, uint32_t max)
{
    struct qs_info_pair pair;
    uint32_t pos = 0;
    uint32_t end = 0;

    while (qs_info_next(info, &pos, &pair) && pos <= max)
        end = pos;
    info.size = end;
    return info;
}
