/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A packet in one line, where it is wanted: "S→C seq 7 ack 5: playerinfo×3, sound". */
#ifndef QS_CORE_SUMMARY_H
#define QS_CORE_SUMMARY_H

#include "common/core/decoder_state.h"

/* Adds to the last message in the summary; before any message, to the summary's beginning. */
void qs_summary(struct qs_decoder *d, const char *format, ...) G_GNUC_PRINTF(2, 3);
void qs_summary_text(struct qs_decoder *d, const char *before, struct qs_view text,
                     const char *after);
/* Adds a message's name. Messages of one name without text are counted: "playerinfo×3". */
void qs_summary_message(struct qs_decoder *d, const char *name);

/* --- For the core: what holds a summary, and where it begins and ends */

void qs_summary_init(struct qs_decoder *d);
void qs_summary_clear(struct qs_decoder *d);
void qs_summary_begin(struct qs_decoder *d);
void qs_summary_end(struct qs_decoder *d);

#endif
