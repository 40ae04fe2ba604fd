/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of Quake by number: one enumerator for each row of fields.def, behind
 * those of FTE's extensions. */
#ifndef NQ_FIELDS_H
#define NQ_FIELDS_H

#include "common/core/field.h"
#include "common/fte/fields.h"

enum nq_field {
    NQ_FIELD_LAST_OF_FTE = FTE_FIELD_COUNT - 1, /* common/fte/fields.def */
#define QS_ROWS_ENUM
#include "common/core/field_rows.h"
#include "common/quake/fields.def"
#include "common/core/field_rows.h"
    NQ_FIELD_COUNT
};

extern const struct qs_field nq_fields[NQ_FIELD_COUNT];

/* Names for Quake's numbers. Sources as in constants.h and messages.def. */
extern const struct qs_name nq_protocol_names[];
extern const struct qs_name nq_control_names[];
extern const struct qs_name nq_mod_names[];
extern const struct qs_name nq_svc_names[];
extern const struct qs_name nq_clc_names[];
extern const struct qs_name nq_signon_names[];
extern const struct qs_name nq_gametype_names[];
extern const struct qs_name nq_temp_entity_names[];
extern const struct qs_name nq_animation_names[];

#endif
