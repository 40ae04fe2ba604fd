/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FTE's protocol extensions, as far as they are the same over QuakeWorld's netchan and Quake's:
 * their negotiation, entities as replacement deltas, commands of clcfte_move, and some other
 * messages. Source: PROTOCOL.md, and the sources that each file names.
 *
 * A game has these extensions if
 *   - its session begins with a struct fte_session, with `game` set;
 *   - its table of fields begins with the rows of fields.def, which thus have the same numbers in
 *     all such games, and the game's own prefix;
 *   - its tables of messages have rows with the functions below. The groups of their fields belong
 *     to the game.
 */
#ifndef FTE_FTE_H
#define FTE_FTE_H

#include "common/core/decode.h"
#include "common/core/text.h"
#include "common/fte/constants.h"

/* --- The session --- */

/* A command of clcfte_move, as absolute values. */
struct fte_input {
    uint16_t angles[3]; /* pitch, yaw, roll in 1/65536 of a turn */
    int16_t forward, side, up;
    uint8_t msec, buttons, impulse;
    uint32_t time; /* server time in milliseconds */
};

/* Parts of a temporary entity; see server_messages.c. */
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
    const char *name; /* "TE_SPIKE"; NULL for an unused number */
    enum fte_te_shape shape;
    bool extension; /* sent only by servers that agreed on extensions */
};

/* A game's own rows that these messages use. */
struct fte_rows {
    unsigned temp_entity_type;
    unsigned entities_end; /* row of a u16 */
    unsigned usercmd;      /* group of a command */
    unsigned pitch;        /* followed by yaw and roll */
    unsigned forward, side, up;
    unsigned msec;
    unsigned loss;
};

/* The differences between games. */
struct fte_game {
    struct fte_rows rows;
    const struct fte_temp_entity *temp_entities; /* indexed by type */
    unsigned temp_entity_count;
    uint16_t temp_entity_numbering; /* in svcfte_temp_entity_sized: TE_SIZE_QUAKE or 0 */
    /* Emits the name of model number `model`, which is in the `length` bytes at `offset`. */
    void (*name_model)(struct qs_decoder *d, uint32_t model, uint32_t offset, uint32_t length);
    /* Emits the player's name if the entity, whose number was just read, is a player. */
    void (*name_entity)(struct qs_decoder *d, uint32_t entity);
    /* Reads a player's number (u8), emits the player's name, and returns the number. */
    uint8_t (*read_player)(struct qs_decoder *d, unsigned id);
    /*
     * Stores the newest `count` commands of the packet, at most 3, the newest last. While the
     * client signs on, `count` is 0.
     */
    void (*keep_inputs)(struct qs_session *session, const struct fte_input *inputs, unsigned count);
    /* Handles the client's acknowledgement of the frame whose number was just read; or NULL. */
    void (*acknowledge_frame)(struct qs_decoder *d, int32_t frame);
    /* True if the server is known to be mvdsv, whose VOICECHAT has the number of PRYDONCURSOR; or
     * NULL. */
    bool (*server_is_mvdsv)(const struct qs_session *session);
};

/* First member of the session of a game with these extensions. */
struct fte_session {
    struct qs_session base;
    const struct fte_game *game;
    uint32_t fte, fte2, mvd1; /* agreed extensions: the words in svc_serverdata or svc_serverinfo */
    float update_time;        /* server time of the last svcfte_updateentities, in seconds */
    uint32_t input_time;      /* time of the client's last command in clcfte_move, ms */
    uint16_t angle_base[3];   /* pitch, yaw, roll from which angles of clcfte_move count */
};

static inline struct fte_session *fte_session(const struct qs_decoder *d)
{
    return (struct fte_session *)d->session;
}

/* Resets the agreed extensions and the state that depends on them. */
static inline void fte_forget_agreement(struct fte_session *session)
{
    session->fte = session->fte2 = session->mvd1 = 0;
    memset(session->angle_base, 0, sizeof session->angle_base);
}

/* --- extensions.c: announcement of extensions --- */

struct fte_extension {
    uint32_t key, value;
};
/* Reads a binary pair of key and value, as in challenges, svc_serverdata and svc_serverinfo. */
struct fte_extension fte_read_extension(struct qs_decoder *d);
/* True if a pair with a known key follows. */
bool fte_next_is_extension(const struct qs_decoder *d);
/* Reads all pairs that follow and agrees on them; emits the resulting extensions. */
void fte_read_agreement(struct qs_decoder *d);
/* Emits a pair of key and value, words of a text at `offset`. Returns their numbers. */
struct fte_extension fte_emit_extension_words(struct qs_decoder *d, const struct qs_token *key,
                                              const struct qs_token *value, uint32_t offset);
/* Emits the pairs of a command pext, the extensions of the client. Ignores other commands. */
void fte_emit_pext(struct qs_decoder *d, struct qs_view command, uint32_t offset);
/* Appends the agreed extensions to the text: " FTE 0x40060600 FTE2 0x7f". */
void fte_describe(const struct fte_session *session, GString *text);

/* A message of extensions; any of the bits allows it. */
struct fte_message {
    struct qs_message_type type;
    uint32_t fte, fte2, mvd1;
};
/* Returns message `id` of a table indexed by number, or NULL if none is there or allowed. */
const struct qs_message_type *fte_allowed_message(const struct qs_decoder *d,
                                                  const struct fte_message *table, size_t count,
                                                  uint32_t id);

/* Makes origins of players and entities floats with MVD1's FLOATCOORDS. Returns the old format. */
enum qs_coord_format fte_widen_coords(struct qs_decoder *d);

/* Adds a note about the unreadable `value`, which begins at `offset`, and ends the message loop. */
void fte_stop_malformed(struct qs_decoder *d, uint32_t offset, const char *what, uint32_t value);

/* --- entities.c: replacement deltas --- */

/* Reads the message from the server's time on. */
void fte_read_updateentities(struct qs_decoder *d);
void fte_read_baseline_update(struct qs_decoder *d);
void fte_read_static_update(struct qs_decoder *d);

/* Reads bits of one to four bytes: the top bit of each of the first three says that one follows. */
uint32_t fte_read_bits(struct qs_decoder *d, unsigned id);

/* --- server_messages.c: server messages except entities --- */

void fte_read_setangledelta(struct qs_decoder *d);
void fte_read_setanglebase(struct qs_decoder *d);
void fte_read_voicechat(struct qs_decoder *d);
void fte_read_cgamepacket(struct qs_decoder *d);
void fte_read_cgamepacket_sized(struct qs_decoder *d);
void fte_read_csqcentities(struct qs_decoder *d);
void fte_read_csqcentities_sized(struct qs_decoder *d);
/* Messages that DarkPlaces has as well. */
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

/* --- extensions.c: numbers of variable length --- */

/* Reads seven bits for each byte, the lowest first; the top bit says that another byte follows. */
uint64_t fte_read_uleb128(struct qs_reader *in);
uint32_t fte_uleb128(struct qs_decoder *d, unsigned id);
/* Like fte_uleb128(), for a number that the engine truncates to 16 bits. */
uint16_t fte_uleb128_short(struct qs_decoder *d, unsigned id);
int32_t fte_uleb128_biased(struct qs_decoder *d, unsigned id, int32_t bias);
uint32_t fte_varint(struct qs_decoder *d, unsigned id);
int16_t fte_varint_signed(struct qs_decoder *d, unsigned id);
/* 64 bits: for rows of type QS_U64 and QS_I64. */
uint64_t fte_varint64(struct qs_decoder *d, unsigned id);
int64_t fte_varint64_signed(struct qs_decoder *d, unsigned id);
/* Reads an entity's number: 16 bits, or 23 if the top bit is set. */
uint32_t fte_big_entity(struct qs_decoder *d, unsigned id);
/* Like fte_big_entity(), but always 16 bits without REPLACEMENTDELTAS. */
uint32_t fte_entity(struct qs_decoder *d, unsigned id);

/* Returns the names of the bits, "floatcoords, trans" (g_free() it); empty if the game has none. */
char *qs_extension_bits_text(const struct qs_protocol *protocol, const char *extension,
                             uint32_t bits);

#endif
