/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All demo formats: the plugin and the tool loop over this list. */
#ifndef QS_DEMO_FORMATS_H
#define QS_DEMO_FORMATS_H

#include "common/demo/format.h"

extern const struct qs_demo_format qs_demo_qwd, qs_demo_mvd, qs_demo_dm2, qs_demo_mvd2, qs_demo_dem;

/* All formats, the strictest to recognize first, ending with NULL. */
extern const struct qs_demo_format *const qs_demo_formats[];

/* The length of a file's name without what a compression adds to it: of "x.dm2" in "x.dm2.gz". */
size_t qs_unpacked_name_length(const char *name);

/* The format of a file with these bytes, or by its name ("x.dm2", "x.dm2.gz"); or NULL. */
const struct qs_demo_format *qs_demo_format_of_content(struct qs_view file);
const struct qs_demo_format *qs_demo_format_of_name(const char *name);

/*
 * The format to rebuild sessions of the protocol as, those over datagrams or streams: the one with
 * that extension, or else (it has none of them, or `extension` is NULL) the first in the list.
 * NULL: there is none.
 */
const struct qs_demo_format *qs_demo_format_of(const struct qs_protocol *protocol, bool stream,
                                               const char *extension);

#endif
