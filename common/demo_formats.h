/* SPDX-License-Identifier: GPL-2.0-or-later */
/* List of all demo formats, which the plugin and the tool iterate over. */
#ifndef QS_DEMO_FORMATS_H
#define QS_DEMO_FORMATS_H

#include "common/demo/format.h"

extern const struct qs_demo_format qs_demo_qwd, qs_demo_mvd, qs_demo_dm2, qs_demo_mvd2, qs_demo_dem;

/* All formats, ending with NULL; those with the strictest check of the content come first. */
extern const struct qs_demo_format *const qs_demo_formats[];

/* Returns the length of a file name without its compression's ending: of "x.dm2" in "x.dm2.gz". */
size_t qs_unpacked_name_length(const char *name);

/* Return the format by a file's content, or by its name ("x.dm2", "x.dm2.gz"); NULL if unknown. */
const struct qs_demo_format *qs_demo_format_of_content(struct qs_view file);
const struct qs_demo_format *qs_demo_format_of_name(const char *name);

/*
 * Returns the format for demos of the protocol's sessions, over datagrams or over a stream: the one
 * with that extension, or else the first in the list. Returns NULL if the protocol has no format;
 * `extension` may be NULL.
 */
const struct qs_demo_format *qs_demo_format_of(const struct qs_protocol *protocol, bool stream,
                                               const char *extension);

#endif
