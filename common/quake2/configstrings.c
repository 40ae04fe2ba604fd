/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quake2/configstrings.h"

#include <glib.h>
#include <string.h>

#include "common/core/text.h"

enum {
    CLIENTS_MAX = 256,
    STRING_ROOM = 64 /* bytes that engines have for each */
};

/* Where a range begins, and how many strings it has. One that a layout lacks has none. */
struct place {
    uint16_t start, count;
};

#define FIRST_PLACES                                                                               \
    [Q2_RANGE_NAME] = {0, 1}, [Q2_RANGE_CDTRACK] = {1, 1}, [Q2_RANGE_SKY] = {2, 1},                \
    [Q2_RANGE_SKYAXIS] = {3, 1}, [Q2_RANGE_SKYROTATE] = {4, 1}

/* Those of extended limits and of the rerelease. */
#define WIDE_PLACES                                                                                \
    FIRST_PLACES, [Q2_RANGE_STATUSBAR] = {5, 54}, [Q2_RANGE_AIRACCEL] = {59, 1},                   \
                  [Q2_RANGE_MAXCLIENTS] = {60, 1}, [Q2_RANGE_MAPCHECKSUM] = {61, 1},               \
                  [Q2_RANGE_MODELS] = {62, 8192}, [Q2_RANGE_SOUNDS] = {8254, 2048}

static const struct layout {
    uint16_t end;
    struct place places[Q2_RANGES];
} layouts[] = {
    [Q2_LAYOUT_VANILLA] =
        {2080,
         {FIRST_PLACES, [Q2_RANGE_STATUSBAR] = {5, 24}, [Q2_RANGE_AIRACCEL] = {29, 1},
          [Q2_RANGE_MAXCLIENTS] = {30, 1}, [Q2_RANGE_MAPCHECKSUM] = {31, 1},
          [Q2_RANGE_MODELS] = {32, 256}, [Q2_RANGE_SOUNDS] = {288, 256},
          [Q2_RANGE_IMAGES] = {544, 256}, [Q2_RANGE_LIGHTS] = {800, 256},
          [Q2_RANGE_ITEMS] = {1056, 256}, [Q2_RANGE_PLAYERSKINS] = {1312, 256},
          [Q2_RANGE_GENERAL] = {1568, 512}}},
    [Q2_LAYOUT_EXTENDED] =
        {13630,
         {WIDE_PLACES, [Q2_RANGE_IMAGES] = {10302, 2048}, [Q2_RANGE_LIGHTS] = {12350, 256},
          [Q2_RANGE_ITEMS] = {12606, 256}, [Q2_RANGE_PLAYERSKINS] = {12862, 256},
          [Q2_RANGE_GENERAL] = {13118, 512}}},
    [Q2_LAYOUT_RERELEASE] =
        {12448,
         {WIDE_PLACES, [Q2_RANGE_IMAGES] = {10302, 512}, [Q2_RANGE_LIGHTS] = {10814, 256},
          [Q2_RANGE_SHADOWLIGHTS] = {11070, 256}, [Q2_RANGE_ITEMS] = {11326, 256},
          [Q2_RANGE_PLAYERSKINS] = {11582, 256}, [Q2_RANGE_GENERAL] = {11838, 512},
          [Q2_RANGE_WHEEL_WEAPONS] = {12350, 32}, [Q2_RANGE_WHEEL_AMMO] = {12382, 32},
          [Q2_RANGE_WHEEL_POWERUPS] = {12414, 32}, [Q2_RANGE_CD_LOOP_COUNT] = {12446, 1},
          [Q2_RANGE_GAME_STYLE] = {12447, 1}}},
};

static const struct layout *layout_of(const struct q2_session *session)
{
    return &layouts[session->variant.layout];
}

bool q2_configstring_range(const struct q2_session *session, uint32_t index, enum q2_range *range,
                           uint32_t *number)
{
    const struct place *places = layout_of(session)->places;

    for (unsigned i = 0; i < Q2_RANGES; i++)
        if (index >= places[i].start && index - places[i].start < places[i].count) {
            *range = (enum q2_range)i;
            *number = index - places[i].start;
            return true;
        }
    return false;
}

uint32_t q2_configstring_end(const struct q2_session *session)
{
    return layout_of(session)->end;
}

/* `name\model/skin`: the name may be anything. */
static struct qs_view skin_of(struct qs_view text)
{
    const uint8_t *mark = text.size ? memchr(text.data, '\\', text.size) : NULL;

    return mark ? (struct qs_view){mark, text.size - (uint32_t)(mark - text.data)} : text;
}

bool q2_configstring_is_unsafe(const struct q2_session *session, uint32_t index,
                               struct qs_view text)
{
    enum q2_range range;
    uint32_t number;

    if (!q2_configstring_range(session, index, &range, &number))
        return false;
    switch (range) {
    case Q2_RANGE_NAME:
    case Q2_RANGE_STATUSBAR:
        return qs_text_leads_out(text);
    case Q2_RANGE_PLAYERSKINS:
        return qs_text_leads_out(skin_of(text));
    case Q2_RANGE_CDTRACK:
    case Q2_RANGE_SKY:
    case Q2_RANGE_MODELS:
    case Q2_RANGE_SOUNDS:
    case Q2_RANGE_IMAGES:
        return qs_file_name_is_unsafe(text);
    default: /* its end may be another one's: id's cl_parse.c, CL_ParseConfigString */
        return text.size >= STRING_ROOM && qs_text_leads_out(text);
    }
}

void q2_configstring_set(struct q2_session *session, uint32_t index, struct qs_view text)
{
    int64_t number;

    if (index >= q2_configstring_end(session))
        return;
    qs_table_set(&session->configstrings, index, text);
    if (index == layout_of(session)->places[Q2_RANGE_MAXCLIENTS].start)
        session->max_clients =
            qs_view_number_within(text, 1, CLIENTS_MAX, &number) ? (uint16_t)number : 0;
}

const char *q2_configstring(const struct q2_session *session, enum q2_range range, uint32_t number)
{
    const struct place *place = &layout_of(session)->places[range];

    if (number >= place->count)
        return NULL;
    return qs_table_get(&session->configstrings, place->start + number);
}

char *q2_player_name(const struct q2_session *session, uint32_t player)
{
    const char *skin = q2_configstring(session, Q2_RANGE_PLAYERSKINS, player);

    return skin ? g_strndup(skin, strcspn(skin, "\\")) : NULL;
}
