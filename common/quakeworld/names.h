/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for QuakeWorld's numbers. Sources as in constants.h, and the tables of qwd-format. */
#ifndef QW_NAMES_H
#define QW_NAMES_H

#include "common/core/field.h"

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
