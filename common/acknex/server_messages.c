/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the server sends; update.c reads the updates. */
#include "common/acknex/messages.h"

#include "common/acknex/fields.h"
#include "common/acknex/units.h"
#include "common/core/text.h"

/* The entity that the client asked for under `identifier` has been given its index. */
static void answer_create(struct acknex_session *session, int16_t entity, int16_t identifier)
{
    const char *file = qs_table_get(&session->requested, (uint16_t)identifier);
    const char *player = qs_table_get(&session->texts, ACKNEX_TEXT_PLAYER);

    if (!file)
        return;
    qs_table_set(&session->files, (uint32_t)entity, qs_view_of(file));
    qs_table_set(&session->players, (uint32_t)entity, qs_view_of(player));
    qs_table_set(&session->requested, (uint16_t)identifier, qs_view_of(NULL));
}

/* The entity has its file and player from here on, so they are emitted here as well. */
static void read_svc_create(struct qs_decoder *d)
{
    const int16_t entity = qs_i16(d, ACKNEX_ENTITY);
    const int16_t identifier = qs_i16(d, ACKNEX_IDENTIFIER);

    qs_add_requests(d, QS_ASK_NOTHING, QS_ASK_CREATE);
    qs_request_set_key(d, (uint16_t)identifier);
    if (!d->in.overrun)
        answer_create(acknex_session_of(d), entity, identifier);
    acknex_emit_entity(d, entity, 4);
    acknex_summarise_entity(d, entity);
}

static void read_svc_remove(struct qs_decoder *d)
{
    struct acknex_session *session = acknex_session_of(d);
    const int16_t entity = acknex_read_entity(d);

    qs_add_requests(d, QS_ASK_NOTHING, QS_ASK_REMOVE);
    qs_request_set_key(d, (uint16_t)entity);
    acknex_summarise_entity(d, entity);
    if (d->in.overrun)
        return;
    qs_table_set(&session->files, (uint32_t)entity, qs_view_of(NULL));
    qs_table_set(&session->players, (uint32_t)entity, qs_view_of(NULL));
}

static void read_svc_entsound(struct qs_decoder *d)
{
    const int16_t entity = acknex_read_entity(d);

    qs_i16(d, ACKNEX_SOUND_INDEX);
    acknex_scaled(d, ACKNEX_SOUND_VOLUME, 2000);
    qs_i32(d, ACKNEX_SOUND_HANDLE);
    if (acknex_alone(d))
        acknex_summarise_entity(d, entity);
}

static void read_svc_effect(struct qs_decoder *d)
{
    const int16_t action = qs_i16(d, ACKNEX_ACTION);

    qs_i16(d, ACKNEX_EFFECT_NUMBER);
    acknex_vector(d, ACKNEX_START, acknex_packed);
    acknex_vector(d, ACKNEX_EFFECT_VELOCITY, acknex_fixed);
    qs_label(d, ": action %d", action);
    if (acknex_alone(d))
        qs_summary(d, " %d", action);
}

static void read_svc_info(struct qs_decoder *d)
{
    const uint8_t version = qs_u8(d, ACKNEX_INFO_VERSION);
    const double time = (double)qs_f32(d, ACKNEX_INFO_TIME);

    qs_label(d, ": protocol %u, time %g", version, time);
    qs_summary(d, " %g", time);
    if (!d->in.overrun)
        d->session->version = version;
}

static void read_svc_local(struct qs_decoder *d)
{
    const int16_t entity = acknex_read_entity(d);
    const int16_t function = qs_i16(d, ACKNEX_FUNCTION);

    qs_summary(d, " %d with", function);
    acknex_summarise_entity(d, entity);
}

/* clang-format off */
static const struct qs_message_type server_messages[] = {
#define SVC(id, number, name, brief, read, blurb) [number] = {"SVC_" #id, brief, ACKNEX_SVC_##id, read},
#define UPDATE(id, number, name, brief, read, blurb)
#include "common/acknex/messages.def"
};

/* By the two high bits of the bytecode. */
static const struct qs_message_type updates[] = {
#define UPDATE(id, number, name, brief, read, blurb) [number >> 6] = {"SVC_" #id, brief, ACKNEX_SVC_##id, read},
#include "common/acknex/messages.def"
};
/* clang-format on */

const struct qs_message_type *acknex_server_message(uint32_t id)
{
    if (id >= SVC_UPDATE1)
        return &updates[id >> 6];
    return id < G_N_ELEMENTS(server_messages) && server_messages[id].name ? &server_messages[id]
                                                                          : NULL;
}
