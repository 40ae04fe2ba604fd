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

/* Names of the numbers that Quake II sends: those of q_shared.h and qcommon.h as the engines spell
 * them. Types above what id's engine has are Q2PRO's (inc/shared/shared.h, inc/common/protocol.h).
 */
extern const struct qs_name q2_undecoded_names[]; /* of protocols that are known, not decoded */
extern const struct qs_name q2_muzzleflash_names[];
extern const struct qs_name q2_muzzleflash2_names[];
extern const struct qs_name q2_configstring_names[];
extern const struct qs_name q2_stat_names[];
extern const struct qs_name q2_te_names[];
extern const struct qs_name q2_te31_names[];

#endif
