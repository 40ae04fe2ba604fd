/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quakeworld/fields.h"

#include <stddef.h>

#include "common/fte/names.h"
#include "common/fte/progs.h"
#include "common/quakeworld/names.h"

const struct qs_field qw_fields[QW_FIELD_COUNT] = {
#define QS_ROWS_TABLE
#include "common/core/field_rows.h"
#define FTE_PREFIX "qw."
#include "common/fte/fields.def"
#include "common/quakeworld/fields.def"
#include "common/core/field_rows.h"
};
