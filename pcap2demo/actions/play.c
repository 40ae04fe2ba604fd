/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "common/core/text.h"
#include "common/dump/dump.h"
#include "common/netchan/histogram.h"
#include "pcap2demo/actions/report.h"

enum {
    CHAT_MAX = 500, /* maximum number of lines */
    TEXT_MAX = 200, /* maximum length of a line, in characters */
    CHAT_MARK = 1,  /* first byte of a chat line in Quake */
    ROUTES_MAX = 64,
    POINTS_MAX = 4096, /* maximum number of points of all routes */
    STEP_MIN = 24,     /* minimum distance of two points, in map units */
    FAST = 1500,       /* maximum speed of a player (map units per second) */
    FAR = 200,         /* shorter jumps (map units) are no teleports */
    FARTHEST = 1 << 20 /* maximum coordinate on any map */
};

/* Time without a position (ns) after which a route is interrupted. */
#define UNSEEN_MAX INT64_C(2000000000)

/* --- The sink -------------------------------------------------------------------------------- */

/* A line of chat with its speaker, or a player's position. */
struct play_item {
    char *player; /* name; NULL: unknown speaker, or the session's own player */
    char *text;   /* chat; NULL for a position */
    double x, y;  /* position; NAN: coordinate unchanged */
};

struct play_sink {
    struct qs_sink base;
    GArray *items;         /* items of the packet (struct play_item) */
    struct play_item item; /* position that the open group describes */
    int depth, item_depth; /* number of open groups; depth of the group of `item`, 0: none */
    uint32_t level;        /* print level of the text that follows */
};

static void item_clear(gpointer data)
{
    struct play_item *item = data;

    g_free(item->player);
    g_free(item->text);
}

/* Starts a position of `player` in the open group. */
static void begin_item(struct play_sink *sink, char *player)
{
    item_clear(&sink->item);
    sink->item = (struct play_item){.player = player, .x = NAN, .y = NAN};
    sink->item_depth = sink->depth;
}

static void open_group(struct qs_sink *base, const struct qs_field *group, uint32_t offset)
{
    struct play_sink *sink = (struct play_sink *)base;

    (void)offset;
    sink->depth++;
    if (group->role == QS_ROLE_OWN && !sink->item_depth)
        begin_item(sink, NULL);
}

static void close_group(struct qs_sink *base, uint32_t end)
{
    struct play_sink *sink = (struct play_sink *)base;

    (void)end;
    if (sink->depth-- != sink->item_depth)
        return;
    if (!isnan(sink->item.x) || !isnan(sink->item.y)) {
        g_array_append_val(sink->items, sink->item);
        sink->item.player = NULL;
    }
    sink->item_depth = 0;
}

/* Adds a print message if it is chat, by its level or by CHAT_MARK. The speaker may follow it. */
static void add_print(struct play_sink *sink, struct qs_view text)
{
    const bool marked = text.size && text.data[0] == CHAT_MARK;
    struct play_item item = {0};

    if (!marked && sink->level != QS_PRINT_CHAT)
        return;
    item.text = g_strchomp(qs_text_title(qs_view_skip(text, marked), TEXT_MAX));
    g_array_append_val(sink->items, item);
}

static void set_speaker(struct play_sink *sink, struct qs_view name)
{
    struct play_item *item = &g_array_index(sink->items, struct play_item, sink->items->len - 1);

    if (sink->items->len && item->text && !item->player)
        item->player = qs_text_title(name, QS_PLAYER_CHARACTERS);
}

static void add_field(struct qs_sink *base, const struct qs_field *field,
                      const struct qs_value *value)
{
    struct play_sink *sink = (struct play_sink *)base;

    if (field->role == QS_ROLE_CHAT && g_strcmp0(field->brief, QS_BRIEF_LINE) == 0) {
        add_print(sink, value->bytes);
        sink->level = 0;
    } else if (field->role == QS_ROLE_SPEAKER) {
        set_speaker(sink, value->bytes);
    } else if (field->role == QS_ROLE_PLAYER) {
        begin_item(sink, qs_text_title(value->bytes, QS_PLAYER_CHARACTERS));
    } else if (field->role == QS_ROLE_X) {
        sink->item.x = value->f;
    } else if (field->role == QS_ROLE_Y) {
        sink->item.y = value->f;
    } else if (field->role == QS_ROLE_PRINT_LEVEL) {
        sink->level = (uint32_t)value->u;
    }
}

struct play_sink *play_sink_new(void)
{
    struct play_sink *sink = g_new0(struct play_sink, 1);

    sink->base = (struct qs_sink){.open = open_group, .close = close_group, .field = add_field};
    sink->items = g_array_new(FALSE, FALSE, sizeof(struct play_item));
    g_array_set_clear_func(sink->items, item_clear);
    return sink;
}

void play_sink_free(struct play_sink *sink)
{
    g_array_free(sink->items, TRUE);
    item_clear(&sink->item);
    g_free(sink);
}

struct qs_sink *play_sink_begin(struct play_sink *sink)
{
    g_array_set_size(sink->items, 0);
    sink->depth = sink->item_depth = 0;
    sink->level = 0;
    return &sink->base;
}

/* --- Chat ------------------------------------------------------------------------------------ */

struct play {
    json_t *chat; /* lines as in the JSON report */
    uint64_t chat_left_out;
    GPtrArray *routes; /* struct route, one for each player */
    guint points;      /* number of points of all routes */
    double step;       /* minimum distance of two points; grows with the number of points */
};

/* True if the line exists at the same time: demos of servers repeat it for each recipient. */
static bool has_line(const json_t *chat, const json_t *line)
{
    for (size_t i = json_array_size(chat); i-- > 0;) {
        const json_t *other = json_array_get(chat, i);

        if (!json_equal(json_object_get(other, "time"), json_object_get(line, "time")))
            return false;
        if (json_equal(other, line))
            return true;
    }
    return false;
}

static void add_chat(struct play *play, const struct play_item *item,
                     const struct qs_client_session *session, int64_t time)
{
    json_t *line;

    if (json_array_size(play->chat) == CHAT_MAX) {
        play->chat_left_out++;
        return;
    }
    line = json_pack("{s:o, s:o, s:o}", "time", report_seconds_json(session, time), "player",
                     report_text_json(item->player), "text", report_text_json(item->text));
    if (!has_line(play->chat, line))
        json_array_append(play->chat, line);
    json_decref(line);
}

/* --- Routes ---------------------------------------------------------------------------------- */

struct point {
    int64_t time;
    double x, y;
    bool apart; /* not joined to the previous point: a teleport, or a gap in time */
};

struct route {
    char *name; /* player; NULL: the session's own */
    GArray *points;
    struct point seen; /* latest position; NAN before the first one */
};

static void route_free(gpointer data)
{
    struct route *route = data;

    g_array_free(route->points, TRUE);
    g_free(route->name);
    g_free(route);
}

static double distance(const struct point *a, const struct point *b)
{
    return hypot(a->x - b->x, a->y - b->y);
}

/* Returns the player's route, created if needed; NULL if there are too many. */
static struct route *find_route(struct play *play, const char *name)
{
    struct route *route;

    for (guint i = 0; i < play->routes->len; i++) {
        route = g_ptr_array_index(play->routes, i);
        if (g_strcmp0(route->name, name) == 0)
            return route;
    }
    if (play->routes->len == ROUTES_MAX)
        return NULL;
    route = g_new0(struct route, 1);
    route->name = g_strdup(name);
    route->points = g_array_new(FALSE, FALSE, sizeof(struct point));
    route->seen.x = route->seen.y = NAN;
    g_ptr_array_add(play->routes, route);
    return route;
}

/* Doubles the minimum distance, and drops points that are closer to the previous one. */
static void thin_out(struct play *play)
{
    play->step *= 2;
    play->points = 0;
    for (guint i = 0; i < play->routes->len; i++) {
        const struct route *route = g_ptr_array_index(play->routes, i);
        struct point *points = &g_array_index(route->points, struct point, 0);
        guint kept = 0;
        bool apart = false; /* since the last kept point */

        for (guint j = 0; j < route->points->len; j++) {
            apart |= points[j].apart;
            if (!kept || distance(&points[kept - 1], &points[j]) >= play->step) {
                points[kept] = points[j];
                points[kept++].apart = apart;
                apart = false;
            }
        }
        g_array_set_size(route->points, kept);
        play->points += kept;
    }
}

static void add_position(struct play *play, const struct play_item *item, int64_t time)
{
    struct route *route = find_route(play, item->player);
    const guint count = route ? route->points->len : 0;
    struct point point = {.time = time, .x = item->x, .y = item->y};
    double units;

    if (!route)
        return;
    if (isnan(point.x))
        point.x = route->seen.x;
    if (isnan(point.y))
        point.y = route->seen.y;
    units = distance(&route->seen, &point);
    point.apart = !count || time - route->seen.time > UNSEEN_MAX ||
                  (units > FAR && units * 1e9 > FAST * (double)(time - route->seen.time));
    if (fabs(point.x) < FARTHEST && fabs(point.y) < FARTHEST &&
        (point.apart ||
         distance(&g_array_index(route->points, struct point, count - 1), &point) >= play->step)) {
        g_array_append_val(route->points, point);
        play->points++;
    }
    route->seen = point;
    if (play->points > POINTS_MAX)
        thin_out(play);
}

/* Returns a route as JSON. Null separates points that are not joined. */
static json_t *route_json(const struct route *route, const struct qs_client_session *session)
{
    static const char *const names[] = {"time", "x", "y"};
    json_t *json =
        json_pack("{s:o, s:[], s:[], s:[]}", "player",
                  report_text_json(route->name ? route->name : session->player), "time", "x", "y");

    for (guint i = 0; i < route->points->len; i++) {
        const struct point *point = &g_array_index(route->points, struct point, i);

        for (size_t j = 0; point->apart && i && j < G_N_ELEMENTS(names); j++)
            report_append(json, names[j], json_null());
        report_append(json, "time", report_seconds_json(session, point->time));
        report_append(json, "x", json_integer(lrint(point->x)));
        report_append(json, "y", json_integer(lrint(point->y)));
    }
    return json;
}

/* --- Chat and routes of a session ------------------------------------------------------------ */

struct play *play_new(void)
{
    struct play *play = g_new0(struct play, 1);

    play->chat = json_array();
    play->routes = g_ptr_array_new_with_free_func(route_free);
    play->step = STEP_MIN;
    return play;
}

void play_free(struct play *play)
{
    if (!play)
        return;
    json_decref(play->chat);
    g_ptr_array_free(play->routes, TRUE);
    g_free(play);
}

void play_add(struct play *play, const struct play_sink *sink,
              const struct qs_client_session *session, int64_t time)
{
    for (guint i = 0; i < sink->items->len; i++) {
        const struct play_item *item = &g_array_index(sink->items, struct play_item, i);

        if (item->text)
            add_chat(play, item, session, time);
        else
            add_position(play, item, time);
    }
}

json_t *play_json(const struct play *play, const struct qs_client_session *session)
{
    json_t *routes = json_array();

    for (guint i = 0; i < play->routes->len; i++)
        json_array_append_new(routes, route_json(g_ptr_array_index(play->routes, i), session));
    return json_pack("{s:O, s:o, s:o}", "chat", play->chat, "chat_left_out",
                     report_number(play->chat_left_out), "ways", routes);
}

/* --- Path quality over time ------------------------------------------------------------------ */

enum { BINS_MAX = 120 };

/* Minimum duration of a bin (ns): enough for a useful number of datagrams. */
#define WIDTH_MIN INT64_C(4000000000)

/* A bin: counts from the session's start to the end of the bin, and pings within the bin. */
struct bin {
    struct qs_path_counts counts;
    struct qs_histogram pings;
};

struct series {
    int64_t width; /* duration of a bin (ns) */
    guint count;
    struct bin bins[BINS_MAX];
};

struct series *series_new(void)
{
    struct series *series = g_new0(struct series, 1);

    series->width = WIDTH_MIN;
    return series;
}

void series_free(struct series *series)
{
    for (guint i = 0; series && i < series->count; i++)
        qs_histogram_clear(&series->bins[i].pings);
    g_free(series);
}

static void halve(struct series *series)
{
    for (guint i = 0; i < series->count; i += 2) {
        const guint last = MIN(i + 1, series->count - 1);
        struct bin bin = series->bins[last];

        if (last > i)
            qs_histogram_join(&bin.pings, &series->bins[i].pings);
        series->bins[i / 2] = bin;
    }
    series->count = (series->count + 1) / 2;
    series->width *= 2;
}

/* Returns the bin of this time. An older packet counts in the last bin. */
static struct bin *bin_at(struct series *series, int64_t since)
{
    while (since / series->width >= BINS_MAX)
        halve(series);
    while ((int64_t)series->count <= since / series->width) {
        struct bin *bin = &series->bins[series->count];

        *bin = series->count ? bin[-1] : (struct bin){0};
        bin->pings = (struct qs_histogram){0};
        series->count++;
    }
    return &series->bins[series->count - 1];
}

void series_add(struct series *series, const struct qs_client_session *session, int64_t time)
{
    struct bin *bin = bin_at(series, MAX(time - session->start, 0));

    bin->counts = qs_path_counts(session->quality);
    if (session->path.ping)
        qs_histogram_add(&bin->pings, session->path.ping);
}

/* Returns a quantile of the bin's pings in milliseconds, as JSON. */
static json_t *ping_json(const struct bin *bin, double part)
{
    return report_figure_json(bin->pings.count ? qs_histogram_quantile(&bin->pings, part) / 1000
                                               : QS_QUALITY_UNKNOWN);
}

static void append_direction(json_t *json, const struct qs_path_direction *figures)
{
    report_append(json, "packets", report_number(figures->packets));
    report_append(json, "loss", report_figure_json(figures->loss));
    report_append(json, "loss_at_most", report_figure_json(figures->loss_at_most));
}

json_t *series_json(const struct series *series, const struct qs_client_session *session)
{
    static const struct bin none;
    struct qs_path_quality whole, part;
    json_t *json;

    if (!series || !series->count)
        return json_null();
    qs_path_quality(session->quality, &whole);
    json = json_pack("{s:f, s:{}, s:{}}", "seconds", (double)series->width / 1e9, "c2s", "s2c");
    for (guint i = 0; i < series->count; i++) {
        const struct bin *bin = &series->bins[i], *before = i ? bin - 1 : &none;

        qs_path_part(session->quality, &whole, &before->counts, &bin->counts, &part);
        report_append(json, "ping", ping_json(bin, .5));
        report_append(json, "ping_p95", ping_json(bin, .95));
        report_append(json, "choke", report_figure_json(part.s2c.choke));
        append_direction(json_object_get(json, "c2s"), &part.c2s);
        append_direction(json_object_get(json, "s2c"), &part.s2c);
    }
    return json;
}
