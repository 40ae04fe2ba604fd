/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the Quake II decoder know of each other. */
#ifndef Q2_MESSAGES_H
#define Q2_MESSAGES_H

#include "common/core/decoder.h"
#include "common/quake2/quake2.h"

/* connectionless.c: a packet that begins with four bytes 255, or a master's bare query. */
bool q2_is_connectionless(const struct qs_packet *packet);
bool q2_is_surely_quake2(const struct qs_packet *packet);
void q2_decode_connectionless(struct qs_decoder *d);

/* netchan.c: a packet with sequence numbers. */
void q2_decode_netchan(struct qs_decoder *d);

/* protocol.c: server messages that stand alone. */
void q2_decode_messages(struct qs_decoder *d);

/* demo.c */
void q2_decode_demo_block(struct qs_decoder *d);

/* client_messages.c, server_messages.c: all messages up to the end of the source. */
void q2_read_client_messages(struct qs_decoder *d);
void q2_read_server_messages(struct qs_decoder *d);
/* Hands the messages of the current source that were read since the last call to the tracker. */
void q2_track_messages(struct qs_decoder *d);
/* Reads on in what the packet holds in another form. */
void q2_read_source(struct qs_decoder *d, const char *title, GBytes *source,
                    void (*read)(struct qs_decoder *));

/* usercmd.c */

/* A command that gives what changed from `command`, which becomes it. `minor`: R1Q2's, or 0. */
void q2_read_usercmd(struct qs_decoder *d, struct q2_usercmd *command, uint32_t minor);
/* The batches of clc_move_nodelta and clc_move_batched: `packets` runs of commands, bit by bit. */
void q2_read_batches(struct qs_decoder *d, struct q2_usercmd *command, unsigned packets);

/* frames.c */
void q2_read_frame(struct qs_decoder *d, unsigned extra_bits);
void q2_read_playerinfo(struct qs_decoder *d);
void q2_read_packetentities(struct qs_decoder *d);
void q2_read_playerupdate(struct qs_decoder *d);

/* entity.c */
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

/* player.c: the fields that its mask and `extra` (EPS_*) name, into `player`; the others stay. */
void q2_read_player(struct qs_decoder *d, unsigned extra, struct q2_player *player);

/* temp_entities.c */
void q2_read_temp_entity(struct qs_decoder *d);

/* positions.c: coordinates in the session's format, in 1/8 units. */
int32_t q2_read_coordinate(struct qs_decoder *d, unsigned id);
/* Three of them; `id` is the row of the vector. */
void q2_read_position(struct qs_decoder *d, unsigned id, int32_t to[3]);
/* What may come as a step from `from`, which becomes the new value: only with extended limits,
 * version 2. */
void q2_read_stepped_coordinate(struct qs_decoder *d, unsigned id, int32_t *from);
/* Three bytes in quarters. */
void q2_read_quarters(struct qs_decoder *d, unsigned id, int8_t to[3]);

#endif
