/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks of demos, as common/demo/dm2.h describes them. Source: dm2-format, section 2.2;
 * PROTOCOL.md, section 1.
 */
#include "common/quake2/demo.h"
#include "common/quake2/fields.h"
#include "common/quake2/server_messages.h"

void q2_decode_demo_block(struct qs_decoder *d)
{
    int32_t length;

    qs_open(d, Q2_BLOCK);
    length = qs_i32(d, Q2_BLOCK_LENGTH);
    if (length > 0)
        qs_label(d, ": %d bytes", length);
    else
        qs_label(d, ": %s", length ? "the demo's end" : "empty");
    qs_close(d);
    if (d->in.overrun) {
        qs_note(d, QS_NOTE_MALFORMED, 0, d->in.size, "No block of a demo");
        qs_undecoded(d);
        return;
    }
    qs_enter_payload(d);
    q2_decode_messages(d);
}
