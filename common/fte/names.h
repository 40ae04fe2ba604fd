/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for the numbers of FTE's extensions. Sources as in constants.h. */
#ifndef FTE_NAMES_H
#define FTE_NAMES_H

#include "common/core/field.h"

extern const struct qs_name fte_extension_names[];
extern const struct qs_name fte_stat_names[]; /* QuakeWorld's own, too */
extern const struct qs_name fte_solid_names[];
extern const struct qs_name fte_qc_type_names[];

#endif
