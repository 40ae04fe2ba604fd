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

static void append_bytes(GString *out, const struct qs_field *field, struct qs_view bytes)
{
    if (field->type == QS_TEXT)
        qs_text_append_utf8(out, bytes);
    else if (field->type == QS_BYTES)
        append_hex(out, bytes);
    else
        append_ip(out, field->type == QS_IPV6 ? 6 : 4, bytes.data);
}

void qs_value_append(GString *out, const struct qs_field *field, const struct qs_value *value)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];

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
        g_string_append(out, g_ascii_formatd(number, sizeof number, "%.9g", value->f));
        break;
    case QS_KIND_BYTES:
        append_bytes(out, field, value->bytes);
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
