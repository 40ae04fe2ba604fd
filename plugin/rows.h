/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers a record's rows and notes as Wireshark's fields, subtrees and expert infos. */
#ifndef QS_PLUGIN_ROWS_H
#define QS_PLUGIN_ROWS_H

#include "plugin/bridge.h"

/* Fills hf, ett and notes of the bridge. */
void rows_register(struct bridge *bridge);

/* The row that `row` is a part of; itself when it has no mask. */
const struct qs_field *row_whole(const struct qs_field *row);

#endif
