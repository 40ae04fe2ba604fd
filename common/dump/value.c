/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/dump/dump.h"

#include <arpa/inet.h>
#include <time.h>

#include "common/core/numeric_text.h"
#include "common/core/text.h"

static void append_ip(GString *out, uint8_t family, const uint8_t *bytes)
{
    char text[INET6_ADDRSTRLEN];

    if (inet_ntop(family == 6 ? AF_INET6 : AF_INET, bytes, text, sizeof text))
        g_string_append(out, text);
}

/* Appends " (PF_MSEC)", or nothing if the value has no name. */
static void append_name(GString *out, const struct qs_field *field, uint32_t value)
{
    const char *name = qs_name_of(field->names, value);

    if (!name)
        return;
    g_string_append_len(out, " (", 2);
    g_string_append(out, name);
    g_string_append_c(out, ')');
}

static void append_uint(GString *out, const struct qs_field *field, uint64_t value)
{
    const bool hexadecimal = field->type >= QS_X8 && field->type <= QS_X64;
    char *at = qs_room(out, QS_NUMBER_MAX);

    qs_room_end(out, hexadecimal ? qs_put_hex(at, value) : qs_put_uint(at, value));
    append_name(out, field, (uint32_t)value);
}

static void append_int(GString *out, const struct qs_field *field, int64_t value)
{
    qs_room_end(out, qs_put_int(qs_room(out, QS_NUMBER_MAX), value));
    append_name(out, field, (uint32_t)value);
}

/* Appends "2026-11-20T15:54:01.123Z" (ISO 8601), or the number if the year has five digits. */
static void append_time(GString *out, uint64_t milliseconds)
{
    const uint64_t limit = UINT64_C(253402300800000); /* the year 10000 */
    const time_t seconds = (time_t)(milliseconds / 1000);
    struct tm date;
    char text[32];

    if (milliseconds >= limit || !gmtime_r(&seconds, &date) ||
        !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &date)) {
        qs_room_end(out, qs_put_uint(qs_room(out, QS_NUMBER_MAX), milliseconds));
        return;
    }
    g_string_append_printf(out, "%s.%03uZ", text, (unsigned)(milliseconds % 1000));
}

void qs_value_append(GString *out, const struct qs_field *field, const struct qs_value *value)
{
    switch (qs_type_kind(field->type)) {
    case QS_KIND_NONE:
        break;
    case QS_KIND_BOOL:
        g_string_append(out, value->u ? "true" : "false");
        break;
    case QS_KIND_UNSIGNED:
        append_uint(out, field, value->u);
        break;
    case QS_KIND_SIGNED:
        append_int(out, field, value->i);
        break;
    case QS_KIND_REAL:
        qs_room_end(out, qs_put_real(qs_room(out, QS_NUMBER_MAX), value->f));
        break;
    case QS_KIND_BYTES:
        if (field->type == QS_TEXT)
            qs_text_append_utf8(out, value->bytes);
        else if (field->type == QS_BYTES)
            qs_append_bytes(out, value->bytes);
        else
            append_ip(out, field->type == QS_IPV6 ? 6 : 4, value->bytes.data);
        break;
    case QS_KIND_TIME:
        append_time(out, value->u);
        break;
    case QS_KIND_DURATION:
        qs_room_end(out, qs_put_real(qs_room(out, QS_NUMBER_MAX), (double)value->u / 1e9));
        break;
    }
}

void qs_address_append(GString *out, const struct qs_address *address)
{
    if (address->family == 6)
        g_string_append_c(out, '[');
    append_ip(out, address->family, address->bytes);
    if (address->family == 6)
        g_string_append_c(out, ']');
    g_string_append_c(out, ':');
    qs_room_end(out, qs_put_uint(qs_room(out, QS_NUMBER_MAX), address->port));
}

char *qs_address_text(const struct qs_address *address)
{
    GString *text = g_string_new(NULL);

    qs_address_append(text, address);
    return g_string_free(text, FALSE);
}

const char *qs_direction_name(enum qs_direction direction)
{
    static const char *const names[] = {"?", [QS_C2S] = "c2s", [QS_S2C] = "s2c"};

    return names[direction];
}
