/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of FTE's extensions by number: one enumerator for each row of fte_fields.def. */
#ifndef FTE_FIELDS_H
#define FTE_FIELDS_H

#include "common/core/field.h"

enum fte_field {
#define QS_ROWS_ENUM
#include "common/core/field_rows.h"
#define FTE_PREFIX
#include "common/fte/fields.def"
#undef FTE_PREFIX
#include "common/core/field_rows.h"
    FTE_FIELD_COUNT
};

#endif
