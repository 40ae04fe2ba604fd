/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Client messages. Source: engine, sv_user.c SV_ExecuteClientMessage; messages from 5 on: Q2PRO,
 * sv_user.c SV_ExecuteClientMessage.
 */
#include "common/core/emit.h"
#include "common/core/text.h"
#include "common/quake2/decode.h"
#include "common/netchan/links.h"

enum {
    CLS_RECORDING = 2,  /* setting of clc_setting */
    PACKED_ID_BITS = 5, /* size of the id in a message byte; above it: repeated packets */
    PACKED_ID_MASK = (1 << PACKED_ID_BITS) - 1
};

static const struct qs_info_rows userinfo_rows = {Q2_USERINFO_PAIR, Q2_USERINFO_KEY,
                                                  Q2_USERINFO_VALUE};

static void keep_newest(struct qs_decoder *d, const struct q2_usercmd *command)
{
    struct q2_session *session = q2_session_of(d->session);

    if (d->in.overrun)
        return;
    session->packet.moved = true;
    session->packet.newest = *command;
}

static void check_move(struct qs_decoder *d, uint32_t at, uint8_t sent)
{
    uint8_t right;

    if (d->in.overrun)
        return;
    right = q2_move_checksum(d->in.data + at + 1, d->in.pos - at - 1, d->found.sequence);
    qs_emit_generated_uint(d, Q2_MOVE_CHECKSUM_RIGHT, at, 1, right);
    qs_emit_generated_uint(d, Q2_MOVE_CHECKSUM_GOOD, at, 1, sent == right);
    if (sent != right)
        qs_note(d, QS_NOTE_CHECKSUM_BAD, at, 1, "Move checksum 0x%02x, expected 0x%02x", sent,
                right);
}

/* Skips a command: two bytes for each angle and speed that changed, one for buttons and impulse,
 * duration and light. Returns false if the command is incomplete. */
static bool pass_usercmd(struct qs_reader *in)
{
    /* Size in bytes, by the lower and the upper four bits. */
    static const uint8_t lower[] = {0, 2, 2, 4, 2, 4, 4, 6, 2, 4, 4, 6, 4, 6, 6, 8},
                         upper[] = {0, 2, 2, 4, 1, 3, 3, 5, 1, 3, 3, 5, 2, 4, 4, 6};
    const unsigned bits = qs_reader_left(in) ? in->data[in->pos] : 0;
    const unsigned size = 3u + lower[bits & 15] + upper[bits >> 4 & 15];

    return qs_reader_left(in) >= size && qs_reader_bytes(in, size);
}

/* Reads the last three commands, which are repeated so that two lost packets do no harm. Protocols
 * 35 and 36 have no checksum, and their demos need the newest command. */
static void read_move(struct qs_decoder *d)
{
    const struct q2_session *session = q2_session_of(d->session);
    const bool checked = !session->variant.packed;
    const uint32_t minor = session->base.version == Q2_PROTOCOL_R1Q2 ? session->minor : 0;
    const uint32_t at = d->in.pos;
    const uint8_t checksum = checked ? qs_u8(d, Q2_MOVE_CHECKSUM) : 0;
    struct q2_usercmd command = {0};

    qs_i32(d, Q2_MOVE_LASTFRAME);
    for (unsigned i = 0; i < 3; i++)
        if (!checked || d->values_wanted || !pass_usercmd(&d->in))
            q2_read_usercmd(d, &command, minor);
    if (checked && !d->unchecked)
        check_move(d, at, checksum);
    keep_newest(d, &command);
}

static void read_userinfo(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const struct qs_view info = qs_text(d, Q2_USERINFO_TEXT);

    qs_emit_info(d, &userinfo_rows, info, at);
    if (!d->in.overrun)
        qs_info_replace(d, &q2_session_of(d->session)->texts, Q2_TEXT_USERINFO, info,
                        Q2_INFO_STRING_MAX);
}

/* Reads a command. Servers accept one that ends with the packet instead of a NUL: vanilla clients
 * disconnect like that. Source: engine, cl_main.c CL_Disconnect. */
static struct qs_view read_command(struct qs_decoder *d)
{
    const uint32_t left = qs_reader_left(&d->in);
    const bool whole = d->source_depth || d->packet->size == d->packet->wire_size;

    if (whole && left && !memchr(d->in.data + d->in.pos, 0, left))
        return qs_bytes(d, Q2_STRINGCMD, left);
    return qs_text(d, Q2_STRINGCMD);
}

static void read_stringcmd(struct qs_decoder *d)
{
    const struct qs_view command = read_command(d);
    struct qs_token word;
    uint32_t pos = 0;

    qs_label_text(d, ": ", command, "");
    qs_add_transfer_command(d, command);
    if (qs_token_next(command, &pos, &word) && qs_view_equal(word.text, "disconnect"))
        d->session->disconnected = true;
    q2_level_command(d, command);
}

static void read_setting(struct qs_decoder *d)
{
    const int16_t setting = qs_i16(d, Q2_CLIENT_SETTING);
    const int16_t value = qs_i16(d, Q2_CLIENT_SETTING_VALUE);

    if (!d->in.overrun && setting == CLS_RECORDING)
        q2_session_of(d->session)->recording = value;
}

static void read_batches(struct qs_decoder *d, unsigned repeated)
{
    struct q2_usercmd command = {0};

    command.lightlevel = qs_u8(d, Q2_MOVE_LIGHTLEVEL);
    q2_read_batches(d, &command, repeated + 1);
    keep_newest(d, &command);
}

/* Returns the number of repeated packets, in the last message byte above the id. */
static unsigned repeated_above_id(struct qs_decoder *d)
{
    const unsigned repeated = qs_message_byte(d) >> PACKED_ID_BITS;

    qs_emit_uint(d, Q2_MOVE_DUPS, d->in.pos - 1, 1, repeated);
    return repeated;
}

static bool has_repeated_byte(const struct qs_decoder *d)
{
    return q2_variant(d)->q2repro;
}

static void read_move_nodelta(struct qs_decoder *d)
{
    read_batches(d, has_repeated_byte(d) ? qs_u8(d, Q2_MOVE_DUPS) : repeated_above_id(d));
}

static void read_move_batched(struct qs_decoder *d)
{
    const unsigned above = has_repeated_byte(d) ? 0 : repeated_above_id(d);

    qs_i32(d, Q2_MOVE_LASTFRAME);
    read_batches(d, has_repeated_byte(d) ? qs_u8(d, Q2_MOVE_DUPS) : above);
}

static void read_userinfo_delta(struct qs_decoder *d)
{
    const struct qs_view key = qs_text(d, Q2_USERINFO_KEY);
    const struct qs_view value = qs_text(d, Q2_USERINFO_VALUE);

    qs_label_text(d, ": ", key, "");
    qs_label_text(d, " = ", value, "");
    if (!d->in.overrun)
        qs_info_change(d, &q2_session_of(d->session)->texts, Q2_TEXT_USERINFO, key, value,
                       Q2_INFO_STRING_MAX);
}

/* clang-format off */
static const struct qs_message_type messages[] = {
#define CLC(id, number, name, read, blurb) [CLC_##id] = {name, &name[sizeof "clc_" - 1], Q2_CLC_##id, read},
#include "common/quake2/messages.def"
};

/* First protocol that has each message; 0 if all have it. */
static const uint8_t since[] = {
#define CLC(id, number, name, read, blurb) [CLC_##id] = 0,
#define CLC_SINCE(protocol, id, ...) [CLC_##id] = protocol,
#include "common/quake2/messages.def"
};
/* clang-format on */

static const struct qs_message_type *lookup(const struct qs_decoder *d, uint32_t id)
{
    const int32_t version = d->session->version;
    const bool later =
        version == Q2_PROTOCOL_R1Q2 || q2_is_q2pro(version) || version == Q2_PROTOCOL_Q2REPRO;
    const bool known = id < G_N_ELEMENTS(messages) && messages[id].read;

    return known && since[id] <= (later ? version : 0) ? &messages[id] : NULL;
}

void q2_read_client_messages(struct qs_decoder *d)
{
    if (q2_pass_over(d))
        return;
    if (q2_is_q2pro(d->session->version))
        d->id_mask = PACKED_ID_MASK;
    if (d->session->version == Q2_PROTOCOL_AQTION)
        d->whole_id = CLC_CVARSYNC;
    qs_read_messages(d, Q2_CLC, lookup);
}
