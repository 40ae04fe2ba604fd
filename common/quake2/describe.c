/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quake2/decode.h"

#include <string.h>

#include "common/core/infostring.h"
#include "common/core/text.h"
#include "common/quake2/configstrings.h"
#include "common/quake2/names.h"

static char *readable(const char *text)
{
    return text ? qs_text_utf8(qs_view_of(text)) : NULL;
}

/* What the numbers do not tell by themselves, with a blank; or nothing. */
static const char *engine_of(const struct q2_session *session)
{
    if (session->base.version == Q2_PROTOCOL_AQTION)
        return "AQtion ";
    if (session->base.version == Q2_PROTOCOL_Q2REPRO)
        return "q2repro ";
    if (session->variant.mvd)
        return "MVD ";
    if (session->base.version == Q2_PROTOCOL_Q2PRO && session->undecodable)
        return "q2pro-ng ";
    return "";
}

char *q2_version_text(const struct q2_session *session)
{
    const int32_t version = session->base.version;
    const char *name = qs_name_of(q2_undecoded_names, (uint32_t)version);

    if (!version)
        return NULL;
    if (name && !session->variant.mvd)
        return g_strdup_printf("%s %d", name, version);
    if (session->minor)
        return g_strdup_printf("%s%d (%u)", engine_of(session), version, session->minor);
    return g_strdup_printf("%s%d", engine_of(session), version);
}

/* The first model, "maps/q2dm1.bsp"; before that the map that client_connect names. */
static char *describe_map(const struct q2_session *session)
{
    const char *model = q2_configstring(session, Q2_RANGE_MODELS, 1);
    char *map = readable(model);

    if (!map)
        return session->base.level > 1 ? NULL
                                       : readable(qs_table_get(&session->texts, Q2_TEXT_MAP));
    if (g_str_has_prefix(map, "maps/"))
        memmove(map, map + 5, strlen(map + 5) + 1);
    if (g_str_has_suffix(map, ".bsp"))
        map[strlen(map) - 4] = '\0';
    return map;
}

/* The name of the userinfo, or of the config string where no userinfo was seen. */
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
        .version = q2_version_text(session),
        .map = describe_map(session),
        .player = describe_player(session),
    };
}
