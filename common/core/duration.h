/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Durations as texts for people. */
#ifndef QS_CORE_DURATION_H
#define QS_CORE_DURATION_H

#include <stdint.h>

/* "0:07", "59:59", "1:02:45". New. */
char *qs_duration_text(int64_t seconds);

/* To the nearest one. */
int64_t qs_seconds_of(int64_t nanoseconds);

#endif
