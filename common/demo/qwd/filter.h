/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is left out of QuakeWorld's demos, whatever their format: downloads, at which players stop
 * (ezquake ends with Host_Error at svc_download). And what is put in a message's place, if who
 * rebuilds wants that.
 */
#ifndef QS_DEMO_QWD_FILTER_H
#define QS_DEMO_QWD_FILTER_H

#include "common/core/decode.h"
#include "common/demo/writer.h"

struct filter_qw {
    struct qs_demo_writer *out;
    GArray *replacements;  /* of the packet at hand */
    GByteArray *replacing; /* their bytes */
};

void filter_qw_init(struct filter_qw *filter, struct qs_demo_writer *out);
void filter_qw_clear(struct filter_qw *filter);

/* Message number `index` of what was just decoded is to be what is appended to the result from now
 * until the next call of any function here. In the order of messages. */
GByteArray *filter_qw_replace(struct filter_qw *filter, guint index);

/* Whether anything just decoded is left out or replaced. */
bool filter_qw_touches(const struct filter_qw *filter, const struct qs_decoder *decoder);

/*
 * Appends what was just decoded, as it is to be: `content`, which messages' offsets refer to, from
 * its first message at `start` on. Forgets the replacements.
 */
void filter_qw_append(struct filter_qw *filter, const struct qs_decoder *decoder,
                      struct qs_view content, uint32_t start, GByteArray *out);

#endif
