/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What packets say, as text: what the server prints, as the player's console shows it; and behind
 * the names of their messages the other texts that a summary has (see summary.h), in whole and a
 * line each:
 *
 *     stringcmd: say gg
 *     anna: gg
 */
#ifndef QS_CORE_TRANSCRIPT_H
#define QS_CORE_TRANSCRIPT_H

#include "common/core/decoder_state.h"

/*
 * For the summary: appends a text of row `row` and of the message `name` to the decoder's
 * transcript, as UTF-8.
 */
void qs_transcript_add(struct qs_decoder *d, const char *name, const struct qs_field *row,
                       struct qs_view text);

#endif
