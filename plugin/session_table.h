/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics > sessions of the protocol: a table with who played where, rates, loss and times. */
#ifndef QS_PLUGIN_SESSION_TABLE_H
#define QS_PLUGIN_SESSION_TABLE_H

#include "plugin/dissector.h"

void session_table_register(const struct dissector *dissector);

#endif
