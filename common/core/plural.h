/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "1 packet", "2 packets" */
#ifndef QS_CORE_PLURAL_H
#define QS_CORE_PLURAL_H

#include <stdint.h>

/* What ends the noun that `count` things have. */
static inline const char *qs_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

#endif
