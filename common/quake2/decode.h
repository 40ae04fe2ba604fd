/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The readers of packets and of what stands in them, and what they use; by file. */
#ifndef Q2_DECODE_H
#define Q2_DECODE_H

#include <glib.h>

#include "common/core/decode.h"
#include "common/quake2/constants.h"
#include "common/quake2/session.h"

/* The variant of the protocol that the session has agreed on. */
static inline const struct q2_variant *q2_variant(const struct qs_decoder *d)
{
    return &q2_session_of_const(d->session)->variant;
}

/* The tracker that follows the frames, or NULL: copies of a session have none. */
static inline struct q2_tracker *q2_tracker(const struct qs_decoder *d)
{
    return q2_session_of_const(d->session)->tracker;
}

/* connectionless.c: packets that begin with four bytes 255, or a master's bare query */
bool q2_is_connectionless(const struct qs_packet *packet);
/* Whether the text behind the mark begins with a known word. */
bool q2_is_connectionless_text(struct qs_view text);
void q2_decode_connectionless(struct qs_decoder *d);

/* protocol.c: see qs_protocol.recognize and is_foreign */
bool q2_recognize(const struct qs_protocol *protocol, const struct qs_packet *packet);
bool q2_is_foreign(const struct qs_protocol *protocol, const struct qs_packet *packet);

/* netchan.c: packets with sequence numbers */
void q2_decode_netchan(struct qs_decoder *d);
/* Where the packet stands in the sequence numbers: see qs_protocol.seqinfo. */
bool q2_seqinfo(const struct qs_session *base, const struct qs_packet *packet,
                struct qs_seqinfo *seqinfo);

/*
 * What a capture that begins within a connection lacks: the protocol version, the width
 * of the client's qport, the netchan, and who is the server. Looks which protocol the packet at
 * hand can be read in, and adapts the session. Does nothing where the session knows. `decode`
 * decodes a packet from its first byte on.
 */
void q2_guess(struct qs_decoder *d, void (*decode)(struct qs_decoder *));

/* aqtion.c: messages of AQtion's own */
void q2_read_ghudupdate(struct qs_decoder *d);
void q2_read_userstatistic(struct qs_decoder *d);
void q2_read_cvarsync(struct qs_decoder *d);
void q2_read_clc_cvarsync(struct qs_decoder *d);
/* What the player has of it. */
void q2_read_aqtion_player(struct qs_decoder *d);
/* A mask of one byte, or of two where the first has `more`. */
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
/* Passes over what follows if the session's protocol is known and not decoded, with a note. Returns
 * whether it did. */
bool q2_pass_over(struct qs_decoder *d);
void q2_read_serverdata(struct qs_decoder *d);

/* level.c: whose level packets are of: the client's commands, the server's, and frames */
void q2_level_command(struct qs_decoder *d, struct qs_view command);
void q2_level_stufftext(struct qs_decoder *d, struct qs_view text);
void q2_level_frame(struct qs_decoder *d, int32_t number);

/* server_messages.c */
/* All messages up to the end of the source. */
void q2_read_server_messages(struct qs_decoder *d);
/* The same where there is no netchan: the source is all of the packet. */
void q2_decode_messages(struct qs_decoder *d);
/* Parts that MVD has, too. */
void q2_read_print(struct qs_decoder *d);
/* The fields that a sound's flags announce. */
void q2_read_sound_fields(struct qs_decoder *d, uint8_t flags);
/* The messages that all protocols have: see qs_message_lookup. */
const struct qs_message_type *q2_plain_message(const struct qs_decoder *d, uint32_t id);

/* gamestate.c */
/* Reads on in what the packet holds in another form. */
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
/* Messages of MVD up to the reader's limit. */
void q2_read_mvd_messages(struct qs_decoder *d);

/* gtv.c: conversations over TCP; see qs_protocol.recognize_stream, pdu_length and decode_unit */
bool q2_recognize_stream(struct qs_view start);
uint32_t q2_pdu_length(const struct qs_session *session, const struct qs_packet *start,
                       uint32_t seen);
void q2_decode_unit(struct qs_decoder *d);

/* usercmd.c */
/* A command that gives what changed from `command`, which becomes it. `minor`: R1Q2's, or 0. */
void q2_read_usercmd(struct qs_decoder *d, struct q2_usercmd *command, uint32_t minor);
/* The batches of clc_move_nodelta and clc_move_batched: `packets` runs of commands, bit by bit. */
void q2_read_batches(struct qs_decoder *d, struct q2_usercmd *command, unsigned packets);

/*
 * The checksum byte of a clc_move in the packet numbered `sequence`, over the move's bytes behind
 * the checksum byte.
 */
uint8_t q2_move_checksum(const uint8_t *data, uint32_t size, uint32_t sequence);

/* client_messages.c */
/* All messages up to the end of the source. */
void q2_read_client_messages(struct qs_decoder *d);

/* frame_messages.c */
void q2_read_frame(struct qs_decoder *d, unsigned extra_bits);
void q2_read_playerinfo(struct qs_decoder *d);
void q2_read_packetentities(struct qs_decoder *d);
void q2_read_playerupdate(struct qs_decoder *d);

/* A number of one, two or four bytes. */
static inline uint32_t q2_read_number(struct qs_decoder *d, unsigned id, unsigned size)
{
    return size == 1 ? qs_u8(d, id) : size == 2 ? qs_u16(d, id) : qs_u32(d, id);
}

/* player.c */
/* The fields that its mask and the byte `extra` (EPS_*, protocols 35 and 36) name, into `player`;
 * the others stay. */
void q2_read_player(struct qs_decoder *d, uint8_t extra, struct q2_player *player);

/* The fields that `bits` (PS_* and EPS_*) name. */
void q2_read_player_fields(struct qs_decoder *d, uint32_t bits, struct q2_player *player);

/* names.c */
/* The name that config strings give to the number read from `at` on, which is returned; NULL:
 * unknown, or nobody listens. */
const char *q2_emit_name(struct qs_decoder *d, unsigned id, uint32_t at, enum q2_range range,
                         uint32_t number);
void q2_emit_player_name(struct qs_decoder *d, unsigned id, uint32_t at, uint32_t player,
                         bool label);

/* entities.c */
/* The entity is gone, and comes again as its baseline: the rerelease. */
void q2_rerelease_remove(struct q2_session *session, uint16_t number);
struct q2_entity_mask {
    uint64_t bits;
    uint16_t number;
};
/* The mask and the number that an entity begins with. */
struct q2_entity_mask q2_read_entity_mask(struct qs_decoder *d);
/* The fields that the mask names, into `entity`; the others stay. */
void q2_read_entity(struct qs_decoder *d, uint64_t bits, struct q2_entity *entity);
/* A baseline: mask, number and fields. */
void q2_read_baseline(struct qs_decoder *d, struct q2_entity_mask mask);

/* temp_entities.c */
void q2_read_temp_entity(struct qs_decoder *d);

/* positions.c: coordinates in the session's format, in 1/8 units */
int32_t q2_read_coordinate(struct qs_decoder *d, unsigned id);
/* Three of them; `id` is the row of the vector. */
void q2_read_position(struct qs_decoder *d, unsigned id, int32_t to[3]);
/* What may come as a step from `from`, which becomes the new value: only with extended limits,
 * version 2. */
void q2_read_stepped_coordinate(struct qs_decoder *d, unsigned id, int32_t *from);
/* The same in a format that does not depend on the session. */
void q2_read_float_position(struct qs_decoder *d, unsigned id, int32_t to[3]);
int32_t q2_read_plain_coordinate(struct qs_decoder *d, unsigned id, bool is_float);
/* Three bytes in quarters. */
void q2_read_quarters(struct qs_decoder *d, unsigned id, int8_t to[3]);

#endif
