/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of FTE's extensions by number: one enumerator for each row of fields.def. */
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

/* Names for the numbers of FTE's extensions. Sources as in constants.h. */
extern const struct qs_name fte_extension_names[];
extern const struct qs_name fte_stat_names[]; /* QuakeWorld's own, too */
extern const struct qs_name fte_solid_names[];
extern const struct qs_name fte_qc_type_names[];

/*
 * Numbers of id's game code (progs), which Quake and QuakeWorld share. Sources: dem-format, 6.7 and
 * 6.16; qwd-format, table 6.
 */
/* Item bits; messages of a byte cut the axe's to 0. */
extern const struct qs_name qs_progs_weapon_names[];
extern const struct qs_name qs_progs_channel_names[];

#endif
