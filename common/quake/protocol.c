/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The protocol record of Quake, its sessions, and which kind a packet is. */
#include "common/quake/quake.h"

#include "common/fte/progs.h"
#include "common/core/text.h"
#include "common/quake/internal.h"
#include "common/quake/names.h"

const struct qs_field nq_fields[NQ_FIELD_COUNT] = {
#include "common/core/rows_table.h"
#define FTE_PREFIX "nq."
#define FTE_UPDATE_NAME "nq.delta"
#include "common/fte/fields.def"
#include "common/quake/fields.def"
#include "common/core/rows_end.h"
};

/* --- Sessions --- */

static void init(struct qs_session *session)
{
    memset(session, 0, sizeof(struct nq_session));
    qs_session_init(session);
    ((struct nq_session *)session)->ext.game = &nq_fte_game;
}

/* What was of the last packet only. */
static void forget_packet(struct nq_session *session)
{
    g_clear_pointer(&session->joined, g_bytes_unref);
    session->delivered = (struct nq_delivery){0};
    session->moved = session->angle_set = false;
}

static void copy(struct qs_session *to, const struct qs_session *from)
{
    struct nq_session *target = (struct nq_session *)to;
    const struct nq_session *origin = (const struct nq_session *)from;

    memcpy(target, origin, sizeof *target);
    nq_fragments_copy(&target->to_server.pending, &origin->to_server.pending);
    nq_fragments_copy(&target->to_client.pending, &origin->to_client.pending);
    qs_table_copy(&target->models, &origin->models);
    qs_table_copy(&target->sounds, &origin->sounds);
    qs_table_copy(&target->players, &origin->players);
    qs_table_copy(&target->coarse, &origin->coarse);
    target->joined = NULL; /* a copy is of knowledge */
    forget_packet(target);
}

static void clear(struct qs_session *session)
{
    struct nq_session *nq = (struct nq_session *)session;

    forget_packet(nq);
    nq_fragments_clear(&nq->to_server.pending);
    nq_fragments_clear(&nq->to_client.pending);
    qs_table_clear(&nq->models);
    qs_table_clear(&nq->sounds);
    qs_table_clear(&nq->players);
    qs_table_clear(&nq->coarse);
}

void nq_begin_connection(struct nq_session *session)
{
    struct nq_session fresh = {.ext = {.base = session->base, .game = session->ext.game},
                               .darkplaces_client = session->darkplaces_client};

    qs_session_connect(&fresh.base);
    clear(&session->base);
    *session = fresh;
}

void nq_accept_connection(struct nq_session *session)
{
    if (session->base.connection && !session->base.disconnected)
        session->restart_offered = true;
    else
        nq_begin_connection(session);
}

/* "maps/e1m1.bsp" → "e1m1" */
static char *map_name(const char *model)
{
    const char *base = strrchr(model, '/');
    const char *end;

    base = base ? base + 1 : model;
    end = strrchr(base, '.');
    return qs_text_utf8((struct qs_view){(const uint8_t *)base,
                                         end ? (uint32_t)(end - base) : (uint32_t)strlen(base)});
}

static char *version_text(const struct nq_session *session)
{
    GString *text = g_string_new(NULL);

    g_string_printf(text, "%d", session->base.version);
    if (session->flags)
        g_string_append_printf(text, " flags 0x%x", session->flags);
    fte_describe(&session->ext, text);
    return g_string_free(text, FALSE);
}

static void describe(const struct qs_session *session, struct qs_description *description)
{
    const struct nq_session *nq = (const struct nq_session *)session;
    const char *map = qs_table_get(&nq->models, 1);
    const char *player = nq->view_entity ? qs_table_get(&nq->players, nq->view_entity - 1u) : NULL;

    *description = (struct qs_description){0};
    if (session->version)
        description->version = version_text(nq);
    if (map)
        description->map = map_name(map);
    if (player)
        description->player = qs_text_utf8(qs_view_of(player));
}

/* --- Packets --- */

static bool recognise(const struct qs_packet *packet)
{
    const struct qs_view bytes = {packet->data, packet->size};

    return nq_is_control(bytes) || nq_is_darkplaces(bytes) || nq_is_game(bytes);
}

static void decode(struct qs_decoder *d)
{
    const struct qs_view bytes = {d->in.data, d->in.size};

    forget_packet(nq_session_of(d));
    if (nq_is_connectionless(bytes))
        nq_read_connectionless(d);
    else if (bytes.size >= CONTROL_HEADER_SIZE && qs_be32(bytes.data) & NETFLAG_CTL)
        nq_read_control(d);
    else
        nq_read_datagram(d);
}

void nq_decode_delivered(struct qs_decoder *d)
{
    struct nq_session *session = nq_session_of(d);

    forget_packet(session);
    d->accepted = true;
    session->delivered = (struct nq_delivery){.bytes = {d->in.data, d->in.size}};
    if (d->direction == QS_C2S)
        nq_read_client_messages(d);
    else
        nq_read_server_messages(d);
}

const struct qs_demo_format nq_dem = {"dem", nq_decode_demo_block};

const struct qs_protocol nq_protocol = {
    .name = "nq",
    .short_name = "NQ",
    .title = "Quake",
    .ports = "26000",
    .demo = &nq_dem,
    .fields = nq_fields,
    .field_count = NQ_FIELD_COUNT,
    .undecoded = NQ_UNDECODED,
    .notes = QS_NOTE_BIT(QS_NOTE_MALFORMED) | QS_NOTE_BIT(QS_NOTE_UNKNOWN_MESSAGE) |
             QS_NOTE_BIT(QS_NOTE_PROTOCOL_UNDECODED) | QS_NOTE_BIT(QS_NOTE_CUT) |
             QS_NOTE_BIT(QS_NOTE_SEQUENCE_GAP) | QS_NOTE_BIT(QS_NOTE_SEQUENCE_STALE) |
             QS_NOTE_BIT(QS_NOTE_NOT_CAPTURED) | QS_NOTE_BIT(QS_NOTE_RETRANSMISSION) |
             QS_NOTE_BIT(QS_NOTE_UNUSUAL),
    .session_size = sizeof(struct nq_session),
    .session_init = init,
    .session_copy = copy,
    .session_clear = clear,
    .describe = describe,
    .recognise = recognise,
    .decode = decode,
    .decode_server_messages = nq_decode_delivered,
};
