/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How values, addresses and directions are written in dumps. */
#include "common/core/sinks.h"

#include <arpa/inet.h>

#include "common/core/text.h"

static void append_hex(GString *out, struct qs_view bytes)
{
    for (uint32_t i = 0; i < bytes.size; i++)
        g_string_append_printf(out, "%02x", bytes.data[i]);
}

static void append_ip(GString *out, uint8_t family, const uint8_t *bytes)
{
    char text[INET6_ADDRSTRLEN];

    if (inet_ntop(family == 6 ? AF_INET6 : AF_INET, bytes, text, sizeof text))
        g_string_append(out, text);
}

static void append_uint(GString *out, const struct qs_field *field, uint64_t value)
{
    const char *name = qs_name_of(field->names, (uint32_t)value);

    if (field->type >= QS_X8 && field->type <= QS_X64)
        g_string_append_printf(out, "0x%" G_GINT64_MODIFIER "x", value);
    else
        g_string_append_printf(out, "%" G_GUINT64_FORMAT, value);
    if (name)
        g_string_append_printf(out, " (%s)", name);
}

static void append_int(GString *out, const struct qs_field *field, int64_t value)
{
    const char *name = qs_name_of(field->names, (uint32_t)value);

    g_string_append_printf(out, "%" G_GINT64_FORMAT, value);
    if (name)
        g_string_append_printf(out, " (%s)", name);
}

void qs_value_append(GString *out, const struct qs_field *field, const struct qs_value *value)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];

    switch (field->type) {
    case QS_GROUP:
        break;
    case QS_BOOL:
        g_string_append(out, value->u ? "true" : "false");
        break;
    case QS_U8:
    case QS_U16:
    case QS_U32:
    case QS_U64:
    case QS_X8:
    case QS_X16:
    case QS_X32:
    case QS_X64:
    case QS_FRAMENUM:
        append_uint(out, field, value->u);
        break;
    case QS_I8:
    case QS_I16:
    case QS_I32:
        append_int(out, field, value->i);
        break;
    case QS_FLOAT:
    case QS_DOUBLE:
    case QS_COORD:
    case QS_ANGLE:
        g_string_append(out, g_ascii_formatd(number, sizeof number, "%.9g", value->f));
        break;
    case QS_TEXT:
        qs_text_append_utf8(out, value->bytes);
        break;
    case QS_BYTES:
        append_hex(out, value->bytes);
        break;
    case QS_IPV4:
        append_ip(out, 4, value->bytes.data);
        break;
    case QS_IPV6:
        append_ip(out, 6, value->bytes.data);
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
    g_string_append_printf(out, ":%u", address->port);
}

const char *qs_direction_name(enum qs_direction direction)
{
    switch (direction) {
    case QS_C2S:
        return "c2s";
    case QS_S2C:
        return "s2c";
    case QS_DIRECTION_UNKNOWN:
        break;
    }
    return "?";
}
