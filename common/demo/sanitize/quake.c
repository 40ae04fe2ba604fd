/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules of --sanitize for demos of Quake. */
#include "common/demo/dem/dem.h"
#include "common/demo/sanitize/rules.h"
#include "common/quake/constants.h"
#include "common/quake/decode.h"

/* Engines that play the session's demos, by its protocol. Engines of one kind read them alike. */
enum kind {
    ALL = 1,        /* protocol 15, which every engine plays */
    LATER = 2,      /* FitzQuake's heirs, or BJP's engine */
    DARKPLACES = 4, /* DarkPlaces, and FTE, which knows its protocols */
    WITH_ITEMS = 8, /* FTE misreads svc_clientdata without SU_ITEMS; not DarkPlaces' */
    FTE = 16
};

static unsigned kinds(const struct qs_session *base)
{
    const struct nq_session *session = (const struct nq_session *)base;
    const unsigned darkplaces = nq_darkplaces_version(session);

    if (nq_has_fte(session))
        return FTE | WITH_ITEMS;
    if (darkplaces)
        return darkplaces == 5 ? DARKPLACES | WITH_ITEMS : DARKPLACES;
    return nq_version(session) == PROTOCOL_NETQUAKE ? ALL : LATER | WITH_ITEMS;
}

static uint32_t clients(const struct qs_session *session)
{
    return ((const struct nq_session *)session)->maxclients;
}

static const struct sanitize_message messages[] = {
    {"svc_nop svc_disconnect svc_print svc_version", SANITIZE_ANYWHERE, 0, 0},
    {"svc_stufftext", SANITIZE_ANYWHERE | SANITIZE_COMMANDS, 0, 0},
    {"svc_serverinfo", SANITIZE_START, 0, 0},
    {"update", SANITIZE_GAME, 0, 0},
    {"svc_updatestat svc_setview svc_sound svc_time svc_setangle svc_lightstyle "
     "svc_updatename svc_updatefrags svc_clientdata svc_stopsound svc_updatecolors "
     "svc_particle svc_damage svc_spawnbaseline svc_temp_entity svc_setpause svc_signonnum "
     "svc_centerprint svc_killedmonster svc_foundsecret svc_spawnstaticsound "
     "svc_intermission svc_finale svc_cdtrack svc_sellscreen svc_cutscene svc_skybox",
     0, 0, 0},
    {"svc_spawnstatic", 0, 0, 1024}, /* limit of DarkPlaces; QuakeSpasm's is 4096 */
    {"svcfte_spawnstatic2 svcfte_spawnbaseline2 svcfte_updatestatstring "
     "svcfte_updatestatfloat svcfte_voicechat svcfte_setangledelta "
     "svcfte_temp_entity_sized svcfte_setanglebase",
     0, FTE, 0},
    {"svc_bf svc_fog svc_spawnbaseline2 svc_spawnstaticsound2", 0, LATER | DARKPLACES | FTE, 0},
    {"svc_spawnstatic2", 0, LATER | DARKPLACES | FTE, 1024},
    {"svc_updatestatubyte svc_effect svc_effect2 svc_precache svc_trailparticles "
     "svc_pointparticles svc_pointparticles1",
     0, DARKPLACES | FTE, 0},
    {"svc_entities", SANITIZE_GAME, DARKPLACES | FTE, 0},
    {"svcfte_updateentities", SANITIZE_GAME, FTE, 0},
    {NULL, 0, 0, 0},
};

enum { ENTITIES = 8192 /* QuakeSpasm's max_edicts */, LIST = 2047, STATS = 32, STYLES = 64 };

static const struct sanitize_limit limits[] = {
    {.row = NQ_SERVERINFO_MAXCLIENTS, .low = 1, .high = 255},
    {.row = NQ_SERVERINFO_MODEL_NUMBER, .high = LIST},
    {.row = NQ_SERVERINFO_SOUND_NUMBER, .high = LIST},
    {.row = NQ_UPDATE_ENTITY, .low = 1, .high = ENTITIES - 1},
    {.row = NQ_UPDATE_COLORMAP, .of_clients = true},
    {.row = NQ_BASELINE_ENTITY, .high = ENTITIES - 1, .kinds = ALL | LATER},
    {.row = NQ_BASELINE_ENTITY, .high = FTE_ENTITIES_MAX - 1},
    {.row = NQ_BASELINE_COLORMAP, .of_clients = true},
    {.row = NQ_SOUND_ENTITY, .high = ENTITIES - 1, .kinds = ALL | LATER},
    {.row = NQ_SOUND_ENTITY, .high = FTE_ENTITIES_MAX - 1},
    {.row = NQ_SETVIEW_ENTITY, .high = FTE_ENTITIES_MAX - 1},
    {.row = FTE_UPDATE_NUMBER, .high = FTE_ENTITIES_MAX - 1},
    {.row = FTE_UPDATE_TAG_ENTITY, .high = FTE_ENTITIES_MAX - 1},
    {.row = FTE_BASELINE_ENTITY, .high = FTE_ENTITIES_MAX - 1},
    {.row = FTE_PARTICLES_ENTITY, .high = FTE_ENTITIES_MAX - 1},
    {.row = FTE_TE_ENTITY, .high = FTE_ENTITIES_MAX - 1},
    {.row = NQ_UPDATENAME_PLAYER, .high = -1, .of_clients = true},
    {.row = NQ_UPDATEFRAGS_PLAYER, .high = -1, .of_clients = true},
    {.row = NQ_UPDATECOLORS_PLAYER, .high = -1, .of_clients = true},
    {.row = NQ_UPDATESTAT_INDEX, .high = STATS - 1, .kinds = ALL | LATER},
    {.row = NQ_UPDATESTAT_INDEX, .high = 255},
    {.row = NQ_LIGHTSTYLE_STYLE, .high = STYLES - 1, .kinds = ALL | LATER},
    /* QuakeSpasm stops at higher types: cl_tent.c, CL_ParseTEnt. Models of beams may be missing. */
    {.row = NQ_TEMP_ENTITY_TYPE, .high = 12, .kinds = ALL},
    {.row = NQ_TEMP_ENTITY_TYPE, .high = 13, .kinds = LATER},
    {.row = FTE_TE_COLOR_COUNT, .low = 1, .high = 255},
    {.row = NQ_EFFECT_MODEL, .low = 1, .high = UINT16_MAX}, /* FTE cl_tent.c, CL_ParseEffect */
    /* QuakeSpasm reads the bit as Nehahra's, DarkPlaces as U_EXTEND1; id's engine ignores it. */
    {.row = NQ_UPDATE_FLAGS2, .high = 255, .forbidden = 0x80, .kinds = ALL},
    /* DarkPlaces and QuakeSpasm read further bytes for higher bits. */
    {.row = NQ_CLIENTDATA_FLAGS, .high = UINT16_MAX, .forbidden = SU_EXTEND1, .kinds = ALL},
    {.row = NQ_CLIENTDATA_FLAGS, .high = UINT16_MAX, .needed = SU_ITEMS, .kinds = WITH_ITEMS},
    {.row = NQ_SOUND_FLAGS, .high = 255, .forbidden = 0xfc, .kinds = ALL},
    {.row = NQ_SOUND_FLAGS, .high = 255, .forbidden = 0xe4, .kinds = LATER},
    {.row = NQ_SOUND_FLAGS, .high = 255, .forbidden = 0xc4, .kinds = DARKPLACES},
    {.row = 0},
};

/* Console commands that stay: screen flashes and sounds. */
static const struct qs_needed_command commands[] = {
    {"bf", ""}, {"v_cshift", "?dddd"}, {"play", "f*"}, {"playvol", "fd*"}, {NULL, ""},
};

static const struct sanitize_game game = {
    .messages = messages,
    .limits = limits,
    .commands = commands,
    .stufftext = SVC_STUFFTEXT,
    .ids = {NQ_SVC},
    .has_font = true,
    .without_folder = true,
    .kinds = kinds,
    .clients = clients,
    .number_row = NQ_SERVERINFO_MODEL_NUMBER,
};

/* --- DEM */

static enum qs_demo_status next_dem(struct qs_reader *in, const struct qs_demo_writer *out,
                                    bool is_first)
{
    struct dem_block block;
    int32_t track;

    (void)out;
    return is_first ? dem_read_header(in, &track) : dem_read_block(in, &block);
}

static void write_dem(const struct sanitize_block *block)
{
    if (!sanitize_has_messages(block))
        return;
    if (block->payload)
        sanitize_put_length(block, 0, 4);
    sanitize_write_made(block);
}

const struct sanitize_format sanitize_dem = {.extension = "dem",
                                             .game = &game,
                                             .next = next_dem,
                                             .decode = dem_decode_block,
                                             .write = write_dem};
