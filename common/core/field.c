/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/field.h"

#include <string.h>

#include <stddef.h>

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

enum qs_kind qs_type_kind(enum qs_type type)
{
    switch (type) {
    case QS_GROUP:
        break;
    case QS_BOOL:
        return QS_KIND_BOOL;
    case QS_U8:
    case QS_U16:
    case QS_U32:
    case QS_U64:
    case QS_X8:
    case QS_X16:
    case QS_X32:
    case QS_X64:
    case QS_FRAMENUM:
        return QS_KIND_UNSIGNED;
    case QS_I8:
    case QS_I16:
    case QS_I32:
    case QS_I64:
        return QS_KIND_SIGNED;
    case QS_FLOAT:
    case QS_DOUBLE:
    case QS_COORD:
    case QS_ANGLE:
        return QS_KIND_REAL;
    case QS_TEXT:
    case QS_BYTES:
    case QS_IPV4:
    case QS_IPV6:
        return QS_KIND_BYTES;
    case QS_TIME:
        return QS_KIND_TIME;
    case QS_DURATION:
        return QS_KIND_DURATION;
    }
    return QS_KIND_NONE;
}

unsigned qs_type_bits(enum qs_type type)
{
    switch (type) {
    case QS_BOOL:
        return 1;
    case QS_U8:
    case QS_X8:
    case QS_I8:
        return 8;
    case QS_U16:
    case QS_X16:
    case QS_I16:
        return 16;
    case QS_U32:
    case QS_X32:
    case QS_I32:
    case QS_FRAMENUM:
        return 32;
    case QS_U64:
    case QS_X64:
    case QS_I64:
        return 64;
    default:
        return 0;
    }
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
