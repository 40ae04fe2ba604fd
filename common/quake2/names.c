/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/text.h"
#include "common/quake2/decode.h"

static const struct qs_name q2_ghud_type_names[] = {
    {0, "GHT_IMG"}, {1, "GHT_FILL"}, {2, "GHT_TEXT"}, {3, "GHT_NUM"}, {0, NULL},
};

static const struct qs_name q2_protocol_names[] = {
    {25, "3.00 (test release)"},
    {26, "3.05, 3.06"},
    {27, "3.07, 3.08"},
    {28, "3.09"},
    {30, "3.10"},
    {31, "3.12 to 3.14"},
    {32, "3.15"},
    {33, "3.17"},
    {34, "3.18 to 3.21"},
    {35, "R1Q2"},
    {36, "Q2PRO"},
    {37, "MVD"},
    {38, "AQtion"},
    {56, "KMQuake2"},
    {1038, "q2repro"},
    {2022, "rerelease"},
    {2023, "rerelease"},
    {2024, "yquake2remaster"},
    {3434, "Extended limits demo"},
    {3435, "Extended limits demo, version 2"},
    {3436, "Extended limits demo, version 2 with fog"},
    {0, NULL},
};

static const struct qs_name q2_netchan_names[] = {
    {0, "Old"},
    {1, "New, with fragments"},
    {0, NULL},
};

static const struct qs_name q2_clc_names[] = {
#define CLC(id, number, name, read, blurb) {number, name},
#include "common/quake2/messages.def"
    {0, NULL},
};

static const struct qs_name q2_svc_names[] = {
#define SVC_SHARED(...) {SVC_GAMESTATE, "svc_gamestate or svc_playerupdate"},
#define SVC(id, number, name, read, demo, blurb) {number, name},
#include "common/quake2/messages.def"
    {0, NULL},
};

static const struct qs_name q2_q2repro_svc_names[] = {
#define SVC(id, number, name, read, demo, blurb) {number, name},
#define SVC_SINCE(...)
#define SVC_Q2REPRO(id, number, name, read, blurb) {number, name},
#define SVC_Q2REPRO_AS(id, number, name, read) {number, name},
#include "common/quake2/messages.def"
    {0, NULL},
};

static const struct qs_name q2_gtc_names[] = {
#define GTC(id, number, name, read) {number, name},
#include "common/quake2/messages.def"
    {0, NULL},
};

static const struct qs_name q2_gts_names[] = {
#define GTS(id, number, name, read) {number, name},
#include "common/quake2/messages.def"
    {0, NULL},
};

static const struct qs_name q2_mvd_names[] = {
#define MVD(id, number, name, read) {number, name},
#include "common/quake2/messages.def"
    {0, NULL},
};

static const struct qs_name q2_record_names[] = {
    {0, "Network"}, {1, "Client recording"}, {2, "Server recording"}, {128, "Relay recording"},
    {0, NULL},
};

static const struct qs_name q2_server_state_names[] = {
    {0, "Dead"},      {1, "Loading"},   {2, "Game"}, {3, "Picture"},
    {4, "Broadcast"}, {5, "Cinematic"}, {0, NULL},
};

static const struct qs_name q2_client_setting_names[] = {
    {0, "CLS_NOGUN"},     {1, "CLS_NOBLEND"}, {2, "CLS_RECORDING"},    {3, "CLS_PLAYERUPDATES"},
    {4, "CLS_FPS"},       {10, "CLS_NOGIBS"}, {11, "CLS_NOFOOTSTEPS"}, {12, "CLS_NOPREDICT"},
    {13, "CLS_NOFLARES"}, {0, NULL},
};

static const struct qs_name q2_server_setting_names[] = {
    {0, "SVS_PLAYERUPDATES"},
    {1, "SVS_FPS"},
    {0, NULL},
};

const struct qs_name q2_muzzleflash_names[] = {
    {0, "MZ_BLASTER"},      {1, "MZ_MACHINEGUN"}, {2, "MZ_SHOTGUN"},
    {3, "MZ_CHAINGUN1"},    {4, "MZ_CHAINGUN2"},  {5, "MZ_CHAINGUN3"},
    {6, "MZ_RAILGUN"},      {7, "MZ_ROCKET"},     {8, "MZ_GRENADE"},
    {9, "MZ_LOGIN"},        {10, "MZ_LOGOUT"},    {11, "MZ_RESPAWN"},
    {12, "MZ_BFG"},         {13, "MZ_SSHOTGUN"},  {14, "MZ_HYPERBLASTER"},
    {15, "MZ_ITEMRESPAWN"}, {16, "MZ_IONRIPPER"}, {17, "MZ_BLUEHYPERBLASTER"},
    {18, "MZ_PHALANX"},     {30, "MZ_ETF_RIFLE"}, {31, "MZ_UNUSED"},
    {32, "MZ_SHOTGUN2"},    {33, "MZ_HEATBEAM"},  {34, "MZ_BLASTER2"},
    {35, "MZ_TRACKER"},     {36, "MZ_NUKE1"},     {37, "MZ_NUKE2"},
    {38, "MZ_NUKE4"},       {39, "MZ_NUKE8"},     {0, NULL},
};

/* clang-format off */
const struct qs_name q2_muzzleflash2_names[] = {
    {1, "MZ2_TANK_BLASTER_1"},          {2, "MZ2_TANK_BLASTER_2"},
    {3, "MZ2_TANK_BLASTER_3"},          {4, "MZ2_TANK_MACHINEGUN_1"},
    {5, "MZ2_TANK_MACHINEGUN_2"},       {6, "MZ2_TANK_MACHINEGUN_3"},
    {7, "MZ2_TANK_MACHINEGUN_4"},       {8, "MZ2_TANK_MACHINEGUN_5"},
    {9, "MZ2_TANK_MACHINEGUN_6"},       {10, "MZ2_TANK_MACHINEGUN_7"},
    {11, "MZ2_TANK_MACHINEGUN_8"},      {12, "MZ2_TANK_MACHINEGUN_9"},
    {13, "MZ2_TANK_MACHINEGUN_10"},     {14, "MZ2_TANK_MACHINEGUN_11"},
    {15, "MZ2_TANK_MACHINEGUN_12"},     {16, "MZ2_TANK_MACHINEGUN_13"},
    {17, "MZ2_TANK_MACHINEGUN_14"},     {18, "MZ2_TANK_MACHINEGUN_15"},
    {19, "MZ2_TANK_MACHINEGUN_16"},     {20, "MZ2_TANK_MACHINEGUN_17"},
    {21, "MZ2_TANK_MACHINEGUN_18"},     {22, "MZ2_TANK_MACHINEGUN_19"},
    {23, "MZ2_TANK_ROCKET_1"},          {24, "MZ2_TANK_ROCKET_2"},
    {25, "MZ2_TANK_ROCKET_3"},          {26, "MZ2_INFANTRY_MACHINEGUN_1"},
    {27, "MZ2_INFANTRY_MACHINEGUN_2"},  {28, "MZ2_INFANTRY_MACHINEGUN_3"},
    {29, "MZ2_INFANTRY_MACHINEGUN_4"},  {30, "MZ2_INFANTRY_MACHINEGUN_5"},
    {31, "MZ2_INFANTRY_MACHINEGUN_6"},  {32, "MZ2_INFANTRY_MACHINEGUN_7"},
    {33, "MZ2_INFANTRY_MACHINEGUN_8"},  {34, "MZ2_INFANTRY_MACHINEGUN_9"},
    {35, "MZ2_INFANTRY_MACHINEGUN_10"}, {36, "MZ2_INFANTRY_MACHINEGUN_11"},
    {37, "MZ2_INFANTRY_MACHINEGUN_12"}, {38, "MZ2_INFANTRY_MACHINEGUN_13"},
    {39, "MZ2_SOLDIER_BLASTER_1"},      {40, "MZ2_SOLDIER_BLASTER_2"},
    {41, "MZ2_SOLDIER_SHOTGUN_1"},      {42, "MZ2_SOLDIER_SHOTGUN_2"},
    {43, "MZ2_SOLDIER_MACHINEGUN_1"},   {44, "MZ2_SOLDIER_MACHINEGUN_2"},
    {45, "MZ2_GUNNER_MACHINEGUN_1"},    {46, "MZ2_GUNNER_MACHINEGUN_2"},
    {47, "MZ2_GUNNER_MACHINEGUN_3"},    {48, "MZ2_GUNNER_MACHINEGUN_4"},
    {49, "MZ2_GUNNER_MACHINEGUN_5"},    {50, "MZ2_GUNNER_MACHINEGUN_6"},
    {51, "MZ2_GUNNER_MACHINEGUN_7"},    {52, "MZ2_GUNNER_MACHINEGUN_8"},
    {53, "MZ2_GUNNER_GRENADE_1"},       {54, "MZ2_GUNNER_GRENADE_2"},
    {55, "MZ2_GUNNER_GRENADE_3"},       {56, "MZ2_GUNNER_GRENADE_4"},
    {57, "MZ2_CHICK_ROCKET_1"},         {58, "MZ2_FLYER_BLASTER_1"},
    {59, "MZ2_FLYER_BLASTER_2"},        {60, "MZ2_MEDIC_BLASTER_1"},
    {61, "MZ2_GLADIATOR_RAILGUN_1"},    {62, "MZ2_HOVER_BLASTER_1"},
    {63, "MZ2_ACTOR_MACHINEGUN_1"},     {64, "MZ2_SUPERTANK_MACHINEGUN_1"},
    {65, "MZ2_SUPERTANK_MACHINEGUN_2"}, {66, "MZ2_SUPERTANK_MACHINEGUN_3"},
    {67, "MZ2_SUPERTANK_MACHINEGUN_4"}, {68, "MZ2_SUPERTANK_MACHINEGUN_5"},
    {69, "MZ2_SUPERTANK_MACHINEGUN_6"}, {70, "MZ2_SUPERTANK_ROCKET_1"},
    {71, "MZ2_SUPERTANK_ROCKET_2"},     {72, "MZ2_SUPERTANK_ROCKET_3"},
    {73, "MZ2_BOSS2_MACHINEGUN_L1"},    {74, "MZ2_BOSS2_MACHINEGUN_L2"},
    {75, "MZ2_BOSS2_MACHINEGUN_L3"},    {76, "MZ2_BOSS2_MACHINEGUN_L4"},
    {77, "MZ2_BOSS2_MACHINEGUN_L5"},    {78, "MZ2_BOSS2_ROCKET_1"},
    {79, "MZ2_BOSS2_ROCKET_2"},         {80, "MZ2_BOSS2_ROCKET_3"},
    {81, "MZ2_BOSS2_ROCKET_4"},         {82, "MZ2_FLOAT_BLASTER_1"},
    {83, "MZ2_SOLDIER_BLASTER_3"},      {84, "MZ2_SOLDIER_SHOTGUN_3"},
    {85, "MZ2_SOLDIER_MACHINEGUN_3"},   {86, "MZ2_SOLDIER_BLASTER_4"},
    {87, "MZ2_SOLDIER_SHOTGUN_4"},      {88, "MZ2_SOLDIER_MACHINEGUN_4"},
    {89, "MZ2_SOLDIER_BLASTER_5"},      {90, "MZ2_SOLDIER_SHOTGUN_5"},
    {91, "MZ2_SOLDIER_MACHINEGUN_5"},   {92, "MZ2_SOLDIER_BLASTER_6"},
    {93, "MZ2_SOLDIER_SHOTGUN_6"},      {94, "MZ2_SOLDIER_MACHINEGUN_6"},
    {95, "MZ2_SOLDIER_BLASTER_7"},      {96, "MZ2_SOLDIER_SHOTGUN_7"},
    {97, "MZ2_SOLDIER_MACHINEGUN_7"},   {98, "MZ2_SOLDIER_BLASTER_8"},
    {99, "MZ2_SOLDIER_SHOTGUN_8"},      {100, "MZ2_SOLDIER_MACHINEGUN_8"},
    {101, "MZ2_MAKRON_BFG"},            {102, "MZ2_MAKRON_BLASTER_1"},
    {103, "MZ2_MAKRON_BLASTER_2"},      {104, "MZ2_MAKRON_BLASTER_3"},
    {105, "MZ2_MAKRON_BLASTER_4"},      {106, "MZ2_MAKRON_BLASTER_5"},
    {107, "MZ2_MAKRON_BLASTER_6"},      {108, "MZ2_MAKRON_BLASTER_7"},
    {109, "MZ2_MAKRON_BLASTER_8"},      {110, "MZ2_MAKRON_BLASTER_9"},
    {111, "MZ2_MAKRON_BLASTER_10"},     {112, "MZ2_MAKRON_BLASTER_11"},
    {113, "MZ2_MAKRON_BLASTER_12"},     {114, "MZ2_MAKRON_BLASTER_13"},
    {115, "MZ2_MAKRON_BLASTER_14"},     {116, "MZ2_MAKRON_BLASTER_15"},
    {117, "MZ2_MAKRON_BLASTER_16"},     {118, "MZ2_MAKRON_BLASTER_17"},
    {119, "MZ2_MAKRON_RAILGUN_1"},      {120, "MZ2_JORG_MACHINEGUN_L1"},
    {121, "MZ2_JORG_MACHINEGUN_L2"},    {122, "MZ2_JORG_MACHINEGUN_L3"},
    {123, "MZ2_JORG_MACHINEGUN_L4"},    {124, "MZ2_JORG_MACHINEGUN_L5"},
    {125, "MZ2_JORG_MACHINEGUN_L6"},    {126, "MZ2_JORG_MACHINEGUN_R1"},
    {127, "MZ2_JORG_MACHINEGUN_R2"},    {128, "MZ2_JORG_MACHINEGUN_R3"},
    {129, "MZ2_JORG_MACHINEGUN_R4"},    {130, "MZ2_JORG_MACHINEGUN_R5"},
    {131, "MZ2_JORG_MACHINEGUN_R6"},    {132, "MZ2_JORG_BFG_1"},
    {133, "MZ2_BOSS2_MACHINEGUN_R1"},   {134, "MZ2_BOSS2_MACHINEGUN_R2"},
    {135, "MZ2_BOSS2_MACHINEGUN_R3"},   {136, "MZ2_BOSS2_MACHINEGUN_R4"},
    {137, "MZ2_BOSS2_MACHINEGUN_R5"},   {138, "MZ2_CARRIER_MACHINEGUN_L1"},
    {139, "MZ2_CARRIER_MACHINEGUN_R1"}, {140, "MZ2_CARRIER_GRENADE"},
    {141, "MZ2_TURRET_MACHINEGUN"},     {142, "MZ2_TURRET_ROCKET"},
    {143, "MZ2_TURRET_BLASTER"},        {144, "MZ2_STALKER_BLASTER"},
    {145, "MZ2_DAEDALUS_BLASTER"},      {146, "MZ2_MEDIC_BLASTER_2"},
    {147, "MZ2_CARRIER_RAILGUN"},       {148, "MZ2_WIDOW_DISRUPTOR"},
    {149, "MZ2_WIDOW_BLASTER"},         {150, "MZ2_WIDOW_RAIL"},
    {151, "MZ2_WIDOW_PLASMABEAM"},      {152, "MZ2_CARRIER_MACHINEGUN_L2"},
    {153, "MZ2_CARRIER_MACHINEGUN_R2"}, {154, "MZ2_WIDOW_RAIL_LEFT"},
    {155, "MZ2_WIDOW_RAIL_RIGHT"},      {156, "MZ2_WIDOW_BLASTER_SWEEP1"},
    {157, "MZ2_WIDOW_BLASTER_SWEEP2"},  {158, "MZ2_WIDOW_BLASTER_SWEEP3"},
    {159, "MZ2_WIDOW_BLASTER_SWEEP4"},  {160, "MZ2_WIDOW_BLASTER_SWEEP5"},
    {161, "MZ2_WIDOW_BLASTER_SWEEP6"},  {162, "MZ2_WIDOW_BLASTER_SWEEP7"},
    {163, "MZ2_WIDOW_BLASTER_SWEEP8"},  {164, "MZ2_WIDOW_BLASTER_SWEEP9"},
    {165, "MZ2_WIDOW_BLASTER_100"},     {166, "MZ2_WIDOW_BLASTER_90"},
    {167, "MZ2_WIDOW_BLASTER_80"},      {168, "MZ2_WIDOW_BLASTER_70"},
    {169, "MZ2_WIDOW_BLASTER_60"},      {170, "MZ2_WIDOW_BLASTER_50"},
    {171, "MZ2_WIDOW_BLASTER_40"},      {172, "MZ2_WIDOW_BLASTER_30"},
    {173, "MZ2_WIDOW_BLASTER_20"},      {174, "MZ2_WIDOW_BLASTER_10"},
    {175, "MZ2_WIDOW_BLASTER_0"},       {176, "MZ2_WIDOW_BLASTER_10L"},
    {177, "MZ2_WIDOW_BLASTER_20L"},     {178, "MZ2_WIDOW_BLASTER_30L"},
    {179, "MZ2_WIDOW_BLASTER_40L"},     {180, "MZ2_WIDOW_BLASTER_50L"},
    {181, "MZ2_WIDOW_BLASTER_60L"},     {182, "MZ2_WIDOW_BLASTER_70L"},
    {183, "MZ2_WIDOW_RUN_1"},           {184, "MZ2_WIDOW_RUN_2"},
    {185, "MZ2_WIDOW_RUN_3"},           {186, "MZ2_WIDOW_RUN_4"},
    {187, "MZ2_WIDOW_RUN_5"},           {188, "MZ2_WIDOW_RUN_6"},
    {189, "MZ2_WIDOW_RUN_7"},           {190, "MZ2_WIDOW_RUN_8"},
    {191, "MZ2_CARRIER_ROCKET_1"},      {192, "MZ2_CARRIER_ROCKET_2"},
    {193, "MZ2_CARRIER_ROCKET_3"},      {194, "MZ2_CARRIER_ROCKET_4"},
    {195, "MZ2_WIDOW2_BEAMER_1"},       {196, "MZ2_WIDOW2_BEAMER_2"},
    {197, "MZ2_WIDOW2_BEAMER_3"},       {198, "MZ2_WIDOW2_BEAMER_4"},
    {199, "MZ2_WIDOW2_BEAMER_5"},       {200, "MZ2_WIDOW2_BEAM_SWEEP_1"},
    {201, "MZ2_WIDOW2_BEAM_SWEEP_2"},   {202, "MZ2_WIDOW2_BEAM_SWEEP_3"},
    {203, "MZ2_WIDOW2_BEAM_SWEEP_4"},   {204, "MZ2_WIDOW2_BEAM_SWEEP_5"},
    {205, "MZ2_WIDOW2_BEAM_SWEEP_6"},   {206, "MZ2_WIDOW2_BEAM_SWEEP_7"},
    {207, "MZ2_WIDOW2_BEAM_SWEEP_8"},   {208, "MZ2_WIDOW2_BEAM_SWEEP_9"},
    {209, "MZ2_WIDOW2_BEAM_SWEEP_10"},  {210, "MZ2_WIDOW2_BEAM_SWEEP_11"},
    {0, NULL},
};
/* clang-format on */

static const struct qs_name q2_print_level_names[] = {
    {0, "PRINT_LOW"}, {1, "PRINT_MEDIUM"}, {2, "PRINT_HIGH"}, {3, "PRINT_CHAT"}, {0, NULL},
};

static const struct qs_name q2_channel_names[] = {
    {0, "CHAN_AUTO"}, {1, "CHAN_WEAPON"}, {2, "CHAN_VOICE"},
    {3, "CHAN_ITEM"}, {4, "CHAN_BODY"},   {0, NULL},
};

static const struct qs_name q2_attenuation_names[] = {
    {0, "ATTN_NONE"}, {1, "ATTN_NORM"}, {2, "ATTN_IDLE"}, {3, "ATTN_STATIC"}, {0, NULL},
};

/* clang-format off */
const struct qs_name q2_configstring_names[] = {
    {Q2_RANGE_NAME, "CS_NAME"},                     {Q2_RANGE_CDTRACK, "CS_CDTRACK"},
    {Q2_RANGE_SKY, "CS_SKY"},                       {Q2_RANGE_SKYAXIS, "CS_SKYAXIS"},
    {Q2_RANGE_SKYROTATE, "CS_SKYROTATE"},           {Q2_RANGE_STATUSBAR, "CS_STATUSBAR"},
    {Q2_RANGE_AIRACCEL, "CS_AIRACCEL"},             {Q2_RANGE_MAXCLIENTS, "CS_MAXCLIENTS"},
    {Q2_RANGE_MAPCHECKSUM, "CS_MAPCHECKSUM"},       {Q2_RANGE_MODELS, "CS_MODELS"},
    {Q2_RANGE_SOUNDS, "CS_SOUNDS"},                 {Q2_RANGE_IMAGES, "CS_IMAGES"},
    {Q2_RANGE_LIGHTS, "CS_LIGHTS"},                 {Q2_RANGE_ITEMS, "CS_ITEMS"},
    {Q2_RANGE_PLAYERSKINS, "CS_PLAYERSKINS"},       {Q2_RANGE_GENERAL, "CS_GENERAL"},
    {Q2_RANGE_SHADOWLIGHTS, "CS_SHADOWLIGHTS"},     {Q2_RANGE_WHEEL_WEAPONS, "CS_WHEEL_WEAPONS"},
    {Q2_RANGE_WHEEL_AMMO, "CS_WHEEL_AMMO"},         {Q2_RANGE_WHEEL_POWERUPS, "CS_WHEEL_POWERUPS"},
    {Q2_RANGE_CD_LOOP_COUNT, "CS_CD_LOOP_COUNT"},   {Q2_RANGE_GAME_STYLE, "CS_GAME_STYLE"},
    {0, NULL},
};
/* clang-format on */

static const struct qs_name q2_pm_type_names[] = {
    {0, "PM_NORMAL"}, {1, "PM_SPECTATOR"}, {2, "PM_DEAD"},
    {3, "PM_GIB"},    {4, "PM_FREEZE"},    {0, NULL},
};

/* clang-format off */
const struct qs_name q2_stat_names[] = {
    {0, "STAT_HEALTH_ICON"},    {1, "STAT_HEALTH"},         {2, "STAT_AMMO_ICON"},
    {3, "STAT_AMMO"},           {4, "STAT_ARMOR_ICON"},     {5, "STAT_ARMOR"},
    {6, "STAT_SELECTED_ICON"},  {7, "STAT_PICKUP_ICON"},    {8, "STAT_PICKUP_STRING"},
    {9, "STAT_TIMER_ICON"},     {10, "STAT_TIMER"},         {11, "STAT_HELPICON"},
    {12, "STAT_SELECTED_ITEM"}, {13, "STAT_LAYOUTS"},       {14, "STAT_FRAGS"},
    {15, "STAT_FLASHES"},       {16, "STAT_CHASE"},         {17, "STAT_SPECTATOR"},
    {0, NULL},
};

static const struct qs_name q2_event_names[] = {
    {0, "EV_NONE"},            {1, "EV_ITEM_RESPAWN"},    {2, "EV_FOOTSTEP"},
    {3, "EV_FALLSHORT"},       {4, "EV_FALL"},            {5, "EV_FALLFAR"},
    {6, "EV_PLAYER_TELEPORT"}, {7, "EV_OTHER_TELEPORT"},  {8, "EV_OTHER_FOOTSTEP"},
    {9, "EV_LADDER_STEP"},     {0, NULL},
};
/* clang-format on */

static const struct qs_name q2_solid_names[] = {
    {0, "Not solid"},
    {31, "Brush model"},
    {0, NULL},
};

const struct qs_name q2_te_names[] = {
#define TE(id, number, name, parts) {number, name},
#include "common/quake2/messages.def"
    {0, NULL},
};

const struct qs_name q2_te31_names[] = {
#define TE31(id, number, name, parts) {number, name},
#include "common/quake2/messages.def"
    {0, NULL},
};

static const struct qs_name q2_splash_names[] = {
    {0, "SPLASH_UNKNOWN"},    {1, "SPLASH_SPARKS"},
    {2, "SPLASH_BLUE_WATER"}, {3, "SPLASH_BROWN_WATER"},
    {4, "SPLASH_SLIME"},      {5, "SPLASH_LAVA"},
    {6, "SPLASH_BLOOD"},      {0, NULL},
};

static const struct qs_name q2_block_names[] = {
    {0, "empty"}, {UINT32_MAX, "end of the demo"}, {0, NULL}};

/* --- Fields, which are shown with these names --- */

const struct qs_field q2_fields[Q2_FIELD_COUNT] = {
#define QS_ROWS_TABLE
#include "common/core/field_rows.h"
#include "common/quake2/fields.def"
#include "common/core/field_rows.h"
};

/* --- Names of numbers in the session --- */

const char *q2_emit_name(struct qs_decoder *d, unsigned id, uint32_t at, enum q2_range range,
                         uint32_t number)
{
    const char *name = NULL;

    if (d->fields_wanted)
        name = q2_configstring(q2_session_of(d->session), range, number);
    qs_emit_generated_text(d, id, at, d->in.pos - at, name);
    return name;
}

void q2_emit_player_name(struct qs_decoder *d, unsigned id, uint32_t at, uint32_t player,
                         bool label)
{
    g_autofree char *name =
        d->fields_wanted ? q2_player_name(q2_session_of(d->session), player) : NULL;

    qs_emit_generated_text(d, id, at, d->in.pos - at, name);
    if (name && label)
        qs_label_text(d, " ", qs_view_of(name), "");
}
