/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks of demos, as common/demo/qwd.h describes them. Source: qwd-format, section 3;
 * PROTOCOL.md, section 7.
 */
#include "common/quakeworld/demo.h"

#include "common/demo/qwd.h"
#include "common/quakeworld/connectionless.h"
#include "common/quakeworld/decode.h"
#include "common/quakeworld/netchan.h"
#include "common/quakeworld/usercmd.h"

enum { PADDING_SIZE = 3 };

/* The command that the client sends, with the angles that it rounds for that. */
static void read_command(struct qs_decoder *d)
{
    const uint8_t msec = qs_u8(d, QW_USERCMD_MSEC);

    qs_bytes(d, QW_BLOCK_PADDING, PADDING_SIZE);
    qw_read_whole_usercmd(d);
    qs_label(d, ": %u ms", msec);
}

static void read_cmd(struct qs_decoder *d)
{
    qs_open(d, QW_USERCMD);
    read_command(d);
    qs_close(d);
    qs_open(d, QW_BLOCK_VIEWANGLES);
    qs_f32(d, QW_BLOCK_VIEWANGLES_PITCH);
    qs_f32(d, QW_BLOCK_VIEWANGLES_YAW);
    qs_f32(d, QW_BLOCK_VIEWANGLES_ROLL);
    qs_close(d);
    d->direction = QS_C2S;
    d->accepted = true;
    qs_summary(d, "C→S command");
}

/* Players go on counting from here: what lies between was not recorded. */
static void read_set(struct qs_decoder *d)
{
    struct qs_session *session = d->session;
    const uint32_t outgoing = qs_u32(d, QW_BLOCK_OUTGOING);
    const uint32_t incoming = qs_u32(d, QW_BLOCK_INCOMING);

    qs_label(d, ": outgoing %u, incoming %u", outgoing, incoming);
    qs_summary(d, "Sequence numbers: outgoing %u, incoming %u", outgoing, incoming);
    if (d->in.overrun)
        return;
    session->to_client = (struct qs_netchan){.started = true, .sequence = incoming};
}

static void read_body(struct qs_decoder *d, unsigned type)
{
    switch (type) {
    case QWD_CMD:
        read_cmd(d);
        break;
    case QWD_READ:
        qs_u32(d, QW_BLOCK_LENGTH);
        break;
    case QWD_SET:
        read_set(d);
        break;
    }
}

void qw_decode_recorded(struct qs_decoder *d)
{
    if (qw_is_connectionless(d))
        qw_decode_connectionless(d);
    else
        qw_decode_plain_netchan(d);
}

void qw_decode_demo_block(struct qs_decoder *d)
{
    unsigned type;
    float time;

    qs_open(d, QW_BLOCK);
    time = qs_f32(d, QW_BLOCK_TIME);
    type = qs_u8(d, QW_BLOCK_TYPE_BYTE) & QWD_TYPE_MASK;
    qs_label(d, ": %s at %g s", type <= QWD_SET ? qs_name_of(qw_block_names, type) : "?",
             (double)time);
    read_body(d, type);
    qs_close(d);
    if (type == QWD_READ && !d->in.overrun) {
        qs_enter_payload(d);
        qw_decode_recorded(d);
        return;
    }
    if (type > QWD_SET || d->in.overrun)
        qs_note(d, QS_NOTE_MALFORMED, 0, d->in.size, "No block of a demo");
    qs_undecoded(d);
}
