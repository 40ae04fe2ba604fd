/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DEM, the demo file of Quake: a line of text, then blocks, each a message that the client's game
 * read and its view angles. Source: common/quake/PROTOCOL.md, section 4 (cl_demo.c of the engines).
 *
 *     text  number of the CD track to play, or -1; a line feed
 *     then  i32 length, 3 x f32 pitch, yaw, roll in degrees, that many bytes: server messages
 */
#ifndef QS_DEMO_DEM_DEM_H
#define QS_DEMO_DEM_DEM_H

#include "common/demo/format.h"
#include "common/demo/late_join/late_join.h"
#include "common/quake/session.h"

enum {
    DEM_TRACK_NONE = -1,
    DEM_HEADER_MAX = 12,   /* a 32-bit number and its line feed */
    DEM_BLOCK_MAX = 65536, /* DarkPlaces; QuakeSpasm plays up to 64000 bytes, id's engine 8000 */
    DEM_BLOCK_HEADER = 16
};

struct dem_angles {
    float pitch, yaw, roll;
};

struct dem_block {
    struct dem_angles view;
    bool from_client; /* DarkPlaces marks client blocks; players skip them */
    struct qs_view messages;
};

/* DarkPlaces' mark of client blocks (DEMOMSG_CLIENT_TO_SERVER), in the length. */
#define DEM_FROM_CLIENT UINT32_C(0x80000000)

extern const struct qs_demo_file dem_file;
extern const struct qs_demo_rebuilder dem_rebuilder;
extern const struct qs_demo_packet_maker dem_packets;

/* qs_demo_file.decode_block */
void dem_decode_block(struct qs_decoder *d);

/*
 * Read the line, then the blocks. `in` only moves if they return QS_DEMO_LINE and QS_DEMO_BLOCK.
 */
enum qs_demo_status dem_read_header(struct qs_reader *in, int32_t *track);
enum qs_demo_status dem_read_block(struct qs_reader *in, struct dem_block *block);

void dem_append_header(GByteArray *out, int32_t track);
void dem_append_block(GByteArray *out, const struct dem_angles *view, struct qs_view messages);
/* Replaces the view of the block that begins there. */
void dem_set_view(uint8_t *block, const struct dem_angles *view);

/* --- Late joins ------------------------------------------------------------------------------- */

/* Late join of Quake's sessions (common/quake/PROTOCOL.md, section 9). */

extern const struct qs_late_join dem_late_join;

/* qs_late_join.add_packet of Quake. */
bool dem_add_packet(struct qs_sign_on *sign_on, const struct qs_decoder *decoder);

/* What a donor's sign-on keeps beside its messages: baselines, struct qs_entity_update by number.
 */
static inline GHashTable *dem_baselines(const struct qs_sign_on *sign_on)
{
    return sign_on->extra;
}

/* Whether the message is the name, the frags or the colors of a player. */
bool dem_is_of_player(uint8_t id);

/*
 * Whether the packet just decoded belongs to a game, not to what precedes a level's svc_serverinfo:
 * players stop at it without a level.
 */
bool dem_needs_level(const struct qs_decoder *decoder);

/* Calls `add` for each message that the donor provides, in order, with its block number. */
typedef void dem_add_message(void *user, uint32_t block, struct qs_view message);
void dem_match_messages(const struct qs_donor_match *match, dem_add_message *add, void *user);

#endif
