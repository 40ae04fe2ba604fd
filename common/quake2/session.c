/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quake2/session.h"

#include <string.h>

#include "common/core/infostring.h"
#include "common/core/text.h"
#include "common/quake2/configstrings.h"

enum {
    NO_SUPPRESS_BYTE = 26,  /* the protocol whose svc_frame lacks the byte */
    R1Q2_LONG_SOLID = 1905, /* first minor versions */
    Q2PRO_BEAM_ORIGIN = 1017,
    Q2PRO_SHORT_ANGLES = 1018,
    Q2PRO_CLIENTNUM_SHORT = 1022,
    Q2PRO_PLAYERFOG = 1026
};

void q2_session_init(struct qs_session *base)
{
    struct q2_session *session = q2_session_of(base);

    memset(session, 0, sizeof *session);
    qs_session_init(base);
    session->qport_width = Q2_QPORT_UNKNOWN;
    q2_session_set_version(session, 0);
}

static GBytes *shared(GBytes *bytes)
{
    return bytes ? g_bytes_ref(bytes) : NULL;
}

void q2_session_copy(struct qs_session *to_base, const struct qs_session *from_base)
{
    struct q2_session *to = q2_session_of(to_base);
    const struct q2_session *from = q2_session_of_const(from_base);

    *to = *from;
    qs_table_copy(&to->configstrings, &from->configstrings);
    qs_table_copy(&to->texts, &from->texts);
    qs_table_copy(&to->rosters, &from->rosters);
    for (unsigned i = 0; i < G_N_ELEMENTS(to->fragments); i++)
        to->fragments[i].data = shared(from->fragments[i].data);
    to->tracker = NULL;
}

static void drop_fragments(struct q2_session *session)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(session->fragments); i++)
        g_clear_pointer(&session->fragments[i].data, g_bytes_unref);
}

void q2_session_clear(struct qs_session *base)
{
    struct q2_session *session = q2_session_of(base);

    qs_table_clear(&session->configstrings);
    qs_table_clear(&session->texts);
    qs_table_clear(&session->rosters);
    drop_fragments(session);
}

void q2_session_connect(struct q2_session *session)
{
    struct qs_session base = session->base;
    const struct q2_wanted wanted = session->wanted;
    struct q2_tracker *tracker = session->tracker;
    struct qs_table texts;
    const char *userinfo;

    qs_session_connect(&base);
    qs_table_copy(&texts, &session->texts);
    q2_session_clear(&session->base);
    q2_session_init(&session->base);
    session->base = base;
    session->tracker = tracker;
    session->wanted = wanted;
    session->qport = wanted.qport;
    session->connect_minor = session->minor = wanted.minor;
    session->new_netchan = wanted.new_netchan;
    if (wanted.version) {
        session->qport_width = wanted.qport_width;
        q2_session_set_version(session, wanted.version);
    }
    userinfo = qs_table_get(&texts, Q2_TEXT_WANTED_USERINFO);
    qs_table_set(&session->texts, Q2_TEXT_USERINFO, qs_view_of(userinfo));
    qs_table_set(&session->texts, Q2_TEXT_WANTED_USERINFO, qs_view_of(userinfo));
    qs_table_clear(&texts);
}

void q2_session_accept(struct q2_session *session)
{
    const bool idle = !session->base.to_server.started && !session->base.to_client.started;

    if (!session->base.connection || session->base.disconnected)
        q2_session_connect(session);
    else if (!idle)
        session->connect_pending = true;
}

void q2_session_set_netchan(struct q2_session *session, bool has_fragments)
{
    session->wanted.new_netchan = has_fragments;
    if (!session->connect_pending)
        session->new_netchan = has_fragments;
}

void q2_session_level(struct q2_session *session)
{
    session->base.level++;
    session->frame_rate = 0;
    session->max_clients = 0;
    qs_table_clear(&session->configstrings);
    qs_table_clear(&session->rosters);
}

static void set_r1q2(struct q2_session *session)
{
    session->dialect.packed = true;
    session->dialect.beam_origin = true;
    session->dialect.long_solid = session->minor >= R1Q2_LONG_SOLID;
}

static void set_q2pro(struct q2_session *session)
{
    const uint32_t minor = session->minor;

    session->dialect.packed = true;
    session->dialect.long_solid = true;
    session->dialect.beam_origin = minor >= Q2PRO_BEAM_ORIGIN;
    session->dialect.short_angles = minor >= Q2PRO_SHORT_ANGLES;
    session->dialect.clientnum16 = minor >= Q2PRO_CLIENTNUM_SHORT;
    session->dialect.extensions = session->protocol_flags & PF_EXTENSIONS;
    session->dialect.extensions2 =
        session->dialect.extensions && session->protocol_flags & PF_EXTENSIONS_2;
    session->dialect.player_fog = session->dialect.extensions2 && minor >= Q2PRO_PLAYERFOG;
}

/* Demos with extended limits have frames as in protocol 34, of fields as in protocol 36, and say by
 * their version what a server says by flags. Source: Q2PRO, parse.c CL_ParseServerData. */
struct q2_dialect q2_demo_dialect(int32_t version)
{
    const bool extended = version >= Q2_PROTOCOL_EXTENDED;

    return (struct q2_dialect){
        .suppress_byte = version != NO_SUPPRESS_BYTE,
        .long_solid = extended,
        .short_angles = extended,
        .beam_origin = extended,
        .extensions = extended,
        .extensions2 = version > Q2_PROTOCOL_EXTENDED,
        .player_fog = version == Q2_PROTOCOL_EXTENDED_LAST,
    };
}

void q2_session_set_version(struct q2_session *session, int32_t version)
{
    session->base.version = version;
    session->dialect = q2_demo_dialect(version);
    session->dialect.relay = session->record == Q2_RECORD_RELAY;
    session->dialect.server_record = session->record == Q2_RECORD_SERVER;
    if (version == Q2_PROTOCOL_R1Q2)
        set_r1q2(session);
    else if (version == Q2_PROTOCOL_Q2PRO)
        set_q2pro(session);
}

static char *readable(const char *text)
{
    return text ? qs_text_utf8(qs_view_of(text)) : NULL;
}

static char *describe_version(const struct q2_session *session)
{
    if (!session->base.version)
        return NULL;
    if (session->minor)
        return g_strdup_printf("%d (%u)", session->base.version, session->minor);
    return g_strdup_printf("%d", session->base.version);
}

/* "maps/q2dm1.bsp" in the first model's place; what client_connect said before that. */
static char *describe_map(const struct q2_session *session)
{
    const char *model =
        qs_table_get(&session->configstrings, session->dialect.extensions ? 62 + 1 : 32 + 1);
    char *map = readable(model);

    if (!map)
        return readable(qs_table_get(&session->texts, Q2_TEXT_MAP));
    if (g_str_has_prefix(map, "maps/"))
        memmove(map, map + 5, strlen(map + 5) + 1);
    if (g_str_has_suffix(map, ".bsp"))
        map[strlen(map) - 4] = '\0';
    return map;
}

/* What the client calls itself; where that was not seen, what the server calls it. */
static char *describe_player(const struct q2_session *session)
{
    const struct qs_view info = qs_view_of(qs_table_get(&session->texts, Q2_TEXT_USERINFO));
    const struct qs_view name = qs_info_value(info, "name");
    char *raw, *text;

    if (name.data)
        return qs_text_utf8(name);
    if (!session->base.level || session->player < 0)
        return NULL;
    raw = q2_player_name(session, (uint32_t)session->player);
    text = readable(raw);
    g_free(raw);
    return text;
}

void q2_session_describe(const struct qs_session *base, struct qs_description *description)
{
    const struct q2_session *session = q2_session_of_const(base);

    *description = (struct qs_description){
        .version = describe_version(session),
        .map = describe_map(session),
        .player = describe_player(session),
    };
}
