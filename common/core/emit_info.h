/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Info strings, shown pair by pair. */
#ifndef QS_CORE_EMIT_INFO_H
#define QS_CORE_EMIT_INFO_H

#include "common/core/decoder_state.h"
#include "common/core/infostring.h"

/* The rows that an info string is shown by. */
struct qs_info_rows {
    unsigned pair, key, value; /* `pair` is a group */
};

/* Emits the pairs of `info`, whose first byte is at `offset` of the source. */
void qs_emit_info(struct qs_decoder *d, const struct qs_info_rows *rows, struct qs_view info,
                  uint32_t offset);

#endif
