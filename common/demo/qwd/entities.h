/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The entities in the server's packets of a QWD demo that is being rebuilt: their frames are
 * followed, and an update that a player of the demo would drop is written so that it takes it.
 * Source: common/quakeworld/PROTOCOL.md, section 8; common/fte/PROTOCOL.md, section 3.
 *
 * A demo that begins late can be given what was known before: baselines and frames go into
 * `frames`, as packets would bring them; the first update is then written in full.
 */
#ifndef QS_DEMO_QWD_ENTITIES_H
#define QS_DEMO_QWD_ENTITIES_H

#include "common/core/parse.h"
#include "common/demo/sanitize/filter_quakeworld.h"
#include "common/demo/qwd/blocks.h"
#include "common/demo/qwd/replacement.h"
#include "common/quakeworld/entity_frames.h"

struct qwd_entities {
    struct qs_demo_writer *out;
    struct qwd_blocks *blocks;
    struct filter_qw *filter; /* what is written anew replaces its message there */
    struct qw_frames frames;  /* that the client had */
    struct qwd_replacement replacement;
    uint32_t lent_level; /* number of the level whose sign-on was lent; 0: none */
    GByteArray *lent;    /* what FTE's first update counts from, behind its time; empty: nothing */
    uint32_t last;       /* number of the last packet that was followed */
    uint32_t lent_until; /* updates that count from packets up to this one get what was lent */
    GByteArray *scratch;
};

void qwd_entities_init(struct qwd_entities *entities, struct qs_demo_writer *out,
                       struct qwd_blocks *blocks, struct filter_qw *filter);
void qwd_entities_clear(struct qwd_entities *entities);

/* A level begins, or what is known of it: the session has the extensions in force. */
void qwd_entities_level(struct qwd_entities *entities, const struct qw_session *session);

/* A packet of the server, which was decoded; messages count in `content`. */
struct qwd_entities_packet {
    const struct qs_decoder *decoder;
    const struct qs_packet *packet;
    const uint8_t *content;
    float time;
};

/* Whether the packet has a delta, and the packet that it counts from. */
bool qwd_entities_base(const struct qwd_entities_packet *packet, uint32_t *base);

/* What a player does with the packet. */
struct qwd_entities_outcome {
    bool took;     /* an update */
    uint32_t base; /* the frame that it needs for that; 0: none */
};

/*
 * Follows the packet. A player must have counted what client blocks it counts before the packet,
 * and the packet must go to the blocks next.
 */
struct qwd_entities_outcome qwd_entities_follow(struct qwd_entities *entities,
                                                const struct qwd_entities_packet *packet);

#endif
