/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks of demos, as common/demo/dem.h describes them. Source: PROTOCOL.md,
 * section 4.
 */
#include "common/quake/messages.h"
#include "common/quake/quake.h"

#define FROM_CLIENT UINT32_C(0x80000000)

/* The line before the blocks. */
static void read_track(struct qs_decoder *d)
{
    const struct qs_view line = qs_text_sized(d, NQ_BLOCK_TRACK, d->in.size);

    qs_label_text(d, ": CD track ", line, "");
    qs_summary(d, "CD track");
}

static void read_framing(struct qs_decoder *d)
{
    const uint32_t word = qs_u32(d, NQ_BLOCK_LENGTH_WORD);

    if (word & FROM_CLIENT)
        d->direction = QS_C2S;
    qs_open(d, NQ_BLOCK_VIEWANGLES);
    qs_f32(d, NQ_BLOCK_VIEWANGLES_PITCH);
    qs_f32(d, NQ_BLOCK_VIEWANGLES_YAW);
    qs_f32(d, NQ_BLOCK_VIEWANGLES_ROLL);
    qs_close(d);
    qs_label(d, ": %u bytes%s", word & ~FROM_CLIENT, word & FROM_CLIENT ? " from the client" : "");
}

void nq_decode_delivered(struct qs_decoder *d)
{
    struct nq_session *session = nq_session_of(d);

    nq_session_forget_packet(session);
    d->accepted = true;
    session->delivered = (struct nq_delivery){.bytes = {d->in.data, d->in.size}};
    if (d->direction == QS_C2S)
        nq_read_client_messages(d);
    else
        nq_read_server_messages(d);
}

static void decode_block(struct qs_decoder *d)
{
    const bool line = d->packet->number == 0;

    qs_open(d, NQ_BLOCK);
    if (line)
        read_track(d);
    else
        read_framing(d);
    qs_close(d);
    if (d->in.overrun) {
        qs_note(d, QS_NOTE_MALFORMED, 0, d->in.size, "No block of a demo");
        qs_undecoded(d);
    } else if (!line) {
        qs_enter_payload(d);
        nq_decode_delivered(d);
    }
}

const struct qs_demo_format nq_dem = {"dem", decode_block};
