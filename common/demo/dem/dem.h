/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DEM, Quake's demo file: a line of text, then blocks, each with a message that the client's game
 * read, and the view angles. Source: common/quake/PROTOCOL.md, section 4 (engines' cl_demo.c).
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
    DEM_BLOCK_MAX = 65536, /* DarkPlaces' limit; QuakeSpasm's is 64000, id's 8000 */
    DEM_BLOCK_HEADER = 16
};

struct dem_angles {
    float pitch, yaw, roll;
};

struct dem_block {
    struct dem_angles view;
    bool from_client; /* DarkPlaces marks blocks of the client; playback skips them */
    struct qs_view messages;
};

/* Mark of client blocks in the length: DarkPlaces' DEMOMSG_CLIENT_TO_SERVER. */
#define DEM_FROM_CLIENT UINT32_C(0x80000000)

extern const struct qs_demo_file dem_file;
extern const struct qs_demo_rebuilder dem_rebuilder;
extern const struct qs_demo_packet_maker dem_packets;

/* Implements qs_demo_file.decode_block. */
void dem_decode_block(struct qs_decoder *d);

/* Read the line, and a block. `in` advances only if they return QS_DEMO_LINE or QS_DEMO_BLOCK. */
enum qs_demo_status dem_read_header(struct qs_reader *in, int32_t *track);
enum qs_demo_status dem_read_block(struct qs_reader *in, struct dem_block *block);

void dem_append_header(GByteArray *out, int32_t track);
void dem_append_block(GByteArray *out, const struct dem_angles *view, struct qs_view messages);
/* Replaces the view angles of the block that begins at `block`. */
void dem_set_view(uint8_t *block, const struct dem_angles *view);

/* --- Late joins ------------------------------------------------------------------------------- */

extern const struct qs_late_join dem_late_join;

/* Returns the baselines of a donor's sign-on: struct qs_entity_update by entity number. */
static inline GHashTable *dem_baselines(const struct qs_sign_on *sign_on)
{
    return sign_on->extra;
}

/*
 * True if the packet just decoded has messages of a game, which may only follow svc_serverinfo:
 * without a level, engines stop a demo's playback at them.
 */
bool dem_needs_level(const struct qs_decoder *decoder);

/* Calls `add` for each message that the donor provides, in order, with its block number. The
 * message is valid during the call. */
typedef void dem_add_message(void *user, uint32_t block, struct qs_view message);
void dem_match_messages(const struct qs_donor_match *match, dem_add_message *add, void *user);

#endif
