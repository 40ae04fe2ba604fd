/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of dump formats; apart, as the JSON dump is, from what the plugin needs. */
#include <string.h>

#include "common/dump/dump.h"

const struct qs_dump_format *const qs_dump_formats[] = {&qs_dump_text, &qs_dump_compact,
                                                        &qs_dump_json, NULL};

const struct qs_dump_format *qs_dump_format_find(const char *name)
{
    for (int i = 0; qs_dump_formats[i]; i++)
        if (strcmp(qs_dump_formats[i]->name, name) == 0)
            return qs_dump_formats[i];
    return NULL;
}
