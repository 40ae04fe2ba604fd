/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hidden messages of MVD, for programs that study a game: in blocks for no player, which players of
 * demos pass over. Each has a length of its own. Source: qwprot protocol.h; mvdsv sv_user.c
 * SV_DebugWriteServerAntilagPositions, SV_DebugWriteWeaponScript,
 * SV_DebugServerSideWeaponInstruction, SV_DebugClientCommand, sv_demo_misc.c SV_MVDEmbedInfo_f,
 * sv_send.c SV_MulticastEx; ezquake cl_parse.c CL_ParseHiddenDataMessage; ktx combat.c T_Damage.
 */
#include "common/quakeworld/decode.h"
#include "common/quakeworld/messages.h"
#include "common/quakeworld/mvd.h"
#include "common/quakeworld/usercmd.h"

enum { HEADER_SIZE = 6 }; /* length and type */

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
    qs_coord3(d, QW_ANTILAG_POS);
    qs_u8(d, QW_ANTILAG_MSEC);
    qs_u8(d, QW_ANTILAG_PREDMODEL);
    qs_coord3(d, QW_ANTILAG_CLIENT);
    qs_close(d);
}

static void read_antilag_position(struct qs_decoder *d)
{
    uint8_t count;

    read_player(d);
    count = qs_u8(d, QW_ANTILAG_PLAYERS);
    qs_u32(d, QW_ANTILAG_INCOMING);
    qs_f32(d, QW_ANTILAG_SERVER_TIME);
    qs_f32(d, QW_ANTILAG_TARGET_TIME);
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

static void read_weapons(struct qs_decoder *d)
{
    read_player(d);
    qw_read_weapon_choice(d);
}

static void read_weapon_instruction(struct qs_decoder *d)
{
    read_player(d);
    qs_u8(d, QW_INSTRUCTION_FLAGS);
    qs_i32(d, QW_INSTRUCTION_SEQUENCE);
    qs_u32(d, QW_INSTRUCTION_MODE);
    for (unsigned i = 0; i < INSTRUCTION_WEAPONS; i++)
        qs_u8(d, QW_INSTRUCTION_WEAPON);
}

static void read_demoinfo(struct qs_decoder *d)
{
    qs_label(d, ": piece %d", qs_i16(d, QW_DEMOINFO_BLOCK));
    qs_text_sized(d, QW_DEMOINFO_TEXT, qs_reader_left(&d->in));
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

static void read_demo_start(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    uint64_t milliseconds = qs_reader_u32(&d->in);

    milliseconds |= (uint64_t)qs_reader_u32(&d->in) << 32;
    qs_emit_uint(d, QW_DEMO_START, at, sizeof milliseconds, milliseconds);
}

/* clang-format off */
static const struct qs_message_type messages[] = {
#define HIDDEN(id, number, name, read, blurb) [MVDHIDDEN_##id] = {name, &name[sizeof "mvdhidden_" - 1], QW_MVDHIDDEN_##id, read},
#include "common/quakeworld/messages.def"
};
/* clang-format on */

static const struct qs_message_type unknown = {"Unknown hidden message", "unknown",
                                               QW_MVDHIDDEN_UNKNOWN, NULL};

static const struct qs_message_type *find_type(uint16_t id)
{
    return id < G_N_ELEMENTS(messages) ? &messages[id] : &unknown;
}

/* A type that does not fit a word goes on in the next; the length does not count these words. */
static uint16_t read_type(struct qs_decoder *d)
{
    uint16_t id;

    do
        id = qs_u16(d, QW_HIDDEN_TYPE);
    while (id == MVDHIDDEN_EXTENDED && !d->in.overrun);
    return id;
}

/* A message ends at its length. */
static void read_body(struct qs_decoder *d, const struct qs_message_type *type, uint32_t start,
                      uint32_t end)
{
    d->in.limit = end;
    if (type->read)
        type->read(d);
    else
        qs_note(d, QS_NOTE_UNKNOWN_MESSAGE, start, HEADER_SIZE, "Unknown hidden message");
    if (d->in.overrun)
        qs_note(d, QS_NOTE_MALFORMED, start, end - start, "%s is longer than its %u bytes",
                type->name, end - start);
    qs_undecoded_to(d, end);
}

/* Returns whether another may follow. */
static bool read_message(struct qs_decoder *d)
{
    const uint32_t start = d->in.pos;
    const struct qs_message_type *type = find_type(qs_le16(d->in.data + start + 4));
    uint32_t length;
    bool whole;

    qs_open(d, type->group);
    qs_summary_message(d, type->brief);
    length = qs_u32(d, QW_HIDDEN_LENGTH);
    read_type(d);
    whole = length <= qs_reader_left(&d->in);
    if (whole)
        read_body(d, type, start, d->in.pos + length);
    else
        qs_note(d, QS_NOTE_MALFORMED, start, HEADER_SIZE, "%s of %u bytes runs past the end",
                type->name, length);
    qs_close(d);
    return whole;
}

/*
 * mvdsv sends its streams the duration of a pause without a length, alone in a block; sv_demo.c
 * SV_MVDWritePausedTimeToStreams.
 */
static bool is_bare(const struct qs_decoder *d)
{
    return qs_reader_left(&d->in) == 3 && qs_peek_u16(d) == MVDHIDDEN_PAUSED_DURATION;
}

static void read_bare(struct qs_decoder *d)
{
    qs_open(d, QW_MVDHIDDEN_PAUSED_DURATION);
    qs_summary_message(d, messages[MVDHIDDEN_PAUSED_DURATION].brief);
    read_type(d);
    read_paused_duration(d);
    qs_close(d);
}

void qw_read_hidden_messages(struct qs_decoder *d)
{
    d->coord_format = QS_COORD_FLOAT32;
    if (is_bare(d))
        read_bare(d);
    while (qs_reader_left(&d->in) >= HEADER_SIZE)
        if (!read_message(d))
            break;
    if (d->in.pos < d->in.size && !d->problems)
        qs_note(d, QS_NOTE_MALFORMED, d->in.pos, qs_reader_left(&d->in),
                "Shorter than a hidden message");
    qs_undecoded(d);
}
