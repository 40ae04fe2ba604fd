/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/stats/play.h"

#include <math.h>
#include <string.h>

#include "common/core/text.h"

enum {
    TEXT_MAX = 200, /* characters of a line of chat */
    STEP_MIN = 24,  /* map units */
    FAST = 1500,    /* units a second: players do not move faster, */
    FAR = 200,      /* over more than so many units */
    CHAT_MARK = 1   /* Quake's first byte of a line of chat */
};

#define UNSEEN_MAX INT64_C(2000000000) /* nanoseconds: then another way may have been taken */

/* --- The sink -------------------------------------------------------------------------------- */

static struct qs_play_sink *sink_of(struct qs_sink *base)
{
    return (struct qs_play_sink *)base;
}

static void set_text(struct qs_play_sink *sink, struct qs_play_item *item, struct qs_view text)
{
    item->text = sink->texts->len;
    item->size = text.size;
    g_byte_array_append(sink->texts, text.data, text.size);
}

static void open_group(struct qs_sink *base, const struct qs_field *group, uint32_t offset)
{
    struct qs_play_sink *sink = sink_of(base);

    (void)offset;
    sink->depth++;
    if (group->role != QS_ROLE_OWN || sink->item_depth)
        return;
    sink->item = (struct qs_play_item){0};
    sink->item_depth = sink->depth;
}

static void close_group(struct qs_sink *base, uint32_t end)
{
    struct qs_play_sink *sink = sink_of(base);

    (void)end;
    if (sink->depth-- != sink->item_depth)
        return;
    if (sink->item.has_x || sink->item.has_y)
        g_array_append_val(sink->items, sink->item);
    sink->item_depth = 0;
}

/* Chat has a level of that name before it, or a mark. */
static void add_print(struct qs_play_sink *sink, struct qs_view text)
{
    struct qs_play_item item = {.chat = true};
    const char *level = sink->last ? qs_name_of(sink->last->names, sink->last_value) : NULL;

    if (g_strcmp0(level, "PRINT_CHAT") != 0 && !(text.size && text.data[0] == CHAT_MARK))
        return;
    set_text(sink, &item, text);
    g_array_append_val(sink->items, item);
}

static void add_field(struct qs_sink *base, const struct qs_field *field,
                      const struct qs_value *value)
{
    struct qs_play_sink *sink = sink_of(base);

    if (field->role == QS_ROLE_CHAT && g_strcmp0(field->brief, QS_BRIEF_LINE) == 0) {
        add_print(sink, value->bytes);
    } else if (field->role == QS_ROLE_PLAYER) {
        sink->item = (struct qs_play_item){0};
        set_text(sink, &sink->item, value->bytes);
        sink->item_depth = sink->depth;
    } else if (field->role == QS_ROLE_X && sink->item_depth) {
        sink->item.x = value->f;
        sink->item.has_x = true;
    } else if (field->role == QS_ROLE_Y && sink->item_depth) {
        sink->item.y = value->f;
        sink->item.has_y = true;
    } else if (field->names && !field->mask) {
        sink->last = field;
        sink->last_value = (uint32_t)value->u;
    }
}

void qs_play_sink_init(struct qs_play_sink *sink)
{
    *sink = (struct qs_play_sink){
        .base = {.open = open_group, .close = close_group, .field = add_field},
        .items = g_array_new(FALSE, FALSE, sizeof(struct qs_play_item)),
        .texts = g_byte_array_new()};
}

void qs_play_sink_clear(struct qs_play_sink *sink)
{
    g_array_free(sink->items, TRUE);
    g_byte_array_free(sink->texts, TRUE);
}

void qs_play_sink_begin(struct qs_play_sink *sink)
{
    g_array_set_size(sink->items, 0);
    g_byte_array_set_size(sink->texts, 0);
    sink->depth = sink->item_depth = 0;
    sink->last = NULL;
}

/* --- Chat ------------------------------------------------------------------------------------ */

static void chat_clear(gpointer data)
{
    struct qs_chat_line *line = data;

    g_free(line->speaker);
    g_free(line->text);
}

/* The text behind "anna: ", "(anna): " or "[SPEC] anna: "; NULL: it does not begin so. */
static const char *behind_name(const char *text, const char *name)
{
    text += *text == CHAT_MARK;
    text += g_str_has_prefix(text, "[SPEC] ") ? strlen("[SPEC] ") : 0;
    text += *text == '(';
    if (!g_str_has_prefix(text, name))
        return NULL;
    text += strlen(name);
    text += *text == ')';
    return g_str_has_prefix(text, ": ") ? text + strlen(": ") : NULL;
}

/* Demos of servers have a line once for each player who received it. */
static bool has_line(const struct qs_play *play, const struct qs_chat_line *line)
{
    for (guint i = play->chat->len; i-- > 0;) {
        const struct qs_chat_line *other = &g_array_index(play->chat, struct qs_chat_line, i);

        if (other->time != line->time)
            return false;
        if (g_str_equal(other->text, line->text) && g_strcmp0(other->speaker, line->speaker) == 0)
            return true;
    }
    return false;
}

static void add_chat(struct qs_play *play, const struct qs_decoder *d, struct qs_view bytes)
{
    struct qs_chat_line line = {.time = d->packet->time};
    g_autofree char *text =
        qs_text_title(qs_view_behind(bytes, bytes.data[0] == CHAT_MARK), TEXT_MAX);
    const char *said = NULL;

    if (play->chat->len == QS_CHAT_MAX) {
        play->chat_omitted++;
        return;
    }
    for (uint32_t slot = 0; d->protocol->player && slot < QS_PLAYER_SLOTS && !said; slot++) {
        struct qs_player player = {0};

        if (d->protocol->player(d->session, slot, &player) && player.name && *player.name)
            said = behind_name(text, player.name);
        if (said)
            line.speaker = g_steal_pointer(&player.name);
        g_free(player.name);
        g_free(player.team);
    }
    line.text = g_strstrip(g_strdup(said ? said : text));
    if (has_line(play, &line))
        chat_clear(&line);
    else
        g_array_append_val(play->chat, line);
}

/* --- Ways ------------------------------------------------------------------------------------ */

static void way_free(gpointer data)
{
    struct qs_way *way = data;

    g_byte_array_free(way->key, TRUE);
    g_array_free(way->points, TRUE);
    g_free(way->name);
    g_free(way);
}

static struct qs_way_point *point_at(const struct qs_way *way, guint index)
{
    return &g_array_index(way->points, struct qs_way_point, index);
}

static float distance(const struct qs_way_point *a, const struct qs_way_point *b)
{
    return hypotf(a->x - b->x, a->y - b->y);
}

/* NULL: there are too many. */
static struct qs_way *find_way(struct qs_play *play, struct qs_view key)
{
    struct qs_way *way;

    for (guint i = 0; i < play->ways->len; i++) {
        way = g_ptr_array_index(play->ways, i);
        if (way->key->len == key.size && (!key.size || !memcmp(way->key->data, key.data, key.size)))
            return way;
    }
    if (play->ways->len == QS_WAYS_MAX)
        return NULL;
    way = g_new0(struct qs_way, 1);
    way->key = g_byte_array_append(g_byte_array_new(), key.data, key.size);
    way->name = key.size ? qs_text_title(key, QS_PLAYER_CHARACTERS) : NULL;
    way->points = g_array_new(FALSE, FALSE, sizeof(struct qs_way_point));
    g_ptr_array_add(play->ways, way);
    return way;
}

/* Drops points that are closer than the step to the one before. */
static void thin_out(struct qs_play *play)
{
    play->step *= 2;
    play->points = 0;
    for (guint i = 0; i < play->ways->len; i++) {
        struct qs_way *way = g_ptr_array_index(play->ways, i);
        guint kept = 0;

        for (guint j = 0; j < way->points->len; j++)
            if (!kept || distance(point_at(way, kept - 1), point_at(way, j)) >= play->step)
                *point_at(way, kept++) = *point_at(way, j);
        g_array_set_size(way->points, kept);
        play->points += kept;
    }
}

static void add_point(struct qs_play *play, struct qs_way *way, const struct qs_way_point *point)
{
    const guint count = way->points->len;

    if (count && !point->apart && distance(point_at(way, count - 1), point) < play->step)
        return;
    g_array_append_val(way->points, *point);
    if (++play->points > QS_WAY_POINTS_MAX)
        thin_out(play);
}

static void add_position(struct qs_play *play, struct qs_view name, const struct qs_play_item *item,
                         int64_t time)
{
    struct qs_way *way = find_way(play, name);
    struct qs_way_point point;
    float units;

    if (!way)
        return;
    point = (struct qs_way_point){.time = time,
                                  .x = item->has_x ? (float)item->x : way->seen.x,
                                  .y = item->has_y ? (float)item->y : way->seen.y};
    way->has_x |= item->has_x;
    way->has_y |= item->has_y;
    if (!way->has_x || !way->has_y || !isfinite(point.x) || !isfinite(point.y))
        return;
    units = distance(&way->seen, &point);
    point.apart = !way->points->len || time - way->seen.time > UNSEEN_MAX ||
                  (units > FAR && units * 1e9 > FAST * (double)(time - way->seen.time));
    add_point(play, way, &point);
    way->seen = point;
}

/* --- Both ------------------------------------------------------------------------------------ */

struct qs_play *qs_play_new(void)
{
    struct qs_play *play = g_new0(struct qs_play, 1);

    play->chat = g_array_new(FALSE, FALSE, sizeof(struct qs_chat_line));
    g_array_set_clear_func(play->chat, chat_clear);
    play->ways = g_ptr_array_new_with_free_func(way_free);
    play->step = STEP_MIN;
    return play;
}

void qs_play_free(struct qs_play *play)
{
    g_array_free(play->chat, TRUE);
    g_ptr_array_free(play->ways, TRUE);
    g_free(play);
}

void qs_play_add(struct qs_play *play, const struct qs_play_sink *sink,
                 const struct qs_decoder *decoder)
{
    for (guint i = 0; i < sink->items->len; i++) {
        const struct qs_play_item *item = &g_array_index(sink->items, struct qs_play_item, i);
        const struct qs_view text = {item->size ? sink->texts->data + item->text : NULL,
                                     item->size};

        if (item->chat && item->size)
            add_chat(play, decoder, text);
        else if (!item->chat)
            add_position(play, text, item, decoder->packet->time);
    }
}
