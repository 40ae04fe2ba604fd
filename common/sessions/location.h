/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where in the input something is, for messages and reports. */
#ifndef QS_SESSIONS_LOCATION_H
#define QS_SESSIONS_LOCATION_H

#include <stdbool.h>
#include <stdint.h>

/* `file` NULL: none; `packet` 0: the file as a whole; `session` 0: no session is meant. */
struct qs_location {
    const char *file;
    uint64_t packet;
    bool block;       /* the file is a demo: the number is a block's */
    unsigned session; /* number */
};

#endif
