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
