/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Console commands in texts, and info strings. */
#ifndef QW_COMMAND_H
#define QW_COMMAND_H

#include "common/core/decoder.h"

/* An info string whose first byte stands at `offset`. */
void qw_emit_info(struct qs_decoder *d, struct qs_view info, uint32_t offset);
/* Emits the commands in `text`, which begins at `offset`: words, info strings, meanings. */
void qw_emit_commands(struct qs_decoder *d, struct qs_view text, uint32_t offset);
/* Reads a text of commands that a client sends, and adds it to the title and the summary. */
struct qs_view qw_read_commands(struct qs_decoder *d, unsigned id);

/* Emits the flags of ZQuake's extensions if `key` is theirs; `value` begins at `offset`. */
void qw_emit_z_ext(struct qs_decoder *d, struct qs_view key, struct qs_view value, uint32_t offset);

#endif
