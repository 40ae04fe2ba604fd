/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of QuakeWorld by number: one enumerator for each row of fields.def, behind
 * those of common/fte/fields.def. */
#ifndef QW_FIELDS_H
#define QW_FIELDS_H

#include "common/core/field.h"
#include "common/fte/fields.h"

enum qw_field {
    QW_FIELD_LAST_OF_FTE = FTE_FIELD_COUNT - 1, /* common/fte/fields.def */
#define QS_ROWS_ENUM
#include "common/core/field_rows.h"
#include "common/quakeworld/fields.def"
#include "common/core/field_rows.h"
    QW_FIELD_COUNT
};

extern const struct qs_field qw_fields[QW_FIELD_COUNT];

#endif
