/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames of which the capture lacks the packet, made of what another client of the server was told
 * at the same time: common/quake2/PROTOCOL.md, section 14.
 */
#ifndef QS_DEMO_DM2_HEAL_H
#define QS_DEMO_DM2_HEAL_H

#include "common/demo/dm2/late_join.h"
#include "common/demo/writer.h"

/* So many peers are remembered by which of their frames are of one time with the session's. */
enum { DM2_HEALING_PEERS = 16 };

/*
 * What a session's healing may cost, in entities that are looked at. It takes long to find out
 * which frames are of one time: as long as packets are few, there is less of it. Zeroed, it begins.
 */
struct dm2_healing {
    uint64_t earned, spent;
    struct {
        uint64_t peer; /* serial number of its tracker */
        int32_t offset;
    } known[DM2_HEALING_PEERS];
    unsigned known_count; /* of all that there ever were */
};

/* A packet of the session, of so many bytes. */
void dm2_healing_earn(struct dm2_healing *healing, uint32_t size);

/*
 * Frame `number` of `session`, whose tracker does not have it, is inserted there, as a guess.
 * False: the peer is of another level or variant, has no frame of that time, or nothing tells which
 * of its frames are of one time with the session's; or it would cost more than was earned.
 */
bool dm2_heal(struct dm2_healing *healing, const struct q2_session *session,
              const struct q2_session *peer, int32_t number);

/* The same with the first that can of those whom `out` knows. `session`: or NULL. */
bool dm2_heal_of_peers(struct dm2_healing *healing, struct qs_demo_writer *out,
                       const struct q2_session *session, int32_t number);

#endif
