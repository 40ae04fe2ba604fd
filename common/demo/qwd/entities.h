/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The entities in the server's packets of a QWD demo that is being rebuilt. Tracks their frames,
 * and rewrites an update that an engine would drop so that the engine accepts it. Source:
 * common/quakeworld/PROTOCOL.md, section 8; common/fte/PROTOCOL.md, section 3.
 *
 * For a late join the earlier baselines and frames go into `frames`, as if packets had carried
 * them; the first update is then written in full.
 */
#ifndef QS_DEMO_QWD_ENTITIES_H
#define QS_DEMO_QWD_ENTITIES_H

#include "common/core/decode.h"
#include "common/demo/qwd/filter.h"
#include "common/demo/qwd/blocks.h"
#include "common/quakeworld/entity_frames.h"

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
