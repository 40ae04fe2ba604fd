/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages by number, and the readers in messages.def that stand in files of their own. */
#ifndef QW_MESSAGES_H
#define QW_MESSAGES_H

#include "common/fte/fte.h"

const struct qs_message_type *qw_client_message(const struct qs_decoder *d, uint32_t id);
const struct qs_message_type *qw_server_message(const struct qs_decoder *d, uint32_t id);

/* entities.c */
void qw_read_playerinfo(struct qs_decoder *d);
void qw_read_nails(struct qs_decoder *d);
void qw_read_nails2(struct qs_decoder *d);
void qw_read_packetentities(struct qs_decoder *d);
void qw_read_deltapacketentities(struct qs_decoder *d);
void qw_read_spawnstatic2(struct qs_decoder *d);
void qw_read_spawnbaseline2(struct qs_decoder *d);

/* precache.c */
void qw_read_modellist(struct qs_decoder *d);
void qw_read_modellistshort(struct qs_decoder *d);
void qw_read_soundlist(struct qs_decoder *d);
void qw_read_soundlistshort(struct qs_decoder *d);

/* temp_entities.c */
enum { QW_TEMP_ENTITIES = 80 };
extern const struct fte_temp_entity qw_temp_entities[QW_TEMP_ENTITIES];
void qw_read_temp_entity(struct qs_decoder *d);
void qw_read_temp_entity_sized(struct qs_decoder *d);
void qw_read_customtempent(struct qs_decoder *d);

/* fte_messages.c: server messages of FTE. */
void qw_read_time(struct qs_decoder *d);
void qw_read_setview(struct qs_decoder *d);
void qw_read_splitscreenconfig(struct qs_decoder *d);
void qw_read_updateseats(struct qs_decoder *d);
void qw_read_choosesplitclient(struct qs_decoder *d);
void qw_read_updatestatstring(struct qs_decoder *d);
void qw_read_updatestatfloat(struct qs_decoder *d);
void qw_read_setinfoblob(struct qs_decoder *d);
void qw_read_precache(struct qs_decoder *d);
void qw_read_soundextended(struct qs_decoder *d);
void qw_read_spawnstaticsound2(struct qs_decoder *d);
void qw_read_qizmovoice(struct qs_decoder *d);
void qw_read_lightstylecol(struct qs_decoder *d);
void qw_read_setportalstate(struct qs_decoder *d);
void qw_read_showpic(struct qs_decoder *d);
void qw_read_hidepic(struct qs_decoder *d);
void qw_read_movepic(struct qs_decoder *d);
void qw_read_updatepic(struct qs_decoder *d);
void qw_read_particle(struct qs_decoder *d);
void qw_read_particle2(struct qs_decoder *d);
void qw_read_particle3(struct qs_decoder *d);
void qw_read_particle4(struct qs_decoder *d);
void qw_read_effect(struct qs_decoder *d);
void qw_read_effect2(struct qs_decoder *d);

/* mvd_projectiles.c */
void qw_read_packetsprojectiles(struct qs_decoder *d);

/* fte_brushes.c: in both directions. */
void qw_read_brushedit(struct qs_decoder *d);

/* mvd_client.c */
void qw_read_mvd_weapon(struct qs_decoder *d);
void qw_read_mvd_debug(struct qs_decoder *d);
/* A player's weapons and ammunition, the weapons that it wants, and the one chosen. */
void qw_read_weapon_choice(struct qs_decoder *d);

#endif
