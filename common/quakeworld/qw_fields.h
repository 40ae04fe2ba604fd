/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of QuakeWorld by number: one enumerator for each row of qw_fields.def. */
#ifndef QW_FIELDS_H
#define QW_FIELDS_H

#include "common/core/field.h"

enum qw_field {
#include "common/core/rows_enum.h"
#include "common/quakeworld/qw_fields.def"
#include "common/core/rows_end.h"
    QW_FIELD_COUNT
};

extern const struct qs_field qw_fields[QW_FIELD_COUNT];

#endif
