/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What protocol versions, minor versions and extensions write in different ways. */
#ifndef Q2_VARIANT_H
#define Q2_VARIANT_H

#include <stdbool.h>
#include <stdint.h>

/* How config strings are numbered. */
enum q2_layout { Q2_LAYOUT_VANILLA, Q2_LAYOUT_EXTENDED, Q2_LAYOUT_RERELEASE };

struct q2_variant {
    bool packed;        /* protocols 35 and 36: frames in one message, extra player bits */
    bool relay;         /* recorded by a relay: messages for one client are marked */
    bool server_record; /* a server-side recording: frames hold entities only */
    bool suppress_byte; /* svc_frame has one: all protocols but 26 */
    bool long_solid;    /* solids of 32 bits */
    bool short_angles;  /* U_ANGLE16 */
    bool beam_origin;   /* old_origin of beams stays until it is sent */
    bool extensions;    /* extended limits */
    bool extensions2;   /* extended limits, version 2: variable coordinates, 64 stats */
    bool player_fog;
    bool clientnum16; /* the client number is a short */
    bool q2repro;     /* coordinates are floats, messages are numbered otherwise */
    enum q2_layout layout;
    bool rerelease; /* its demos: floats in many places, wider fields */
    bool floats;    /* positions of messages are floats */
    bool mvd;       /* a server's stream or file: removals may have fields */
    bool aqtion;    /* frames keep the ids of their messages; a byte of flags in the player */
};

/* q2pro-ng speaks a protocol of its own under Q2PRO's number, with a minor version of 2000. */
bool q2_is_minor_of_q2pro_ng(uint32_t minor);

/* Whether what is said in that version, with that minor version, can be decoded. */
bool q2_is_decoded(int32_t version, uint32_t minor);

/* Whether it is one of the rerelease, which are decoded as demos. */
bool q2_is_rerelease(int32_t version);

/* Protocol 36, or one that was made of it. */
bool q2_is_q2pro(int32_t version);

/*
 * The variant of a session: `minor` is the minor version in force, `flags` (PF_*) and `record`
 * (enum q2_record) are those of svc_serverdata.
 */
struct q2_variant q2_variant_of(int32_t version, uint32_t minor, uint16_t flags, uint8_t record);

/* Whether MVD of that minor version can be decoded, and its variant: `flags` are MVF_*. */
bool q2_is_minor_of_mvd(uint32_t minor);
struct q2_variant q2_mvd_variant(uint32_t minor, uint16_t flags);

/* How demos of that protocol version are written: up to 34, or 3434 to 3436. */
struct q2_variant q2_demo_variant(int32_t version);

#endif
