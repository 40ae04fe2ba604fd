/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/dissectors.h"

#include <string.h>

static GPtrArray *dissectors; /* struct dissector * */

void dissectors_add(struct dissector *dissector)
{
    if (!dissectors)
        dissectors = g_ptr_array_new();
    g_ptr_array_add(dissectors, dissector);
}

void dissectors_each(void (*visit)(struct dissector *dissector))
{
    for (unsigned i = 0; i < dissectors->len; i++)
        visit(dissectors->pdata[i]);
}

struct dissector *dissectors_find(const char *title)
{
    for (unsigned i = 0; i < dissectors->len; i++) {
        struct dissector *dissector = dissectors->pdata[i];

        if (strcmp(dissector->title, title) == 0)
            return dissector;
    }
    return NULL;
}
