/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All dissectors, in the order of their registration. */
#ifndef QS_PLUGIN_DISSECTORS_H
#define QS_PLUGIN_DISSECTORS_H

#include "plugin/dissector.h"

void dissectors_add(struct dissector *dissector);

/* Calls `visit` for each. */
void dissectors_each(void (*visit)(struct dissector *dissector));

/* The one of that title, or NULL. */
struct dissector *dissectors_find(const char *title);

#endif
