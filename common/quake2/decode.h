/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readers of packets and their parts, and their helpers; by file. */
#ifndef Q2_DECODE_H
#define Q2_DECODE_H

#include <glib.h>

#include "common/core/decode.h"
#include "common/quake2/constants.h"
#include "common/quake2/session.h"

/* Returns the variant of the protocol that the session has agreed on. */
static inline const struct q2_variant *q2_variant(const struct qs_decoder *d)
{
    return &q2_session_of_const(d->session)->variant;
}

/* Returns the tracker that follows the session's frames, or NULL: copies of a session have none. */
static inline struct q2_tracker *q2_tracker(const struct qs_decoder *d)
{
    return q2_session_of_const(d->session)->tracker;
}

/* connectionless.c: packets that begin with four bytes 255, or a master's bare query */
bool q2_is_connectionless(const struct qs_packet *packet);
/* True if the text after the mark begins with a known word. */
bool q2_is_connectionless_text(struct qs_view text);
void q2_decode_connectionless(struct qs_decoder *d);

/* netchan.c: packets with sequence numbers */
void q2_decode_netchan(struct qs_decoder *d);
/* Reads the sequence numbers of the packet: see qs_protocol.seqinfo. */
bool q2_seqinfo(const struct qs_session *base, const struct qs_packet *packet,
                struct qs_seqinfo *seqinfo);

/*
 * Guesses what a capture that begins within a connection lacks: the protocol version, the width of
 * the client's qport, the netchan, and which end is the server. Finds a protocol in which the
 * current packet can be read, and adapts the session. Does nothing if the protocol is known.
 * `decode` decodes a packet from its first byte on.
 */
void q2_guess(struct qs_decoder *d, void (*decode)(struct qs_decoder *));

/* aqtion.c: AQtion's own messages */
void q2_read_ghudupdate(struct qs_decoder *d);
void q2_read_userstatistic(struct qs_decoder *d);
void q2_read_cvarsync(struct qs_decoder *d);
void q2_read_clc_cvarsync(struct qs_decoder *d);
/* Reads AQtion's part of the player state. */
void q2_read_aqtion_player(struct qs_decoder *d);
/* Reads a mask of one byte, or of two if the first has the bit `more`. */
unsigned q2_read_one_or_two_bytes(struct qs_decoder *d, unsigned id, unsigned more);

/* rerelease.c: messages of q2repro, and demos of the rerelease */
void q2_read_damage(struct qs_decoder *d);
void q2_read_fog_message(struct qs_decoder *d);
void q2_read_poi(struct qs_decoder *d);
void q2_read_help_path(struct qs_decoder *d);
void q2_read_muzzleflash3(struct qs_decoder *d);
void q2_read_achievement(struct qs_decoder *d);
void q2_read_splitclient(struct qs_decoder *d);
void q2_read_locprint(struct qs_decoder *d);

/* serverdata.c */
/* If the session's protocol is known but not decoded, skips the rest, notes it, returns true. */
bool q2_pass_over(struct qs_decoder *d);
void q2_read_serverdata(struct qs_decoder *d);

/* level.c: find the level of the client's commands, the server's commands, and frames */
void q2_level_command(struct qs_decoder *d, struct qs_view command);
void q2_level_stufftext(struct qs_decoder *d, struct qs_view text);
void q2_level_frame(struct qs_decoder *d, int32_t number);

/* server_messages.c */
/* Reads all messages up to the end of the buffer. */
void q2_read_server_messages(struct qs_decoder *d);
/* Reads all messages of a packet without netchan. */
void q2_decode_messages(struct qs_decoder *d);
/* Parts of messages that MVD has, too. */
void q2_read_print(struct qs_decoder *d);
/* Reads the fields that a sound's flags announce. */
void q2_read_sound_fields(struct qs_decoder *d, uint8_t flags);
/* Looks up a message that all protocols have: see qs_message_lookup. */
const struct qs_message_type *q2_plain_message(const struct qs_decoder *d, uint32_t id);

/* gamestate.c */
/* Reads a buffer that the packet contained in another form (inflated or joined). */
void q2_read_source(struct qs_decoder *d, const char *title, GBytes *source,
                    void (*read)(struct qs_decoder *));
void q2_read_configstring(struct qs_decoder *d);
enum qs_role q2_config_role(uint32_t range, uint32_t number);
void q2_read_configstring_stream(struct qs_decoder *d);
void q2_read_spawnbaseline(struct qs_decoder *d);
void q2_read_baseline_stream(struct qs_decoder *d);
void q2_read_gamestate(struct qs_decoder *d);
void q2_read_configblast(struct qs_decoder *d);
void q2_read_spawnbaselineblast(struct qs_decoder *d);

/* mvd.c */
/* Reads MVD messages up to the reader's limit. */
void q2_read_mvd_messages(struct qs_decoder *d);

/* gtv.c: conversations over TCP; see qs_protocol.recognize_stream, pdu_length and decode_pdu */
bool q2_recognize_stream(struct qs_view start);
uint32_t q2_pdu_length(const struct qs_session *session, const struct qs_packet *start,
                       uint32_t seen);
void q2_decode_pdu(struct qs_decoder *d);

/* usercmd.c */
/* Reads a command as changes to `command`, and stores it there. `minor` is R1Q2's, or 0. */
void q2_read_usercmd(struct qs_decoder *d, struct q2_usercmd *command, uint32_t minor);
/* Reads the bit stream of clc_move_nodelta and clc_move_batched: `packets` runs of commands. */
void q2_read_batches(struct qs_decoder *d, struct q2_usercmd *command, unsigned packets);

/*
 * Returns the checksum of a clc_move in the packet numbered `sequence`, over the move's bytes after
 * the checksum byte.
 */
uint8_t q2_move_checksum(const uint8_t *data, uint32_t size, uint32_t sequence);

/* client_messages.c */
/* Reads all messages up to the end of the buffer. */
void q2_read_client_messages(struct qs_decoder *d);

/* frame_messages.c */
void q2_read_frame(struct qs_decoder *d, unsigned extra_bits);
void q2_read_playerinfo(struct qs_decoder *d);
void q2_read_packetentities(struct qs_decoder *d);
void q2_read_playerupdate(struct qs_decoder *d);

/* Reads a number of one, two or four bytes. */
static inline uint32_t q2_read_number(struct qs_decoder *d, unsigned id, unsigned size)
{
    return size == 1 ? qs_u8(d, id) : size == 2 ? qs_u16(d, id) : qs_u32(d, id);
}

/* player.c */
/* Reads the mask, and the fields that it and `extra` (EPS_*, protocols 35 and 36) announce, into
 * `player`; the others keep their values. */
void q2_read_player(struct qs_decoder *d, uint8_t extra, struct q2_player *player);

/* Reads the fields that `bits` (PS_* and EPS_*) announce. */
void q2_read_player_fields(struct qs_decoder *d, uint32_t bits, struct q2_player *player);

/* names.c */
/* Emits and returns the name that config strings give to the number read from `at` on. Returns NULL
 * if the name is unknown or no fields are wanted. */
const char *q2_emit_name(struct qs_decoder *d, unsigned id, uint32_t at, enum q2_range range,
                         uint32_t number);
void q2_emit_player_name(struct qs_decoder *d, unsigned id, uint32_t at, uint32_t player,
                         bool label);

/* entities.c */
/* Forgets the solid of a removed entity, whose next delta is from its baseline (rerelease). */
void q2_rerelease_remove(struct q2_session *session, uint16_t number);
struct q2_entity_mask {
    uint64_t bits;
    uint16_t number;
};
/* Reads the mask and the number at the start of an entity. */
struct q2_entity_mask q2_read_entity_mask(struct qs_decoder *d);
/* Reads the fields that the mask announces into `entity`; the others keep their values. */
void q2_read_entity(struct qs_decoder *d, uint64_t bits, struct q2_entity *entity);
/* Reads the fields of a baseline, whose mask and number were read. */
void q2_read_baseline(struct qs_decoder *d, struct q2_entity_mask mask);

/* temp_entities.c */
void q2_read_temp_entity(struct qs_decoder *d);

/* positions.c: coordinates in the session's format, in 1/8 units */
int32_t q2_read_coordinate(struct qs_decoder *d, unsigned id);
/* Reads a vector, whose row is `id`. */
void q2_read_position(struct qs_decoder *d, unsigned id, int32_t to[3]);
/* Reads a coordinate that may be a step from `*from`, and stores it there. Steps occur only with
 * extended limits, version 2. */
void q2_read_stepped_coordinate(struct qs_decoder *d, unsigned id, int32_t *from);
/* Read a vector and a coordinate in a format that does not depend on the session. */
void q2_read_float_position(struct qs_decoder *d, unsigned id, int32_t to[3]);
int32_t q2_read_plain_coordinate(struct qs_decoder *d, unsigned id, bool is_float);
/* Reads three bytes in quarters. */
void q2_read_quarters(struct qs_decoder *d, unsigned id, int8_t to[3]);

#endif
