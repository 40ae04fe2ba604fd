/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is left out of QuakeWorld's demos, whatever their format: downloads, at which players stop
 * (ezquake ends with Host_Error at svc_download), and the commands that --sanitize leaves out.
 */
#ifndef QS_DEMO_FILTER_QW_H
#define QS_DEMO_FILTER_QW_H

#include "common/core/decoder.h"
#include "common/demo/writer.h"
#include "common/demo/stufftext.h"

struct filter_qw {
    struct qs_demo_writer *out;
    struct stufftext stufftext;
};

void filter_qw_init(struct filter_qw *filter, struct qs_demo_writer *out);
void filter_qw_clear(struct filter_qw *filter);

/* Whether something is left out of what was just decoded. */
bool filter_qw_touches(const struct filter_qw *filter, const struct qs_decoder *decoder);

/*
 * Appends the messages that are kept, and behind them what could not be decoded; not so under
 * --sanitize, nor where the capture cut the packet: players stop at a torn message. Messages count
 * their offsets in `content`, and begin at `start`.
 */
void filter_qw_append(struct filter_qw *filter, const struct qs_decoder *decoder,
                      struct qs_view content, uint32_t start, GByteArray *out);

#endif
