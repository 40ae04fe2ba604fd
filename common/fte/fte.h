/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FTE's protocol extensions as far as they are the same over QuakeWorld's netchan and Quake's: what
 * client and server agree on, entities as replacement deltas, commands of clcfte_move, and some
 * more messages. Source: PROTOCOL.md; each file says more.
 *
 * A game has these extensions when
 *   - its session begins with a struct fte_session, with `game` set;
 *   - its table of fields begins with the rows of fields.def, which so have the same numbers in
 *     all such games, and the game's own prefix;
 *   - its tables of messages have rows with the functions below. The groups of their fields are the
 *     game's own.
 */
#ifndef FTE_FTE_H
#define FTE_FTE_H

#include "common/core/decode.h"
#include "common/core/text.h"
#include "common/fte/constants.h"

/* --- The session --- */

/* A command of clcfte_move, absolute. */
struct fte_input {
    uint16_t angles[3]; /* pitch, yaw, roll in 1/65536 of a turn */
    int16_t forward, side, up;
    uint8_t msec, buttons, impulse;
    uint32_t time; /* milliseconds of the server's clock */
};

/* What a temporary entity consists of; see temp_entities.c. */
enum fte_te_shape {
    FTE_SHAPE_POINT,
    FTE_SHAPE_LINE,
    FTE_SHAPE_BEAM,
    FTE_SHAPE_MODEL_BEAM,
    FTE_SHAPE_COUNTED,
    FTE_SHAPE_COLORED,
    FTE_SHAPE_LIT,
    FTE_SHAPE_STREAM,
    FTE_SHAPE_COLORED_STREAM,
    FTE_SHAPE_SPRAY,
    FTE_SHAPE_SHOWER,
    FTE_SHAPE_RGB,
    FTE_SHAPE_WEATHER,
    FTE_SHAPE_CUBE,
    FTE_SHAPE_FLASH,
    FTE_SHAPE_JET,
    FTE_SHAPE_TRAIL
};

/* A type of temporary entity. */
struct fte_temp_entity {
    const char *name; /* "TE_SPIKE"; NULL: there is no such type */
    enum fte_te_shape shape;
    bool extension; /* only servers that agreed on extensions send it */
};

/* Rows of a game that these messages share with its other messages. */
struct fte_rows {
    unsigned temp_entity_type;
    unsigned entities_end; /* a u16 */
    unsigned usercmd;      /* the group of a command */
    unsigned pitch;        /* yaw and roll behind it */
    unsigned forward, side, up;
    unsigned msec;
    unsigned loss;
};

/* What is different in each game. */
struct fte_game {
    struct fte_rows rows;
    const struct fte_temp_entity *temp_entities; /* by type */
    unsigned temp_entity_count;
    uint16_t temp_entity_numbering; /* in svcfte_temp_entity_sized: TE_SIZE_QUAKE or 0 */
    /* Emits the name of the model whose number is in the `length` bytes at `offset`. */
    void (*name_model)(struct qs_decoder *d, uint32_t model, uint32_t offset, uint32_t length);
    /* Emits the name of the player if the entity, whose number was just read, is one. */
    void (*name_entity)(struct qs_decoder *d, uint32_t entity);
    /* Reads the u8 that is a player's number, and emits the name. */
    uint8_t (*read_player)(struct qs_decoder *d, unsigned id);
    /*
     * The packet's commands were read: the newest `count` of them, at most 3, the newest last.
     * There are none while the client signs on.
     */
    void (*keep_inputs)(struct qs_session *session, const struct fte_input *inputs, unsigned count);
    /* The client acknowledges the frame whose number was just read; or NULL. */
    void (*acknowledge_frame)(struct qs_decoder *d, int32_t frame);
    /* Whether the server is known to be mvdsv, which gives VOICECHAT the number of PRYDONCURSOR; or
     * NULL. */
    bool (*server_is_mvdsv)(const struct qs_session *session);
};

/* What the session of a game with these extensions begins with. */
struct fte_session {
    struct qs_session base;
    const struct fte_game *game;
    uint32_t fte, fte2, mvd1; /* agreed: the words of svc_serverdata, svc_serverinfo */
    float update_time;        /* of the last svcfte_updateentities: the server's, in seconds */
    uint32_t input_time;      /* of the client's last command by clcfte_move, ms */
    uint16_t angle_base[3];   /* what the angles of clcfte_move count from: pitch, yaw, roll */
};

static inline struct fte_session *fte_session(const struct qs_decoder *d)
{
    return (struct fte_session *)d->session;
}

/* Forgets the extensions agreed on, and what they brought. */
static inline void fte_forget_agreement(struct fte_session *session)
{
    session->fte = session->fte2 = session->mvd1 = 0;
    memset(session->angle_base, 0, sizeof session->angle_base);
}

/* --- extensions.c: how extensions are announced --- */

struct fte_extension {
    uint32_t key, value;
};
/* A pair of key and value in binary, as challenges, svc_serverdata and svc_serverinfo have it. */
struct fte_extension fte_read_extension(struct qs_decoder *d);
/* All pairs that come, which are agreed on from now on; emits the sets in force behind them. */
void fte_read_agreement(struct qs_decoder *d);
/* A pair of key and value as words of a text that begins at `offset`. Returns the numbers. */
struct fte_extension fte_emit_extension_words(struct qs_decoder *d, const struct qs_token *key,
                                              const struct qs_token *value, uint32_t offset);
/* The command pext and its pairs: the extensions that the client can. Nothing for others. */
void fte_emit_pext(struct qs_decoder *d, struct qs_view command, uint32_t offset);
/* Adds the words that are agreed on to the text: " FTE 0x40060600 FTE2 0x7f". */
void fte_describe(const struct fte_session *session, GString *text);

/* A message that extensions add; any of the bits allows it. */
struct fte_message {
    struct qs_message_type type;
    uint32_t fte, fte2, mvd1;
};
/* The message number `id` of a table by number, or NULL where none is there or allowed. */
const struct qs_message_type *fte_allowed_message(const struct qs_decoder *d,
                                                  const struct fte_message *table, size_t count,
                                                  uint32_t id);

/* Origins of players and entities are floats with MVD1's FLOATCOORDS. Returns the format before. */
enum qs_coord_format fte_widen_coords(struct qs_decoder *d);

/* What follows `value`, whose bytes begin at `offset`, cannot be read: ends the message loop. */
void fte_stop_malformed(struct qs_decoder *d, uint32_t offset, const char *what, uint32_t value);

/* --- entities.c: replacement deltas --- */

/* From the server's time on. */
void fte_read_updateentities(struct qs_decoder *d);
void fte_read_baseline_update(struct qs_decoder *d);
void fte_read_static_update(struct qs_decoder *d);

/* Bits of one to four bytes: where the top one of each of the first three is set, another follows.
 */
uint32_t fte_read_bits(struct qs_decoder *d, unsigned id);

/* --- server_messages.c: without entities --- */

void fte_read_setangledelta(struct qs_decoder *d);
void fte_read_setanglebase(struct qs_decoder *d);
void fte_read_voicechat(struct qs_decoder *d);
void fte_read_cgamepacket(struct qs_decoder *d);
void fte_read_cgamepacket_sized(struct qs_decoder *d);
void fte_read_csqcentities(struct qs_decoder *d);
void fte_read_csqcentities_sized(struct qs_decoder *d);
/* What DarkPlaces has as well. */
void fte_read_trailparticles(struct qs_decoder *d);
void fte_read_pointparticles(struct qs_decoder *d);
void fte_read_pointparticles1(struct qs_decoder *d);

/* --- server_messages.c: temporary entities --- */

void fte_read_temp_entity(struct qs_decoder *d);
void fte_read_temp_entity_sized(struct qs_decoder *d);

/* --- client_messages.c --- */

void fte_read_ackframe(struct qs_decoder *d);
void fte_read_qcrequest(struct qs_decoder *d);
void fte_read_prydoncursor(struct qs_decoder *d);
void fte_read_client_voicechat(struct qs_decoder *d);
void fte_read_move(struct qs_decoder *d);
/* Where the mouse's cursor points to; an entity follows. */
void fte_read_cursor(struct qs_decoder *d);

/* --- extensions.c: numbers of variable length --- */

/* Seven bits a byte, the lowest first; the top bit is set where more follow. */
uint64_t fte_read_uleb128(struct qs_reader *in);
uint32_t fte_uleb128(struct qs_decoder *d, unsigned id);
/* Where the engine keeps 16 bits of it, and casts the rest away. */
uint16_t fte_uleb128_short(struct qs_decoder *d, unsigned id);
int32_t fte_uleb128_biased(struct qs_decoder *d, unsigned id, int32_t bias);
uint32_t fte_varint(struct qs_decoder *d, unsigned id);
int16_t fte_varint_signed(struct qs_decoder *d, unsigned id);
/* 64 bits: for a row of type QS_U64, and signed for one of QS_I64. */
uint64_t fte_varint64(struct qs_decoder *d, unsigned id);
int64_t fte_varint64_signed(struct qs_decoder *d, unsigned id);
/* An entity's number: 16 bits, or 15 with more where the top one is set. */
uint32_t fte_big_entity(struct qs_decoder *d, unsigned id);
/* The same as the session writes it: 16 bits without REPLACEMENTDELTAS. */
uint32_t fte_entity(struct qs_decoder *d, unsigned id);

/* The names of an extension's bits: "floatcoords, trans". New; empty if the game has none. */
char *qs_extension_bits_text(const struct qs_protocol *protocol, const char *extension,
                             uint32_t bits);

#endif
