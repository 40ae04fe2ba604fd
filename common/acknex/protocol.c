/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/acknex/acknex.h"

#include "common/acknex/fields.h"
#include "common/acknex/messages.h"
#include "common/core/decoder.h"
#include "common/core/text.h"

/* clang-format off */
/* An update's bytecode is any of 64. */
#define EACH_OF_4(code, name) {code, name}, {code + 1, name}, {code + 2, name}, {code + 3, name}
#define EACH_OF_16(code, name)                                                  \
    EACH_OF_4(code, name), EACH_OF_4(code + 4, name),                           \
    EACH_OF_4(code + 8, name), EACH_OF_4(code + 12, name)
#define EACH_OF_64(code, name)                                                  \
    EACH_OF_16(code, name), EACH_OF_16(code + 16, name),                        \
    EACH_OF_16(code + 32, name), EACH_OF_16(code + 48, name)

/* A bytecode that both sides have is named for both; which one spoke is said by the group. */
static const struct qs_name message_names[] = {
    {CLS_JOIN, "CLS_JOIN"},
    {CLS_CREATE, "CLS_CREATE or SVC_CREATE"},
    {CLS_REMOVE, "CLS_REMOVE or SVC_REMOVE"},
    {SVC_ENTSOUND, "SVC_ENTSOUND"},
    {SVC_EFFECT, "SVC_EFFECT"},
    {CLS_PING, "CLS_PING or SVC_INFO"},
    {CLS_LEVEL, "CLS_LEVEL"},
    {CLS_VAR, "CLS_VAR or SVC_VAR"},
    {CLS_STRING, "CLS_STRING or SVC_STRING"},
    {CLS_SKILL, "CLS_SKILL or SVC_SKILL"},
    {CLS_SKILL3, "CLS_SKILL3 or SVC_SKILL3"},
    {SVC_LOCAL, "SVC_LOCAL"},
    EACH_OF_64(SVC_UPDATE1, "SVC_UPDATE1"),
    EACH_OF_64(SVC_UPDATE2, "SVC_UPDATE2"),
    EACH_OF_64(SVC_UPDATE3, "SVC_UPDATE3"),
    {0, NULL},
};
/* clang-format on */

const struct qs_field acknex_fields[ACKNEX_FIELD_COUNT] = {
#include "common/core/rows_table.h"
#include "common/acknex/fields.def"
#include "common/core/rows_end.h"
};

/* --- The session
 * --------------------------------------------------------------------------------------------- */

static void init(struct qs_session *session)
{
    *(struct acknex_session *)session = (struct acknex_session){0};
    qs_session_init(session);
}

static void copy(struct qs_session *to, const struct qs_session *from)
{
    struct acknex_session *target = (struct acknex_session *)to;
    const struct acknex_session *source = (const struct acknex_session *)from;

    *target = *source;
    qs_table_copy(&target->texts, &source->texts);
    qs_table_copy(&target->requested, &source->requested);
    qs_table_copy(&target->files, &source->files);
    qs_table_copy(&target->players, &source->players);
}

static void forget_entities(struct acknex_session *session)
{
    qs_table_clear(&session->requested);
    qs_table_clear(&session->files);
    qs_table_clear(&session->players);
}

static void clear(struct qs_session *session)
{
    struct acknex_session *known = (struct acknex_session *)session;

    qs_table_clear(&known->texts);
    forget_entities(known);
}

void acknex_session_join(struct acknex_session *session, struct qs_view player)
{
    qs_session_connect(&session->base);
    clear(&session->base);
    qs_table_set(&session->texts, ACKNEX_TEXT_PLAYER, player);
}

void acknex_session_level(struct acknex_session *session, struct qs_view level)
{
    const char *before = qs_table_get(&session->texts, ACKNEX_TEXT_LEVEL);

    if (before && !qs_view_equal(level, before))
        forget_entities(session);
    session->base.level++;
    qs_table_set(&session->texts, ACKNEX_TEXT_LEVEL, level);
}

static char *readable(const char *text)
{
    return text ? qs_text_utf8(qs_view_of(text)) : NULL;
}

static void describe(const struct qs_session *session, struct qs_description *description)
{
    const struct acknex_session *known = (const struct acknex_session *)session;

    *description = (struct qs_description){
        .version = session->version ? g_strdup_printf("%d", session->version) : NULL,
        .map = readable(qs_table_get(&known->texts, ACKNEX_TEXT_LEVEL)),
        .player = readable(qs_table_get(&known->texts, ACKNEX_TEXT_PLAYER)),
    };
}

/* --- The packet
 * ---------------------------------------------------------------------------------------------- */

static void settle_direction(struct qs_decoder *d)
{
    if (d->probing)
        return;
    if (d->direction == QS_DIRECTION_UNKNOWN)
        d->direction = qs_probe_direction(d);
    if (d->session->server == QS_END_UNKNOWN)
        qs_learn_direction(d, d->direction);
}

static void summarise_direction(struct qs_decoder *d)
{
    switch (d->direction) {
    case QS_C2S:
        qs_summary(d, "C→S");
        break;
    case QS_S2C:
        qs_summary(d, "S→C");
        break;
    case QS_DIRECTION_UNKNOWN:
        qs_summary(d, "Direction unknown");
        break;
    }
}

/* A datagram is messages back to back, without a header. */
static void decode(struct qs_decoder *d)
{
    settle_direction(d);
    summarise_direction(d);
    d->accepted = true;
    qs_read_messages(d, ACKNEX_MESSAGE, acknex_message);
}

/* --- The record
 * ---------------------------------------------------------------------------------------------- */

static const struct qs_name pos_resolutions[] = {
    {ACKNEX_POS_PACKED, "packed"},
    {ACKNEX_POS_FIXED, "fixed"},
    {0, NULL},
};

static const struct qs_name angle_byte_orders[] = {
    {ACKNEX_ANGLE_BIG_ENDIAN, "big-endian"},
    {ACKNEX_ANGLE_INTEL, "intel"},
    {0, NULL},
};

static const struct qs_option options[ACKNEX_OPTION_COUNT] = {
    [ACKNEX_POS_RESOLUTION] =
        {"pos_resolution", "Position resolution",
         "How the position of an update is sent, which nothing in the traffic "
         "tells: packed in three bytes a coordinate, or fixed in four. The "
         "engine's variable of the same name decides.",
         pos_resolutions, ACKNEX_POS_PACKED},
    [ACKNEX_ANGLE_BYTE_ORDER] = {"angle_byte_order", "Angle byte order",
                                 "The manual's worked example, the only bytes that it shows, has "
                                 "angles high byte first (big-endian), while its text calls them "
                                 "Shorts, which are little-endian (intel).",
                                 angle_byte_orders, ACKNEX_ANGLE_BIG_ENDIAN},
};

const struct qs_protocol acknex_protocol = {
    .name = "acknex",
    .short_name = "Acknex",
    .title = "Acknex (3D GameStudio)",
    .ports = "2300",
    .demo = NULL,
    .fields = acknex_fields,
    .field_count = ACKNEX_FIELD_COUNT,
    .undecoded = ACKNEX_UNDECODED,
    .notes = QS_NOTE_BIT(QS_NOTE_MALFORMED) | QS_NOTE_BIT(QS_NOTE_UNKNOWN_MESSAGE) |
             QS_NOTE_BIT(QS_NOTE_CUT),
    .options = options,
    .option_count = ACKNEX_OPTION_COUNT,
    .session_size = sizeof(struct acknex_session),
    .session_init = init,
    .session_copy = copy,
    .session_clear = clear,
    .describe = describe,
    .recognise = acknex_recognise,
    .recognise_on_request = true,
    .decode = decode,
};
