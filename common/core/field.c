/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/field.h"

#include <stddef.h>
#include <string.h>

#include "common/core/protocol.h"

const char *qs_message_name(const char *filter)
{
    const char *name = strchr(filter, '.') + 1;
    const char *word = strchr(name, '_');
    const bool message = word && !memchr(name, '.', (size_t)(word - name)) &&
                         (strncmp(name, "svc", 3) == 0 || strncmp(name, "clc", 3) == 0);

    return message ? word + 1 : NULL;
}

char *qs_alias_of(const struct qs_protocol *protocol, const struct qs_field *row)
{
    const char *message = qs_message_name(row->name);
    const size_t prefix = strlen(protocol->name) + 1;

    if (row->type != QS_GROUP || !message)
        return NULL;
    for (unsigned i = 0; i < protocol->field_count; i++) {
        const char *other = protocol->fields[i].name + prefix;

        if (*other == *message && strcmp(other, message) == 0)
            return NULL;
    }
    return g_strconcat(protocol->name, ".", message, NULL);
}

const char *qs_name_of(const struct qs_name *names, uint32_t value)
{
    for (; names && names->name; names++)
        if (names->value == value)
            return names->name;
    return NULL;
}

bool qs_number_of(const struct qs_name *names, const char *name, uint32_t *number)
{
    for (; names && names->name; names++)
        if (strcmp(names->name, name) == 0) {
            *number = names->value;
            return true;
        }
    return false;
}

static const struct {
    enum qs_kind kind;
    unsigned bits;
} types[] = {
    [QS_GROUP] = {QS_KIND_NONE, 0},         [QS_BOOL] = {QS_KIND_BOOL, 1},
    [QS_U8] = {QS_KIND_UNSIGNED, 8},        [QS_U16] = {QS_KIND_UNSIGNED, 16},
    [QS_U32] = {QS_KIND_UNSIGNED, 32},      [QS_U64] = {QS_KIND_UNSIGNED, 64},
    [QS_X8] = {QS_KIND_UNSIGNED, 8},        [QS_X16] = {QS_KIND_UNSIGNED, 16},
    [QS_X32] = {QS_KIND_UNSIGNED, 32},      [QS_X64] = {QS_KIND_UNSIGNED, 64},
    [QS_I8] = {QS_KIND_SIGNED, 8},          [QS_I16] = {QS_KIND_SIGNED, 16},
    [QS_I32] = {QS_KIND_SIGNED, 32},        [QS_I64] = {QS_KIND_SIGNED, 64},
    [QS_FLOAT] = {QS_KIND_REAL, 0},         [QS_DOUBLE] = {QS_KIND_REAL, 0},
    [QS_COORD] = {QS_KIND_REAL, 0},         [QS_ANGLE] = {QS_KIND_REAL, 0},
    [QS_TEXT] = {QS_KIND_BYTES, 0},         [QS_BYTES] = {QS_KIND_BYTES, 0},
    [QS_IPV4] = {QS_KIND_BYTES, 0},         [QS_IPV6] = {QS_KIND_BYTES, 0},
    [QS_FRAMENUM] = {QS_KIND_UNSIGNED, 32}, [QS_TIME] = {QS_KIND_TIME, 0},
    [QS_DURATION] = {QS_KIND_DURATION, 0},
};

enum qs_kind qs_type_kind(enum qs_type type)
{
    return types[type].kind;
}

unsigned qs_type_bits(enum qs_type type)
{
    return types[type].bits;
}

const char *qs_unit_of(const struct qs_field *field)
{
    if (field->unit)
        return field->unit;
    switch (field->type) {
    case QS_COORD:
        return "units";
    case QS_ANGLE:
        return "°";
    case QS_DURATION:
        return "s";
    default:
        return NULL;
    }
}

bool qs_type_holds(enum qs_type type, int64_t number)
{
    const unsigned bits = qs_type_bits(type);

    if (bits == 64)
        return type == QS_I64 || number >= 0;
    if (qs_type_kind(type) == QS_KIND_SIGNED)
        return number >= -(INT64_C(1) << (bits - 1)) && number < INT64_C(1) << (bits - 1);
    return number >= 0 && (uint64_t)number >> bits == 0;
}
