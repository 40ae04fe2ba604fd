/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Buffers the blocks of a QWD demo before the writer, and models the engine that plays them. The
 * newest blocks stay in the buffer, so that a client block can still be inserted where the client
 * sent it: between the server's packets that it had and those that it did not have. That order
 * decides which entity updates an engine accepts.
 *
 * The buffer holds at most QWD_BLOCKS_HELD packets of the server and QWD_BYTES_HELD bytes, plus one
 * block, because many sessions may be open. It holds less while the client's packets arrive.
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
 * Model of an engine that plays the demo: its counters, and which entity updates it drops. The
 * strictest rule is ezQuake's: common/quakeworld/PROTOCOL.md, section 8; cl_demo.c,
 * CL_DemoReadDemCmd; cl_ents.c, CL_ParsePacketEntities.
 */
enum { QWD_ENGINE_FRAMES = 64 }; /* UPDATE_BACKUP */

struct qwd_engine {
    uint32_t out;                      /* number of the next client block */
    uint32_t valid;                    /* packet of the last accepted update; 0: none */
    uint32_t asked[QWD_ENGINE_FRAMES]; /* value of `valid` at each client block, by its number */
};

/* True if the engine accepts a delta in packet `sequence` from packet `base`. */
bool qwd_engine_accepts(const struct qwd_engine *engine, uint32_t sequence, uint32_t base);

/* A buffered packet of the server. */
struct qwd_held {
    uint64_t at; /* offset in the demo */
    uint32_t sequence;
    uint32_t valid; /* packet of the last update that the engine has accepted before */
};

/* A client block. */
struct qwd_command {
    uint64_t at;
    uint32_t number;
    bool generated; /* the capture lacks the packet */
};

/* Blocks of a demo. Thousands of demos may be open, so the fields that every packet needs come
 * first. */
struct qwd_blocks {
    struct qs_demo_writer *out;
    enum qwd_cmd_form form; /* form of client blocks; set before the first block */
    unsigned held_count;
    uint8_t *bytes;          /* bytes not yet written; NULL: not allocated yet */
    uint32_t size, room;     /* bytes used and allocated */
    uint64_t start;          /* offset of `bytes` in the demo */
    uint64_t command_end;    /* offset after the last client block */
    uint64_t generated_end;  /* offset after the last generated client block */
    uint32_t last_generated; /* number of the last generated block */
    struct qwd_engine engine;
    struct qwd_held held[QWD_BLOCKS_HELD];
    struct qwd_command commands[QWD_ENGINE_FRAMES];
};

void qwd_blocks_init(struct qwd_blocks *blocks, struct qs_demo_writer *out);
void qwd_blocks_clear(struct qwd_blocks *blocks);

/* Adds a dem_set, from whose numbers the engine counts. */
void qwd_blocks_set(struct qwd_blocks *blocks, float time, uint32_t outgoing, uint32_t incoming);

/*
 * Adds the client block of the next number. `after`: last packet of the server that the client had
 * when it sent the command. If the block becomes the last one, its time is `time`; otherwise that
 * of the block after it. `generated`: the command is a guess, because the capture lacks the packet.
 */
void qwd_blocks_command(struct qwd_blocks *blocks, float time, const struct qw_usercmd *cmd,
                        uint32_t after, bool generated);

/* Replaces the generated command of a packet that arrived late, if its block is still buffered. */
void qwd_blocks_correct(struct qwd_blocks *blocks, uint32_t number, const struct qw_usercmd *cmd);

/* Adds a packet of the server. */
void qwd_blocks_packet(struct qwd_blocks *blocks, float time, uint32_t sequence,
                       struct qs_view packet);

/* Begins a level with the next packet: nothing can be inserted before it any more. */
void qwd_blocks_level(struct qwd_blocks *blocks);

/* Writes and frees the whole buffer. */
void qwd_blocks_flush(struct qwd_blocks *blocks);

/* Ends the demo: writes the buffer, and the packet that ends demos. */
void qwd_blocks_end(struct qwd_blocks *blocks, float time);

/* --- Entities --------------------------------------------------------------------------------- */

/*
 * Entities in the server's packets of a QWD demo that is being rebuilt. Tracks their frames, and
 * rewrites an update that an engine would drop so that the engine accepts it. Source:
 * common/quakeworld/PROTOCOL.md, section 8; common/fte/PROTOCOL.md, section 3.
 *
 * For a late join the caller adds earlier baselines and frames to `frames`, as if packets had
 * carried them; the first update is then written in full.
 */

struct qwd_entities {
    struct qs_demo_writer *out;
    struct qwd_blocks *blocks;
    struct qw_filter *filter;  /* takes the rewritten messages */
    uint32_t replaced;         /* packet of FTE's last update that engines accept; 0: none */
    uint32_t donor_level;      /* number of the level with a donor's sign-on; 0: none */
    GByteArray *donor_updates; /* base of FTE's first update, without the time; empty: none */
    uint32_t last;             /* number of the last packet tracked */
    uint32_t donor_until;      /* updates with a base up to this packet use the donor's states */
    GByteArray *scratch;
    struct qw_frames frames; /* frames that the client had */
};

void qwd_entities_init(struct qwd_entities *entities, struct qs_demo_writer *out,
                       struct qwd_blocks *blocks, struct qw_filter *filter);
void qwd_entities_clear(struct qwd_entities *entities);

/* Begins a level, or its captured part. `session` has the agreed extensions. */
void qwd_entities_level(struct qwd_entities *entities, const struct qw_session *session);

/* A decoded packet of the server. */
struct qwd_entities_packet {
    const struct qs_decoder *decoder;
    const struct qs_packet *packet;
    float time;
};

/* Returns the packet that this packet's delta is based on, or its own number if it has no delta. */
uint32_t qwd_entities_base(const struct qwd_entities_packet *packet);

/*
 * Tracks the packet. The client blocks before the packet must have been counted, and the packet
 * must be added to the blocks next. Returns true if an engine accepts an update in it.
 */
bool qwd_entities_follow(struct qwd_entities *entities, const struct qwd_entities_packet *packet);

#endif
