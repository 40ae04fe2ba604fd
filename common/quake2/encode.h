/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes server messages for demos, in the variants of q2_demo_variant(): the reverse of what
 * entities.c, player.c and frame_messages.c read. Source: engine, common.c MSG_WriteDeltaEntity;
 * sv_ents.c SV_EmitPacketEntities, SV_WritePlayerstateToClient, SV_WriteFrameToClient; cl_main.c
 * CL_Record_f; extended limits: Q2PRO, msg.c MSG_WriteDeltaEntity,
 * MSG_WriteDeltaPlayerstate_Default.
 *
 * States must fit the variant. Without extended limits they have none of the additional fields, and
 * coordinates fit into 16 bits; angles are cut to their upper byte, solids of 32 bits to the steps
 * of 16-bit ones.
 */
#ifndef Q2_ENCODE_H
#define Q2_ENCODE_H

#include <glib.h>
#include <string.h>

#include "common/core/writer.h"
#include "common/quake2/session.h"
#include "common/quake2/tracker.h"

/* Writes a text with its NUL. */
void q2_encode_text(GByteArray *out, struct qs_view text);
/* Writes the message svc_configstring. */
void q2_encode_configstring(GByteArray *out, uint16_t index, struct qs_view text);

/*
 * Writes the delta from `from` to `to`, with `always` even if nothing changed. With `is_new` it has
 * the old origin if that is not the origin of `from`, which receivers assume.
 */
void q2_encode_entity(GByteArray *out, const struct q2_variant *variant,
                      const struct q2_entity *from, const struct q2_entity *to, bool always,
                      bool is_new);

/* Writes the message svc_spawnbaseline. */
void q2_encode_baseline(GByteArray *out, const struct q2_variant *variant,
                        const struct q2_entity *baseline);

/* Parameters for the encoding of a frame. */
struct q2_frame_style {
    const struct q2_session *baselines;
    uint32_t max_clients; /* entities up to this number always count as new */
    struct q2_variant variant;
};

/* Writes svc_frame, svc_playerinfo and svc_packetentities: `frame` as a delta from `from`, or in
 * full if `from` is NULL. */
void q2_encode_frame(GByteArray *out, const struct q2_frame_style *style,
                     const struct q2_frame *from, const struct q2_frame *frame);

/* --- Values as demos hold them, for the encoder --- */

/* Writer at the end of an array. The put functions do not check for space: the caller reserves it
 * for an entity, or for a frame's header and player. */
struct q2_writer {
    uint8_t *at, *end;
    GByteArray *array;
};

static inline void q2_put_bytes(struct q2_writer *out, const void *bytes, size_t size)
{
    memcpy(out->at, bytes, size);
    out->at += size;
}

static inline void q2_put_u8(struct q2_writer *out, uint8_t value)
{
    *out->at++ = value;
}

static inline void q2_put_u16(struct q2_writer *out, uint16_t value)
{
    const uint8_t bytes[] = {(uint8_t)value, (uint8_t)(value >> 8)};

    q2_put_bytes(out, bytes, sizeof bytes);
}

static inline void q2_put_u32(struct q2_writer *out, uint32_t value)
{
    const uint8_t bytes[] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                             (uint8_t)(value >> 24)};

    q2_put_bytes(out, bytes, sizeof bytes);
}

/* Writes the low `size` bytes, 1 to 4. */
static inline void q2_put_number(struct q2_writer *out, uint32_t value, unsigned size)
{
    q2_put_u32(out, value);
    out->at -= 4 - size;
}

enum { Q2_STEP_MAX = 0x3fff }; /* largest step in two bytes; the smallest is -Q2_STEP_MAX - 1 */

/* Writes 16 bits; a variable coordinate is a step from `from`, or 23 bits for larger steps. */
static inline void q2_put_coordinate(struct q2_writer *out, const struct q2_variant *variant,
                                     int32_t from, int32_t to)
{
    const int32_t step = to - from;

    if (!variant->extensions2) {
        q2_put_u16(out, (uint16_t)to);
    } else if (step >= -Q2_STEP_MAX - 1 && step <= Q2_STEP_MAX) {
        q2_put_u16(out, (uint16_t)((uint32_t)step << 1));
    } else {
        q2_put_u16(out, (uint16_t)((uint32_t)to << 1 | 1));
        q2_put_u8(out, (uint8_t)((uint32_t)to >> 15));
    }
}

static inline void q2_put_vector(struct q2_writer *out, const struct q2_variant *variant,
                                 const int32_t from[3], const int32_t to[3])
{
    for (unsigned i = 0; i < 3; i++)
        q2_put_coordinate(out, variant, from[i], to[i]);
}

static inline void q2_put_angles(struct q2_writer *out, const int16_t angles[3])
{
    for (unsigned i = 0; i < 3; i++)
        q2_put_u16(out, (uint16_t)angles[i]);
}

/* Writes svc_playerinfo: the delta from `from` to `to`. In encode_player.c. */
void q2_put_player(struct q2_writer *out, const struct q2_variant *v, const struct q2_player *from,
                   const struct q2_player *to);

/* Adds the extra bits (EPS_*), which follow from `bits` in protocols without them. In player.c. */
uint32_t q2_with_implied_bits(uint32_t bits);

#endif
