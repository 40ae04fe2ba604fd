/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of each packet of a dissector, and of each stream unit, for later passes: a row in one
 * table, since memory per packet limits large captures.
 */
#ifndef QS_PLUGIN_PACKET_STATES_H
#define QS_PLUGIN_PACKET_STATES_H

#include "plugin/dissector.h"

struct conversation_state;

struct packet_state {
    const struct conversation_state *conversation; /* NULL: none, or quoted by an error message */
    uint32_t frame;                                /* its number */
    uint32_t number;                               /* of its session; 0: it belongs to none */
    uint32_t snapshot;  /* of the session before it; see plugin/snapshots.h */
    uint32_t missing;   /* bytes that the capture lacks before the unit */
    uint32_t layer : 8; /* of the frame: its curr_layer_num */
    uint32_t from : 2;  /* enum qs_end */
    uint32_t unit : 22; /* from 1 on; 0: a datagram */
};

/* Masks. */
enum { PACKET_STATE_LAYER = 0xff, PACKET_STATE_END = 0x3, PACKET_STATE_UNIT = 0x3fffff };

/* The state of the frame's datagram or unit, or NULL. Valid until another one is added. */
struct packet_state *packet_states_find(const struct dissector *dissector, const packet_info *pinfo,
                                        uint32_t unit);

/* A new one, all zeros except its key. Frames come in order. */
struct packet_state *packet_states_add(struct dissector *dissector, const packet_info *pinfo,
                                       uint32_t unit);

/* The first state of the frame that belongs to a session, or NULL. */
const struct packet_state *packet_states_in_session(const struct dissector *dissector,
                                                    const packet_info *pinfo);

/* Where the sessions of the dissector's packets are remembered. */
struct qs_snapshots *packet_states_snapshots(struct dissector *dissector);

/* The capture is closed. */
void packet_states_free(struct dissector *dissector);

#endif
