/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/dump/json_writer.h"

/* --- Structure */

char *qs_json_room(struct qs_json *json, size_t size)
{
    char *at = qs_room(json->out, size + 1);

    if (json->comma)
        *at++ = ',';
    json->comma = true;
    return at;
}

static void begin(struct qs_json *json, char bracket)
{
    char *at = qs_json_room(json, 1);

    *at++ = bracket;
    qs_room_end(json->out, at);
    json->comma = false;
}

static void end(struct qs_json *json, char bracket)
{
    char *at = qs_room(json->out, 1);

    *at++ = bracket;
    qs_room_end(json->out, at);
    json->comma = true;
}

void qs_json_begin_object(struct qs_json *json)
{
    begin(json, '{');
}

void qs_json_end_object(struct qs_json *json)
{
    end(json, '}');
}

void qs_json_begin_array(struct qs_json *json)
{
    begin(json, '[');
}

void qs_json_end_array(struct qs_json *json)
{
    end(json, ']');
}

void qs_json_key(struct qs_json *json, const char *key)
{
    const size_t size = strlen(key);
    char *at = qs_json_room(json, size + 3);

    *at++ = '"';
    at = qs_put_text(at, key, size);
    *at++ = '"';
    *at++ = ':';
    qs_room_end(json->out, at);
    json->comma = false;
}

/* --- Texts */

void qs_json_bytes(struct qs_json *json, struct qs_view bytes)
{
    char *at = qs_json_room(json, 2 * (size_t)bytes.size + 2);

    *at++ = '"';
    at = qs_put_bytes(at, bytes);
    *at++ = '"';
    qs_room_end(json->out, at);
}

enum { ESCAPE_MAX = 6, DELETE = 0x7f, C1_LAST = 0x9f };

static char *put_escape(char *at, unsigned c)
{
    static const char digits[] = "0123456789ABCDEF", short_ones[] = "\"\\\b\f\n\r\t";
    const char *found = memchr(short_ones, (int)c, sizeof short_ones - 1);

    *at++ = '\\';
    if (found) {
        *at++ = "\"\\bfnrt"[found - short_ones];
        return at;
    }
    at = qs_put_text(at, "u00", 3);
    *at++ = digits[c >> 4];
    *at++ = digits[c & 0xf];
    return at;
}

static bool needs_escape(unsigned c)
{
    return c < ' ' || c == '"' || c == '\\' || (c >= DELETE && c <= C1_LAST);
}

/* Appends a character that is not plain ASCII. Returns its size in `text` (bytes). */
static size_t put_character(char **at, const char *text, size_t size)
{
    static const char replacement[] = "\xef\xbf\xbd";
    enum { LAST = 0x10ffff }; /* GLib's values for invalid characters are larger */
    /* GLib treats a NUL as the end. */
    const gunichar c = *text ? g_utf8_get_char_validated(text, (gssize)size) : 0;
    const size_t length = (size_t)(g_utf8_next_char(text) - text);

    if (c > LAST) {
        *at = qs_put_text(*at, replacement, sizeof replacement - 1);
        return 1;
    }
    *at = needs_escape(c) ? put_escape(*at, c) : qs_put_text(*at, text, length);
    return length;
}

static bool is_plain(char c)
{
    return (signed char)c >= ' ' && c != '"' && c != '\\' && c != DELETE;
}

void qs_json_string_sized(struct qs_json *json, const char *text, size_t size)
{
    char *at = qs_json_room(json, ESCAPE_MAX * size + 2);

    *at++ = '"';
    for (size_t i = 0; i < size;) {
        if (is_plain(text[i]))
            *at++ = text[i++];
        else
            i += put_character(&at, text + i, size - i);
    }
    *at++ = '"';
    qs_room_end(json->out, at);
}

/* --- Other values */

static void put_word(struct qs_json *json, const char *word)
{
    const size_t size = strlen(word);

    qs_room_end(json->out, qs_put_text(qs_json_room(json, size), word, size));
}

void qs_json_bool(struct qs_json *json, bool value)
{
    put_word(json, value ? "true" : "false");
}

void qs_json_null(struct qs_json *json)
{
    put_word(json, "null");
}

void qs_json_uint(struct qs_json *json, uint64_t value)
{
    qs_room_end(json->out, qs_put_uint(qs_json_room(json, QS_NUMBER_MAX), value));
}

void qs_json_int(struct qs_json *json, int64_t value)
{
    qs_room_end(json->out, qs_put_int(qs_json_room(json, QS_NUMBER_MAX), value));
}

bool qs_json_real(struct qs_json *json, double value)
{
    if (!qs_is_finite(value))
        return false;
    qs_room_end(json->out, qs_put_exact_real(qs_json_room(json, QS_NUMBER_MAX), value));
    return true;
}

void qs_json_int_at(struct qs_json *json, gsize offset, int64_t value)
{
    char digits[QS_NUMBER_MAX];
    const char *end = qs_put_int(digits, value);

    g_string_insert_len(json->out, (gssize)offset, digits, end - digits);
}
