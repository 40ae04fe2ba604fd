/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules of --sanitize for demos of Quake II, recorded by a client (DM2) or a server (MVD2). */
#include "common/demo/dm2/dm2.h"
#include "common/demo/sanitize/rules.h"

#include "common/core/text.h"
#include "common/quake2/constants.h"
#include "common/quake2/decode.h"
#include "common/quake2/session.h"

enum kind { PLAIN = 1, EXTENDED = 2 };

static unsigned kinds(const struct qs_session *session)
{
    return q2_session_of_const(session)->variant.extensions ? EXTENDED : PLAIN;
}

#define MESSAGES                                                                                   \
    "svc_muzzleflash svc_muzzleflash2 svc_temp_entity svc_layout svc_inventory svc_nop svc_sound " \
    "svc_print svc_configstring svc_centerprint "

static const struct sanitize_message messages[] = {
    {MESSAGES "svc_spawnbaseline", 0, 0, 0},
    {"svc_serverdata", SANITIZE_START, 0, 0},
    {"svc_stufftext", SANITIZE_COMMANDS, 0, 0},
    {"svc_frame", SANITIZE_GAME, 0, 0},
    {"svc_playerinfo svc_packetentities", SANITIZE_PART, 0, 0},
    {NULL, 0, 0, 0},
};

static const struct sanitize_message mvd_messages[] = {
    {MESSAGES "mvd_nop mvd_configstring mvd_sound mvd_print mvd_unicast mvd_unicast_r "
              "mvd_multicast_all mvd_multicast_phs mvd_multicast_pvs mvd_multicast_all_r "
              "mvd_multicast_phs_r mvd_multicast_pvs_r",
     0, 0, 0},
    {"mvd_serverdata", SANITIZE_START, 0, 0},
    {"mvd_frame", SANITIZE_GAME, 0, 0},
    {NULL, 0, 0, 0},
};

enum {
    CLIENTS = 256,
    FLASHES = 211, /* size of id's table in m_flash.c; engines do not check the number */
    FRAME_LAST = INT32_MAX / 100 /* Q2PRO converts to milliseconds: entities.c, CL_DeltaFrame */
};

/* Limits of an entity number, without and with Q2PRO's extensions. */
#define ENTITY(row, first)                                                                         \
    {row, .low = first, .high = Q2_ENTITIES_MAX - 1, .kinds = PLAIN},                              \
    {                                                                                              \
        row, .low = first, .high = Q2_ENTITIES_EXTENDED_MAX - 1                                    \
    }

static const struct sanitize_limit limits[] = {
    ENTITY(Q2_MUZZLEFLASH_ENTITY, 1),
    ENTITY(Q2_MUZZLEFLASH2_ENTITY, 1),
    ENTITY(Q2_SOUND_ENTITY, 0),
    ENTITY(Q2_ENTITY_NUMBER, 0),
    ENTITY(Q2_TE_ENTITY, 0),
    ENTITY(Q2_TE_DESTINATION_ENTITY, 0),
    {Q2_MUZZLEFLASH_ID, .high = 127, .named = true}, /* FTE stops at unnamed numbers */
    {Q2_MUZZLEFLASH2_ID, .high = FLASHES - 1, .kinds = PLAIN},
    {Q2_SOUND_FLAGS, .high = 255, .forbidden = 0x80}, /* FTE reads further flags after this bit */
    {Q2_TE_TYPE, .high = 55, .kinds = PLAIN},
    {Q2_TE_TYPE31, .low = 1, .high = 0}, /* never kept: engines read a newer type */
    /* Source: fteqw clq2_ents.c, CLQ2_ParseDelta. */
    {Q2_ENTITY_BITS, .high = UINT32_MAX, .forbidden = 0xf0000000, .kinds = PLAIN},
    {Q2_FRAME_NUMBER, .high = FRAME_LAST},
    {Q2_PLAYER_FOV, .low = 1, .high = 255},
    {0},
};

/* Console commands that stay: sounds, and the last command of a demo's sign-on. */
static const struct qs_needed_command commands[] = {{"play", "f*"}, {"precache", ""}, {NULL, ""}};

/* True if every statistic and client number of a layout program is in range. Q2PRO stops at others:
 * screen.c, SCR_ExecuteLayoutString. A width comes after "num", two coordinates after "client". */
static bool is_layout(const struct qs_session *session, struct qs_view program)
{
    static const char *const words[] = {
        "pic",           "if",     "num", "stat_string", "stat_string2", "stat_cstring",
        "stat_cstring2", "client", "ctf", NULL};
    const int64_t stats =
        q2_session_of_const(session)->variant.extensions2 ? Q2_STATS_EXTENDED : Q2_STATS;
    struct qs_token word, next;
    uint32_t pos = 0;
    int64_t number;

    while (qs_token_next(program, &pos, &word)) {
        const bool client = qs_view_equal(word.text, "client") || qs_view_equal(word.text, "ctf");
        unsigned before = client ? 2 : qs_view_equal(word.text, "num");

        if (!qs_view_is_one_of(word.text, words))
            continue;
        do
            if (!qs_token_next(program, &pos, &next))
                return true; /* the next config string may hold the rest */
        while (before--);
        if (!qs_view_number_within(next.text, 0, client ? CLIENTS - 1 : stats - 1, &number))
            return false;
    }
    return true;
}

/* True if the first model is no map, at which Q2PRO stops: precache.c, CL_UpdateConfigstring. */
static bool is_broken(const struct qs_session *base)
{
    const struct q2_session *session = q2_session_of_const(base);
    const struct qs_view map = qs_view_of(q2_configstring(session, Q2_RANGE_MODELS, 1));

    return map.data && (!sanitize_is_file(map) || map.size < 10 || !qs_view_begins(map, "maps/") ||
                        memcmp(map.data + map.size - 4, ".bsp", 4) != 0);
}

/* Implements sanitize_game.refuses: true for an unsafe status bar, or an unsafe map. Engines join
 * the config strings of the status bar, so all of them are checked as one text. */
static bool refuses(const struct qs_session *base, uint32_t range, uint32_t number)
{
    const struct q2_session *session = q2_session_of_const(base);
    g_autofree char *bar = range == Q2_RANGE_STATUSBAR ? q2_status_bar(session) : NULL;

    return (bar && (!is_layout(base, qs_view_of(bar)) || qs_text_leads_out(qs_view_of(bar)))) ||
           (range == Q2_RANGE_MODELS && number == 1 && is_broken(base));
}

#define GAME(list, first, second)                                                                  \
    {                                                                                              \
        .messages = list, .limits = limits, .commands = commands, .stufftext = SVC_STUFFTEXT,      \
        .ids = {first, second}, .without_folder = true, .kinds = kinds, .refuses = refuses,        \
        .number_row = Q2_CONFIGSTRING_NUMBER, .is_broken = is_broken, .is_layout = is_layout       \
    }

static const struct sanitize_game game = GAME(messages, Q2_SVC, 0);
static const struct sanitize_game mvd_game = GAME(mvd_messages, Q2_MVD, Q2_SVC);

/* --- DM2: empty blocks are dropped, since each would delay engines by 0.1 seconds */

static enum qs_demo_status next_dm2(struct qs_reader *in, const struct qs_demo_writer *out,
                                    bool is_first)
{
    struct qs_view block;

    (void)out, (void)is_first;
    if (qs_reader_left(in) >= DM2_HEADER && qs_le32(in->data + in->pos) == UINT32_MAX) {
        qs_reader_bytes(in, DM2_HEADER);
        return QS_DEMO_BLOCK;
    }
    return dm2_read_block(in, &block);
}

static void write_dm2(const struct sanitize_block *block)
{
    if (sanitize_has_messages(block))
        sanitize_put_length(block, 0, DM2_HEADER);
    if (sanitize_has_messages(block) || block->block.size == DM2_HEADER)
        sanitize_write_made(block);
}

const struct sanitize_format sanitize_dm2 = {.extension = "dm2",
                                             .game = &game,
                                             .first = 1,
                                             .next = next_dm2,
                                             .decode = dm2_decode_block,
                                             .write = write_dm2};

/* --- MVD2: a magic number, blocks, and an empty block at the end */

static enum qs_demo_status next_mvd2(struct qs_reader *in, const struct qs_demo_writer *out,
                                     bool is_first)
{
    const uint32_t left = qs_reader_left(in);
    uint32_t size;

    (void)out;
    if (left < (is_first ? Q2_MVD_MAGIC_SIZE : Q2_MVD_LENGTH_SIZE))
        return QS_DEMO_CUT;
    size =
        is_first ? Q2_MVD_MAGIC_SIZE : Q2_MVD_LENGTH_SIZE + (uint32_t)qs_le16(in->data + in->pos);
    return qs_reader_bytes(in, size) ? QS_DEMO_BLOCK : QS_DEMO_CUT;
}

static void write_mvd2(const struct sanitize_block *block)
{
    if (block->payload && sanitize_has_messages(block))
        sanitize_put_length(block, 0, Q2_MVD_LENGTH_SIZE);
    if (sanitize_has_messages(block) || block->block.size == Q2_MVD_LENGTH_SIZE)
        sanitize_write_made(block);
}

const struct sanitize_format sanitize_mvd2 = {.extension = "mvd2",
                                              .game = &mvd_game,
                                              .next = next_mvd2,
                                              .decode = q2_decode_mvd_block,
                                              .write = write_mvd2};
