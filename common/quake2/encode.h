/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes server messages for demos, in the variants of q2_demo_variant(): the other direction of
 * what entities.c, player.c and frame_messages.c read. Source: engine, common.c
 * MSG_WriteDeltaEntity; sv_ents.c SV_EmitPacketEntities, SV_WritePlayerstateToClient,
 * SV_WriteFrameToClient; cl_main.c CL_Record_f; extended limits: Q2PRO, msg.c MSG_WriteDeltaEntity,
 * MSG_WriteDeltaPlayerstate_Default.
 *
 * States must fit the variant. Without extended limits they have none of the fields that only those
 * know, and coordinates within 16 bits; angles are cut to their upper byte, solids of 32 bits to
 * the steps of those of 16.
 */
#ifndef Q2_ENCODE_H
#define Q2_ENCODE_H

#include <glib.h>

#include "common/core/writer.h"
#include "common/quake2/variant.h"
#include "common/quake2/states.h"
#include "common/quake2/tracker.h"

/* With the NUL. */
void q2_encode_text(GByteArray *out, struct qs_view text);
/* The message. */
void q2_encode_configstring(GByteArray *out, uint16_t index, struct qs_view text);

/*
 * The delta that makes `to` of `from`. `always`: even where nothing changed; `is_new`: with the old
 * origin, where it is not the origin of `from`, which receivers take for it.
 */
void q2_encode_entity(GByteArray *out, const struct q2_variant *variant,
                      const struct q2_entity *from, const struct q2_entity *to, bool always,
                      bool is_new);

/* svc_spawnbaseline. */
void q2_encode_baseline(GByteArray *out, const struct q2_variant *variant,
                        const struct q2_entity *baseline);

/* What a frame is written with beside its state. */
struct q2_frame_style {
    const struct q2_tracker *baselines;
    uint32_t max_clients; /* entities up to this number count as new always */
    struct q2_variant variant;
};

/* svc_frame, svc_playerinfo and svc_packetentities: `frame` as a delta from `from`, or in full
 * where that is NULL. */
void q2_encode_frame(GByteArray *out, const struct q2_frame_style *style,
                     const struct q2_frame *from, const struct q2_frame *frame);

#endif
