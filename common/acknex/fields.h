/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of Acknex by number: one enumerator for each row of fields.def. */
#ifndef ACKNEX_FIELDS_H
#define ACKNEX_FIELDS_H

#include "common/core/field.h"

enum acknex_field {
#define QS_ROWS_ENUM
#include "common/core/field_rows.h"
#include "common/acknex/fields.def"
#include "common/core/field_rows.h"
    ACKNEX_FIELD_COUNT
};

extern const struct qs_field acknex_fields[ACKNEX_FIELD_COUNT];

#endif
