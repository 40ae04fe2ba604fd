/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The protocol record of QuakeWorld. */
#include "common/quakeworld/quakeworld.h"

#include "common/fte/progs.h"
#include "common/core/text.h"
#include "common/quakeworld/parts.h"

const struct qs_field qw_fields[QW_FIELD_COUNT] = {
#include "common/core/rows_table.h"
#define FTE_PREFIX "qw."
#define FTE_UPDATE_NAME "qw.update"
#include "common/fte/fields.def"
#include "common/quakeworld/fields.def"
#include "common/core/rows_end.h"
};

static bool is_connectionless(const struct qs_decoder *d)
{
    return d->in.size > 4 && qs_le32(d->in.data) == UINT32_MAX;
}

static void decode(struct qs_decoder *d)
{
    if (is_connectionless(d))
        qw_decode_connectionless(d);
    else if (qw_is_bare_text(d->packet))
        qw_decode_bare_text(d);
    else
        qw_decode_netchan(d);
}

/* QWD keeps whole packets, as they came or with the header of the plain netchan. */
void qw_decode_recorded(struct qs_decoder *d)
{
    if (is_connectionless(d))
        qw_decode_connectionless(d);
    else
        qw_decode_plain_netchan(d);
}

/* --- The record --- */

static void init(struct qs_session *session)
{
    struct qw_session *qw = (struct qw_session *)session;

    *qw = (struct qw_session){.connecting = false};
    qs_session_init(session);
    qw->ext.game = &qw_fte_game;
}

static void copy(struct qs_session *to, const struct qs_session *from)
{
    struct qw_session *copy = (struct qw_session *)to;
    const struct qw_session *original = (const struct qw_session *)from;

    *copy = *original;
    qs_table_copy(&copy->models, &original->models);
    qs_table_copy(&copy->sounds, &original->sounds);
    qs_table_copy(&copy->userinfo, &original->userinfo);
    qs_table_copy(&copy->texts, &original->texts);
    copy->effect_styles = original->effect_styles ? g_bytes_ref(original->effect_styles) : NULL;
    qw_fragments_copy(copy, original);
}

static void clear(struct qs_session *session)
{
    struct qw_session *qw = (struct qw_session *)session;

    qs_table_clear(&qw->models);
    qs_table_clear(&qw->sounds);
    qs_table_clear(&qw->userinfo);
    qs_table_clear(&qw->texts);
    g_clear_pointer(&qw->effect_styles, g_bytes_unref);
    qw_fragments_clear(qw);
}

static char *version_text(const struct qw_session *session)
{
    GString *text;

    if (!session->base.version)
        return NULL;
    text = g_string_new(NULL);
    g_string_printf(text, "%d", session->base.version);
    fte_describe(&session->ext, text);
    return g_string_free(text, FALSE);
}

/* The first model is the map: maps/dm4.bsp. */
static char *map_name(const struct qw_session *session)
{
    const char *model = qs_table_get(&session->models, 1);
    char *name, *dot;

    if (!model)
        return NULL;
    if (strrchr(model, '/'))
        model = strrchr(model, '/') + 1;
    name = qs_text_utf8(qs_view_of(model));
    dot = strrchr(name, '.');
    if (dot)
        *dot = '\0';
    return name;
}

/* MVD has all players, but none of its own: "anna, bert", without spectators. */
static char *player_names(const struct qw_session *session)
{
    enum { SLOTS = 32, CHARACTERS = 60 };
    GString *names = g_string_new(NULL);
    char *title = NULL;

    for (uint32_t i = 0; i < SLOTS; i++) {
        const struct qs_view info = qs_view_of(qs_table_get(&session->userinfo, i));
        const struct qs_view name = qs_info_value(info, "name");

        if (name.size && !qs_info_value(info, "*spectator").size)
            g_string_append_printf(names, "%s%.*s", names->len ? ", " : "", (int)name.size,
                                   (const char *)name.data);
    }
    if (names->len)
        title = qs_text_title(qs_view_of(names->str), CHARACTERS);
    g_string_free(names, TRUE);
    return title;
}

static char *player_name(const struct qw_session *session)
{
    struct qs_view name = {0};

    if (session->mvd)
        return player_names(session);
    if (session->base.level)
        name = qw_player_name(session, session->player);
    if (!name.size)
        name = qs_info_value(qs_view_of(qs_table_get(&session->texts, QW_TEXT_CONNECT_USERINFO)),
                             "name");
    return name.size ? qs_text_utf8(name) : NULL;
}

static void describe(const struct qs_session *session, struct qs_description *description)
{
    const struct qw_session *qw = (const struct qw_session *)session;

    *description = (struct qs_description){
        .version = version_text(qw), .map = map_name(qw), .player = player_name(qw)};
}

const struct qs_demo_format qw_qwd = {"qwd", qw_decode_demo_block};
const struct qs_demo_format qw_mvd = {"mvd", qw_decode_mvd_block};

const struct qs_protocol qw_protocol = {
    .name = "qw",
    .short_name = "QW",
    .title = "QuakeWorld",
    .ports = "27500,27000",
    .demo = &qw_qwd,
    .fields = qw_fields,
    .field_count = QW_FIELD_COUNT,
    .undecoded = QW_UNDECODED,
    .notes = QS_NOTE_BIT(QS_NOTE_MALFORMED) | QS_NOTE_BIT(QS_NOTE_UNKNOWN_MESSAGE) |
             QS_NOTE_BIT(QS_NOTE_PROTOCOL_UNDECODED) | QS_NOTE_BIT(QS_NOTE_CUT) |
             QS_NOTE_BIT(QS_NOTE_CHECKSUM_BAD) | QS_NOTE_BIT(QS_NOTE_SEQUENCE_GAP) |
             QS_NOTE_BIT(QS_NOTE_SEQUENCE_STALE) | QS_NOTE_BIT(QS_NOTE_SEQUENCE_DUPLICATE) |
             QS_NOTE_BIT(QS_NOTE_NOT_CAPTURED) | QS_NOTE_BIT(QS_NOTE_UNUSUAL),
    .session_size = sizeof(struct qw_session),
    .session_init = init,
    .session_copy = copy,
    .session_clear = clear,
    .describe = describe,
    .recognise = qw_recognise,
    .decode = decode,
    .stream_ports = "27500,27599,27900,28000",
    .recognise_stream = qw_recognise_stream,
    .unit_size = qw_unit_size,
    .decode_unit = qw_decode_unit,
    .decode_server_messages = qw_decode_recorded,
};
