/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/infostring.h"

#include <string.h>

#include "common/core/text.h"

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

static bool begins_with(struct qs_view text, const char *start)
{
    const uint32_t size = (uint32_t)strlen(start);

    return text.size >= size && g_ascii_strncasecmp((const char *)text.data, start, size) == 0;
}

static bool names_file(struct qs_view key)
{
    static const char *const keys[] = {"skin", "map", "gamedir", "sky", "music", "dlURL", "cap"};

    if (key.size && key.data[0] == '*')
        key = (struct qs_view){key.data + 1, key.size - 1};
    for (unsigned i = 0; i < G_N_ELEMENTS(keys); i++)
        if (begins_with(key, keys[i]))
            return true;
    return false;
}

bool qs_info_pair_is_unsafe(struct qs_view key, struct qs_view value)
{
    return begins_with(key, "sv_dlURL") || qs_text_leads_out(key) || qs_text_leads_out(value) ||
           (names_file(key) && qs_file_name_is_unsafe(value)) ||
           (begins_with(key, "*version") && begins_with(value, "MVDSV 0.30"));
}

bool qs_info_is_unsafe(struct qs_view info)
{
    struct qs_info_pair pair;
    uint32_t pos = 0;

    while (qs_info_next(info, &pos, &pair))
        if (qs_info_pair_is_unsafe(pair.key, pair.value))
            return true;
    return false;
}

static void append_pair(GString *out, struct qs_view key, struct qs_view value)
{
    g_string_append_c(out, '\\');
    g_string_append_len(out, (const char *)key.data, key.size);
    g_string_append_c(out, '\\');
    g_string_append_len(out, (const char *)value.data, value.size);
}

static bool same_view(struct qs_view a, struct qs_view b)
{
    return a.size == b.size && (!a.size || memcmp(a.data, b.data, a.size) == 0);
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
    if (value.size)
        append_pair(out, key, value);
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
