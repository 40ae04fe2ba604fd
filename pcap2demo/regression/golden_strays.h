/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Goldens whose capture or demo is gone. */
#ifndef PCAP2DEMO_GOLDEN_STRAYS_H
#define PCAP2DEMO_GOLDEN_STRAYS_H

#include <glib.h>

/* The goldens in `folder` that are of none of `files`, sorted, as paths: new, with its texts. */
GPtrArray *golden_strays(const char *folder, char *const *files);

#endif
