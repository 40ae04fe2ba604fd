/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for Quake's numbers. Sources as in constants.h and messages.def. */
#ifndef NQ_NAMES_H
#define NQ_NAMES_H

#include "common/core/field.h"

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
