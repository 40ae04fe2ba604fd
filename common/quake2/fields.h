/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of Quake II by number: one enumerator for each row of q2_fields.def. */
#ifndef Q2_FIELDS_H
#define Q2_FIELDS_H

#include "common/core/field.h"

enum q2_field {
#define QS_ROWS_ENUM
#include "common/core/field_rows.h"
#include "common/quake2/fields.def"
#include "common/core/field_rows.h"
    Q2_FIELD_COUNT
};

extern const struct qs_field q2_fields[Q2_FIELD_COUNT];

#endif
