/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers a record's rows and notes as Wireshark's fields, subtrees and expert infos. */
#ifndef QS_PLUGIN_FIELDS_H
#define QS_PLUGIN_FIELDS_H

#include "plugin/dissector.h"

/* Fills hf, session_hf, ett and expert_infos of the dissector. */
void fields_register(struct dissector *dissector);

/* The row that `row` is a part of; itself when it has no mask. */
const struct qs_field *field_whole(const struct qs_field *row);

/*
 * Adds the generated fields that packets of every protocol have (see qs_session_fields), as far as
 * they are known of the packet that was just decoded. `number` 0: it has no session.
 */
void session_fields_show(struct dissector *dissector, proto_tree *tree, tvbuff_t *tvb,
                         uint32_t number);

#endif
