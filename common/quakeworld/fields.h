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

/* Names for QuakeWorld's numbers. Sources as in constants.h, and the tables of qwd-format. */
extern const struct qs_name qw_svc_names[];
extern const struct qs_name qw_clc_names[];
extern const struct qs_name qw_print_level_names[];
extern const struct qs_name qw_temp_entity_names[];
extern const struct qs_name qw_protocol_names[]; /* which game a protocol number came with */
extern const struct qs_name qw_pmc_names[];
extern const struct qs_name qw_block_names[]; /* of demos */
extern const struct qs_name qw_hidden_names[];
extern const struct qs_name qw_setangle_names[];
extern const struct qs_name qw_precache_names[];
extern const struct qs_name qw_brush_names[];
extern const struct qs_name qw_debug_names[];
extern const struct qs_name qw_qtv_clc_names[];

#endif
