/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks of server demos and of QTV; common/quakeworld/mvd.h describes the format. Source: mvdsv
 * sv_demo.c; ezquake cl_demo.c; fteqw cl_demo.c, sv_mvd.c.
 */
#include "common/quakeworld/mvd.h"

#include "common/quakeworld/decode.h"

/* --- Players that a block is for --- */

/* Emits each player of the set in the last `length` bytes. */
static void emit_players(struct qs_decoder *d, uint32_t players, uint32_t length)
{
    for (uint32_t i = 0; players && d->fields_wanted && !d->in.overrun; i++, players >>= 1)
        if (players & 1) {
            qs_emit_generated_uint(d, QW_MVD_PLAYER, d->in.pos - length, length, i);
            qs_label(d, " %u", i);
            qw_emit_player_name(d, i, length);
        }
}

/* Reads the players concerned. dem_read keeps the previous ones: PROTOCOL.md, section 10. */
static void read_target(struct qs_decoder *d, uint8_t type_byte)
{
    struct qw_mvd_target *target = &qw_session_of(d)->mvd_target;
    const enum mvd_type type = type_byte & MVD_TYPE_MASK;

    if (type == MVD_MULTIPLE) {
        *target = (struct qw_mvd_target){MVD_MULTIPLE, qs_u32(d, QW_MVD_PLAYERS)};
        emit_players(d, target->players, sizeof target->players);
        return;
    }
    if (type == MVD_ALL)
        *target = (struct qw_mvd_target){MVD_ALL, 0};
    else if (type != MVD_READ)
        *target = (struct qw_mvd_target){type, 1u << (type_byte >> MVD_PLAYER_SHIFT)};
    emit_players(d, target->players, sizeof type_byte);
}

/*
 * True if the block holds hidden messages. Blocks of old servers for no player hold ordinary ones.
 * If a demo has no svc_serverdata, assumes that the server writes hidden messages.
 */
static bool is_hidden(const struct qw_session *session)
{
    const bool can_be = (session->ext.mvd1 & MVD1_HIDDEN_MESSAGES) || !session->base.level;

    return can_be && session->mvd_target.type == MVD_MULTIPLE && !session->mvd_target.players;
}

/* --- Blocks --- */

static enum mvd_type read_framing(struct qs_decoder *d)
{
    uint8_t type_byte;
    enum mvd_type type;

    qs_open(d, QW_MVD);
    qs_u8(d, QW_MVD_MILLISECONDS);
    type_byte = qs_u8(d, QW_MVD_TYPE_BYTE);
    type = type_byte & MVD_TYPE_MASK;
    qs_label(d, ": %s", qs_name_of(qw_block_names, type));
    qs_summary(d, "%s", qs_name_of(qw_block_names, type));
    if (type == MVD_SET) {
        qs_u32(d, QW_MVD_OUTGOING);
        qs_u32(d, QW_MVD_INCOMING);
    } else {
        read_target(d, type_byte);
        qs_u32(d, QW_MVD_LENGTH);
    }
    qs_close(d);
    return type;
}

static void read_payload(struct qs_decoder *d)
{
    if (is_hidden(qw_session_of(d))) {
        qw_read_hidden_messages(d);
        return;
    }
    qw_session_of(d)->content = (struct qs_view){d->in.data, d->in.size};
    qw_apply_extensions(d);
    qs_read_messages(d, QW_SVC, qw_server_message);
}

void qw_decode_mvd_block(struct qs_decoder *d)
{
    struct qs_reader in = d->in;
    struct mvd_block block;

    qw_session_of(d)->content = (struct qs_view){0};
    d->found.direction = QS_S2C;
    d->found.accepted = true;
    qw_session_of(d)->mvd = true;
    if (!qw_mvd_read_block(&in, &block)) {
        qs_no_block(d);
        return;
    }
    if (read_framing(d) == MVD_SET)
        return;
    qs_enter_payload(d);
    read_payload(d);
}

/* --- Hidden messages --- */

/*
 * Hidden messages of MVD, for programs that analyze a game: in blocks for no player, which demo
 * players skip. Each has a length of its own. Source: qwprot protocol.h; mvdsv sv_user.c
 * SV_DebugWriteServerAntilagPositions, SV_DebugWriteWeaponScript,
 * SV_DebugServerSideWeaponInstruction, SV_DebugClientCommand, sv_demo_misc.c SV_MVDEmbedInfo_f,
 * sv_send.c SV_MulticastEx; ezquake cl_parse.c CL_ParseHiddenDataMessage; ktx combat.c T_Damage.
 */

enum { HEADER_SIZE = 6 /* length and type */, START_SIZE = 8 };

static void read_player(struct qs_decoder *d)
{
    qw_read_player(d, QW_HIDDEN_PLAYER);
}

static void read_position(struct qs_decoder *d)
{
    uint8_t player;

    qs_open(d, QW_ANTILAG_POSITION);
    player = qs_u8(d, QW_ANTILAG_PLAYER_BYTE) & ANTILAG_PLAYER;
    qs_label(d, ": player %u", player);
    qw_emit_player_name(d, player, 1);
    qs_rows(d, QW_ANTILAG_POS, QW_ANTILAG_CLIENT);
    qs_close(d);
}

static void read_antilag_position(struct qs_decoder *d)
{
    uint8_t count;

    read_player(d);
    count = qs_u8(d, QW_ANTILAG_PLAYERS);
    qs_rows(d, QW_ANTILAG_INCOMING, QW_ANTILAG_TARGET_TIME);
    for (unsigned i = 0; i < count && !d->in.overrun; i++)
        read_position(d);
}

static void read_usercmd(struct qs_decoder *d)
{
    uint8_t msec;

    read_player(d);
    qs_u8(d, QW_HIDDEN_DROPPED);
    qs_open(d, QW_USERCMD);
    msec = qs_u8(d, QW_USERCMD_MSEC);
    qw_read_whole_usercmd(d);
    qs_label(d, ": %u ms", msec);
    qs_close(d);
}

/* Reads a player's weapons and ammunition, its preferred weapons, and the chosen one. */
static void read_weapon_choice(struct qs_decoder *d)
{
    qs_u32(d, QW_STAT_ITEMS);
    qs_rows(d, QW_DEBUG_SHELLS, QW_DEBUG_WEAPONS);
}

static void read_weapons(struct qs_decoder *d)
{
    read_player(d);
    read_weapon_choice(d);
}

static void read_weapon_instruction(struct qs_decoder *d)
{
    read_player(d);
    qs_rows(d, QW_INSTRUCTION_FLAGS, QW_INSTRUCTION_MODE_IFFIRING);
    for (unsigned i = 0; i < INSTRUCTION_WEAPONS; i++)
        qs_u8(d, QW_INSTRUCTION_WEAPON);
}

static void read_demoinfo(struct qs_decoder *d)
{
    qs_label(d, ": piece %d", qs_i16(d, QW_DEMOINFO_BLOCK));
    qs_bytes(d, QW_DEMOINFO_TEXT, qs_reader_left(&d->in));
}

static void read_commentary(struct qs_decoder *d)
{
    qs_label(d, ": track %u", qs_u8(d, QW_COMMENTARY_TRACK));
    qs_bytes(d, QW_COMMENTARY_DATA, qs_reader_left(&d->in));
}

static void read_dmgdone(struct qs_decoder *d)
{
    qs_u16(d, QW_DMGDONE_TYPE_WORD);
    qw_emit_entity_name(d, qs_u16(d, QW_DMGDONE_ATTACKER));
    qw_emit_entity_name(d, qs_u16(d, QW_DMGDONE_TARGET));
    qs_label(d, ": %d", qs_i16(d, QW_DMGDONE_DAMAGE));
}

static void read_paused_duration(struct qs_decoder *d)
{
    qs_label(d, ": %u ms", qs_u8(d, QW_PAUSED_DURATION));
}

/* Reads the demo's start: 8 bytes, or a LEB128. */
static void read_demo_start(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos, length = qs_reader_left(&d->in);
    const uint64_t start = length == START_SIZE ? qs_reader_u64(&d->in) : fte_read_uleb128(&d->in);

    qs_emit_uint(d, QW_DEMO_START, at, d->in.pos - at, start);
    if (!d->in.overrun && start < INT64_MAX / 1000000)
        d->session->demo_start = (int64_t)start * 1000000;
}

/* clang-format off */
static const struct qs_message_type messages[] = {
#define HIDDEN(id, number, name, read, blurb) [MVDHIDDEN_##id] = {name, &name[sizeof "mvdhidden_" - 1], QW_MVDHIDDEN_##id, read},
#include "common/quakeworld/messages.def"
};
/* clang-format on */

static const struct qs_message_type unknown = {"Unknown hidden message", "unknown",
                                               QW_MVDHIDDEN_UNKNOWN, NULL};

/* Finds the type of a hidden message. Servers of March 2026 give the demo's start the id of weapon
 * instructions, which have 20 bytes. */
static const struct qs_message_type *type_of(uint16_t id, uint32_t length)
{
    if (id == MVDHIDDEN_USERCMD_WEAPON_INSTRUCTION && length == START_SIZE)
        id = MVDHIDDEN_DEMO_START_TIMESTAMP_MS;
    return id < G_N_ELEMENTS(messages) ? &messages[id] : &unknown;
}

/* Reads a type, which may continue in further words; the length does not count them. */
static uint16_t read_type(struct qs_decoder *d)
{
    uint16_t id;

    do
        id = qs_u16(d, QW_HIDDEN_TYPE);
    while (id == MVDHIDDEN_EXTENDED && !d->in.overrun);
    return id;
}

static void read_hidden_body(struct qs_decoder *d, const struct qs_message_type *type,
                             uint32_t start, uint32_t end)
{
    d->in.limit = end;
    if (type->read)
        type->read(d);
    else
        qs_note(d, QS_NOTE_UNKNOWN_MESSAGE, start, HEADER_SIZE, "Unknown hidden message");
    if (d->in.overrun)
        qs_note(d, QS_NOTE_MALFORMED, start, end - start, "%s is longer than its %u bytes",
                type->name, end - start - HEADER_SIZE);
    qs_undecoded_to(d, end);
}

/* Reads a message. Returns true if another one may follow. */
static bool read_message(struct qs_decoder *d)
{
    const uint32_t start = d->in.pos;
    const uint32_t length = qs_le32(d->in.data + start);
    const uint16_t id = qs_le16(d->in.data + start + 4);
    const struct qs_message_type *type = type_of(id, length);
    bool whole;

    qs_open(d, type->group);
    qs_summary_message(d, type->brief);
    qs_u32(d, QW_HIDDEN_LENGTH);
    read_type(d);
    whole = length <= qs_reader_left(&d->in);
    if (whole)
        read_hidden_body(d, type, start, d->in.pos + length);
    else
        qs_note(d, QS_NOTE_MALFORMED, start, HEADER_SIZE, "%s of %u bytes runs past the end",
                type->name, length);
    qs_close(d);
    return whole;
}

void qw_read_hidden_messages(struct qs_decoder *d)
{
    d->coord_format = QS_COORD_FLOAT32;
    /* mvdsv sends its streams the duration of a pause without a length, alone in a block; sv_demo.c
     * SV_MVDWritePausedTimeToStreams. */
    if (qs_reader_left(&d->in) == 3 && qs_peek_u16(d) == MVDHIDDEN_PAUSED_DURATION) {
        qs_open(d, QW_MVDHIDDEN_PAUSED_DURATION);
        qs_summary_message(d, messages[MVDHIDDEN_PAUSED_DURATION].brief);
        read_type(d);
        read_paused_duration(d);
        qs_close(d);
    }
    while (qs_reader_left(&d->in) >= HEADER_SIZE)
        if (!read_message(d))
            break;
    if (d->in.pos < d->in.size && !d->found.problems)
        qs_note(d, QS_NOTE_MALFORMED, d->in.pos, qs_reader_left(&d->in),
                "Shorter than a hidden message");
    qs_undecoded(d);
}

/* --- Client messages of MVD1 --- */

/*
 * Client messages that MVDSV adds: weapons that the server chooses, and reports for debugging.
 * Source: mvdsv sv_user.c SV_ExecuteClientMessage, SV_ClientExtensionWeaponSwitch,
 * SV_DebugClientSideWeaponScript.
 */

/* Reads two weapons, the first in the upper half. Returns false at the end: a half is 0. */
static bool read_packed_weapons(struct qs_decoder *d)
{
    const uint8_t pair = qs_u8(d, QW_WEAPONS_PAIR);

    return pair >> 4 && pair & 0x0f;
}

void qw_read_mvd_weapon(struct qs_decoder *d)
{
    const uint8_t flags = qs_u8(d, QW_WEAPONS_FLAGS);

    if (flags & MVD_WEAPON_FORGET_RANKING)
        qs_u8(d, QW_WEAPONS_AGE);
    if (flags & MVD_WEAPON_FULL_IMPULSE) {
        while (qs_u8(d, QW_WEAPONS_IMPULSE))
            ;
    } else {
        while (read_packed_weapons(d))
            ;
    }
}

static void read_debug_antilag(struct qs_decoder *d)
{
    const uint8_t count = qs_u8(d, QW_DEBUG_PLAYERS);

    for (unsigned i = 0; i < count && !d->in.overrun; i++) {
        qs_open(d, QW_DEBUG_POSITION);
        qw_read_player(d, QW_DEBUG_PLAYER);
        qs_rows(d, QW_DEBUG_MSEC, QW_DEBUG_Z);
        qs_close(d);
    }
}

void qw_read_mvd_debug(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const uint8_t type = qs_u8(d, QW_DEBUG_TYPE);

    if (type == MVD_DEBUG_ANTILAG) {
        read_debug_antilag(d);
    } else if (type == MVD_DEBUG_WEAPON) {
        read_weapon_choice(d);
    } else if (!d->in.overrun) {
        qs_note(d, QS_NOTE_UNKNOWN_MESSAGE, at, 1, "Unknown clc_mvd_debug %u", type);
        d->stop = true;
    }
}

/* --- Framing --- */

uint32_t qw_mvd_block_size(struct qs_view begun)
{
    enum mvd_type type;
    uint32_t body, length;

    if (begun.size < MVD_HEADER_MIN)
        return MVD_HEADER_MIN;
    type = begun.data[1] & MVD_TYPE_MASK;
    if (type < MVD_READ || type > MVD_ALL)
        return 0;
    /* Offset of the payload's length, or of dem_set's numbers. */
    body = MVD_HEADER_MIN + (type == MVD_MULTIPLE ? 4 : 0);
    if (type == MVD_SET)
        return body + 8;
    if (begun.size < body + 4)
        return body + 4;
    length = qs_le32(begun.data + body);
    return length <= MVD_PAYLOAD_MAX ? body + 4 + length : 0;
}

static void read_body(struct qs_reader *in, struct mvd_block *block)
{
    uint32_t length;

    if (block->type == MVD_SET) {
        block->outgoing = qs_reader_u32(in);
        block->incoming = qs_reader_u32(in);
        return;
    }
    block->players = block->type == MVD_MULTIPLE ? qs_reader_u32(in) : 0;
    length = qs_reader_u32(in);
    block->payload = (struct qs_view){qs_reader_bytes(in, length), length};
}

bool qw_mvd_read_block(struct qs_reader *in, struct mvd_block *block)
{
    const uint32_t left = qs_reader_left(in);
    const uint32_t size = qw_mvd_block_size((struct qs_view){in->data + in->pos, left});
    uint8_t type_byte;

    if (!size || size > left)
        return false;
    block->milliseconds = qs_reader_u8(in);
    type_byte = qs_reader_u8(in);
    block->type = type_byte & MVD_TYPE_MASK;
    block->player = type_byte >> MVD_PLAYER_SHIFT;
    read_body(in, block);
    return true;
}
