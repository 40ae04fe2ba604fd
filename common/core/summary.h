/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The summary of a packet: one line, with the same form in every game:
 *
 *     S→C seq 7 ack 5 [gap 2]: print "anna: gg", playerinfo×3
 *     C→S connect protocol 28 name "anna"
 *
 * The direction; the header: numbers, or the command of a connectionless packet; in brackets loss,
 * duplication and the like; the messages in order. Values of rows with `brief` (see field.h) follow
 * their message: numbers as they are, texts in quotes. In a stream only the first unit of a packet
 * has the direction, because the lines of its units are joined.
 *
 * A transcript has the texts whole: what the server prints, as the player's console shows it, and
 * the other texts a line each, behind the names of their messages:
 *
 *     stringcmd: say gg
 *     anna: gg
 */
#ifndef QS_CORE_SUMMARY_H
#define QS_CORE_SUMMARY_H

#include "common/core/decoder.h"
#include "common/core/sink.h"

/* Adds to the last message in the summary; before any message, to the head. */
void qs_summary(struct qs_decoder *d, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* The same with raw text, made readable and cut to a title's length. */
void qs_summary_text(struct qs_decoder *d, const char *before, struct qs_view text,
                     const char *after);
/* The same as a value: a blank, the word (may be empty), and the text in quotes. Nothing where the
 * text has no data: it is not there. */
void qs_summary_quote(struct qs_decoder *d, const char *word, struct qs_view text);
/* A message begins. Those of one name that add nothing are counted: "playerinfo×3". */
void qs_summary_message(struct qs_decoder *d, const char *name);
/* Adds a delivery status, without the brackets: "gap 3". */
void qs_summary_remark(struct qs_decoder *d, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* --- For the core: what holds a summary, where it begins and ends, and values that were read */

void qs_summary_init(struct qs_decoder *d);
void qs_summary_clear(struct qs_decoder *d);
void qs_summary_begin(struct qs_decoder *d);
void qs_summary_end(struct qs_decoder *d);
void qs_summary_value(struct qs_decoder *d, const struct qs_field *row,
                      const struct qs_value *value);

#endif
