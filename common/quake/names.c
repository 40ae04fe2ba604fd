/* SPDX-License-Identifier: GPL-2.0-or-later */

#include <stddef.h>

#include "common/quake/constants.h"

const struct qs_name nq_protocol_names[] = {
    {PROTOCOL_NETQUAKE, "Quake"},
    {PROTOCOL_DP1, "DarkPlaces 1"},
    {PROTOCOL_DP2, "DarkPlaces 2"},
    {PROTOCOL_NEHAHRA_MOVIE, "Nehahra movie"},
    {PROTOCOL_FITZQUAKE, "FitzQuake"},
    {PROTOCOL_RMQ, "RMQ"},
    {PROTOCOL_DP3, "DarkPlaces 3"},
    {PROTOCOL_DP4, "DarkPlaces 4"},
    {PROTOCOL_DP5, "DarkPlaces 5"},
    {PROTOCOL_DP6, "DarkPlaces 6"},
    {PROTOCOL_DP7, "DarkPlaces 7"},
    {PROTOCOL_DP8, "DarkPlaces 8"},
    {PROTOCOL_BJP, "BJP"},
    {PROTOCOL_BJP2, "BJP 2"},
    {PROTOCOL_BJP3, "BJP 3"},
    {0, NULL},
};

/* clang-format off */
const struct qs_name nq_control_names[] = {
#define CONTROL(id, number, name, read, asks, answers) {number, name},
#include "common/quake/messages.def"
    {0, NULL},
};
/* clang-format on */

const struct qs_name nq_mod_names[] = {
    {0, "None"},
    {MOD_PROQUAKE, "ProQuake"},
    {0, NULL},
};

/* clang-format off */
const struct qs_name nq_svc_names[] = {
#define SVC(id, number, variant, name, read, blurb) {number, name},
#define SVC_FTE(id, number, fte, fte2, name, read, blurb) {number, name},
#define SVC_SHARED(id, number, variant, name, read, blurb)
#define SVC_FTE_SHARED(id, number, fte, fte2, name, read, blurb)
#define SHARED(id, name) {SVC_##id, name},
#include "common/quake/messages.def"
    /* Entity updates have 128 ids. */
    QS_EACH_OF_64(U_SIGNAL, "entity update"), QS_EACH_OF_64(U_SIGNAL + 64, "entity update"),
    {0, NULL},
};

const struct qs_name nq_clc_names[] = {
#define CLC(id, number, name, read, blurb) {number, name},
#define CLC_FTE(id, number, fte, fte2, name, read, blurb) {number, name},
#include "common/quake/messages.def"
    {0, NULL},
};

const struct qs_name nq_temp_entity_names[] = {
#define TE(id, number, name, shape) {number, name},
#include "common/quake/messages.def"
    {0, NULL},
};
/* clang-format on */

const struct qs_name nq_signon_names[] = {
    {1, "Lists sent: ask for the entities (prespawn)"},
    {2, "Entities sent: ask for the player (spawn)"},
    {3, "All sent: begin"},
    {0, NULL},
};

const struct qs_name nq_gametype_names[] = {
    {0, "Single player or cooperative"},
    {1, "Deathmatch"},
    {0, NULL},
};

const struct qs_name nq_animation_names[] = {
    {0, "One frame"},
    {1, "Two frames"},
    {2, "Three frames"},
    {ANIMATION_BLEND4, "Four frames"},
    {ANIMATION_SKELETON, "Skeleton"},
    {0, NULL},
};
