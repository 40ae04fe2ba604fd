/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Buffers the blocks of a QWD demo before the writer, and models the engine that plays them. The
 * newest blocks stay in the buffer, so that a client block can still be inserted where the client
 * sent it: between the server's packets that it had and those that it did not have. That order
 * decides which entity updates an engine accepts.
 *
 * The buffer holds at most QWD_BLOCKS_HELD packets of the server and QWD_BYTES_HELD bytes, plus one
 * block: many sessions may be open. It holds less while the client's packets come.
 */
#ifndef QS_DEMO_QWD_BLOCKS_H
#define QS_DEMO_QWD_BLOCKS_H

#include "common/core/decode.h"
#include "common/demo/qwd/qwd.h"
#include "common/demo/writer.h"
#include "common/demo/zip_archive.h"
#include "common/quakeworld/entity_states.h"

enum { QWD_BLOCKS_HELD = 64, QWD_BYTES_HELD = 10 * 1024 };

/*
 * An engine that plays the demo: what it counts, and which entity updates it drops. The strictest
 * rule is ezQuake's: common/quakeworld/PROTOCOL.md, section 8; cl_demo.c, CL_DemoReadDemCmd;
 * cl_ents.c, CL_ParsePacketEntities.
 */
enum { QWD_PLAYER_FRAMES = 64 }; /* UPDATE_BACKUP */

struct qwd_player {
    uint32_t out;                      /* number of the next client block */
    uint32_t valid;                    /* packet of the last update that it accepted; 0: none */
    uint32_t asked[QWD_PLAYER_FRAMES]; /* `valid` at each client block, by its number */
};

/* Whether it accepts a delta in packet `sequence` from packet `base`. */
bool qwd_player_accepts(const struct qwd_player *player, uint32_t sequence, uint32_t base);

/* A buffered packet of the server. */
struct qwd_held {
    uint64_t at; /* offset in the demo */
    uint32_t sequence;
    uint32_t valid; /* the last update that the engine has accepted before it */
};

/* A client block, by its number. */
struct qwd_command {
    uint64_t at;
    uint32_t number;
    bool made; /* the capture lacks the packet */
};

/* There may be thousands, and each packet is of another one: what every packet needs comes first.
 */
struct qwd_blocks {
    struct qs_demo_writer *out;
    enum qwd_cmd_form form; /* of client blocks; set before the first block */
    unsigned held_count;
    uint8_t *bytes;       /* not yet written; NULL: not allocated yet */
    uint32_t size, room;  /* bytes used and allocated */
    uint64_t start;       /* offset of the first of them in the demo */
    uint64_t command_end; /* offset after the last client block, */
    uint64_t made_end;    /* and after the last generated one */
    uint32_t last_made;   /* number of the last generated block */
    struct qwd_player player;
    struct qwd_held held[QWD_BLOCKS_HELD];
    struct qwd_command commands[QWD_PLAYER_FRAMES];
};

void qwd_blocks_init(struct qwd_blocks *blocks, struct qs_demo_writer *out);
void qwd_blocks_clear(struct qwd_blocks *blocks);

/* Adds a dem_set: the engine counts from its numbers. */
void qwd_blocks_set(struct qwd_blocks *blocks, float time, uint32_t outgoing, uint32_t incoming);

/*
 * Adds the client block of the next number, which the client sent when `after` was the last of the
 * server's packets that it had. If it is the last block, its time is `time`; otherwise that of the
 * block after it. `made`: the capture lacks the packet, and the command is a guess.
 */
void qwd_blocks_command(struct qwd_blocks *blocks, float time, const struct qw_usercmd *cmd,
                        uint32_t after, bool made);

/* The missing packet arrived: its command replaces the generated one if that is still buffered. */
void qwd_blocks_correct(struct qwd_blocks *blocks, uint32_t number, const struct qw_usercmd *cmd);

/* Adds a packet of the server. */
void qwd_blocks_packet(struct qwd_blocks *blocks, float time, uint32_t sequence,
                       struct qs_view packet);

/* A level begins with the next packet: nothing can be inserted before it any more. */
void qwd_blocks_level(struct qwd_blocks *blocks);

/* Writes and frees the whole buffer. */
void qwd_blocks_flush(struct qwd_blocks *blocks);

/* Ends the demo. Under --sanitize the end is so long that no zip archive can end with it:
 * zip_archive.h. */
void qwd_blocks_end(struct qwd_blocks *blocks, float time);

/* --- Entities --------------------------------------------------------------------------------- */

/*
 * The entities in the server's packets of a QWD demo that is being rebuilt. Tracks their frames,
 * and rewrites an update that an engine would drop so that the engine accepts it. Source:
 * common/quakeworld/PROTOCOL.md, section 8; common/fte/PROTOCOL.md, section 3.
 *
 * For a late join the earlier baselines and frames go into `frames`, as if packets had carried
 * them; the first update is then written in full.
 */

struct qwd_entities {
    struct qs_demo_writer *out;
    struct qwd_blocks *blocks;
    struct filter_qw *filter;  /* rewritten messages replace the originals there */
    uint32_t replaced;         /* packet of FTE's last update that engines accept; 0: none */
    uint32_t donor_level;      /* number of the level with a donor's sign-on; 0: none */
    GByteArray *donor_updates; /* base of FTE's first update, after its time; empty: none */
    uint32_t last;             /* number of the last packet tracked */
    uint32_t donor_until;      /* updates with a base up to this packet get the donor's states */
    GByteArray *scratch;
    struct qw_frames frames; /* that the client had */
};

void qwd_entities_init(struct qwd_entities *entities, struct qs_demo_writer *out,
                       struct qwd_blocks *blocks, struct filter_qw *filter);
void qwd_entities_clear(struct qwd_entities *entities);

/* A level begins, or its captured part; `session` has the agreed extensions. */
void qwd_entities_level(struct qwd_entities *entities, const struct qw_session *session);

/* A decoded packet of the server. */
struct qwd_entities_packet {
    const struct qs_decoder *decoder;
    const struct qs_packet *packet;
    float time;
};

/* The packet that its delta counts from; its own number: it has none. */
uint32_t qwd_entities_base(const struct qwd_entities_packet *packet);

/*
 * Tracks the packet. The client blocks before the packet must have been counted, and the packet
 * must be added to the blocks next. Returns whether an engine accepts an update in it.
 */
bool qwd_entities_follow(struct qwd_entities *entities, const struct qwd_entities_packet *packet);

#endif
