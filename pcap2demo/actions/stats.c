/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --stats: what each session's packets consist of.
 *
 * Counted are the outermost groups of fields: messages, and the headers around them. What was
 * joined or inflated counts as it is then.
 */
#include <inttypes.h>
#include <string.h>

#include "common/dump/dump.h"
#include "pcap2demo/actions/action.h"
#include "pcap2demo/actions/report.h"

enum { LARGEST = 5, DIRECTIONS = QS_S2C + 1 };

/* A message, or many of one type. */
struct message_count {
    const struct qs_field *group;
    enum qs_direction direction;
    uint64_t count, bytes;
    bool open; /* its end, and with it `bytes`, is to come */
};

struct large {
    uint64_t packet;
    uint32_t size;
    enum qs_direction direction;
};

struct traffic {
    uint64_t packets, bytes;
};

/* Of one session. */
struct tally {
    unsigned session;
    GHashTable *types[DIRECTIONS]; /* struct message_count by its group */
    struct traffic traffic[DIRECTIONS];
    struct large largest[LARGEST]; /* largest first; size 0: none */
    double seconds;                /* when it is over */
};

struct stats {
    struct action action;
    struct qs_sink base;
    const struct options *options;
    GArray *packet;      /* struct message_count: of the packet being decoded */
    GArray *open;        /* uint32_t: offsets of open groups */
    GArray *bases;       /* guint: groups that were open when each source began */
    GHashTable *running; /* struct tally by the session's number */
    struct rows *over;   /* JSON, or lines */
    struct crowd_others others;
};

/* --- The sink ------------------------------------------------------------------------------- */

static struct stats *stats_of(struct qs_sink *base)
{
    return (struct stats *)((char *)base - G_STRUCT_OFFSET(struct stats, base));
}

/* How many groups are open around what is outermost now. */
static guint base_of(const struct stats *stats)
{
    return stats->bases->len ? g_array_index(stats->bases, guint, stats->bases->len - 1) : 0;
}

static void sink_open(struct qs_sink *base, const struct qs_field *group, uint32_t offset)
{
    struct stats *stats = stats_of(base);
    const struct message_count message = {.group = group, .open = true};

    if (stats->open->len == base_of(stats))
        g_array_append_val(stats->packet, message);
    g_array_append_val(stats->open, offset);
}

/* The latest that is open is the one: groups inside a source are closed before those around it. */
static void add_bytes(struct stats *stats, uint32_t start, uint32_t end)
{
    guint i = stats->packet->len;

    while (i--) {
        struct message_count *message = &g_array_index(stats->packet, struct message_count, i);

        if (message->open) {
            message->open = false;
            message->bytes = end - start;
            return;
        }
    }
}

static void sink_close(struct qs_sink *base, uint32_t end)
{
    struct stats *stats = stats_of(base);
    const uint32_t start = g_array_index(stats->open, uint32_t, stats->open->len - 1);

    g_array_set_size(stats->open, stats->open->len - 1);
    if (stats->open->len == base_of(stats))
        add_bytes(stats, start, end);
}

/* A decoder gives groups only to a sink that takes fields. */
static void sink_field(struct qs_sink *base, const struct qs_field *field,
                       const struct qs_value *value)
{
    (void)base, (void)field, (void)value;
}

static void sink_source(struct qs_sink *base, const char *title, const uint8_t *data, uint32_t size)
{
    struct stats *stats = stats_of(base);

    (void)title, (void)size;
    if (data)
        g_array_append_val(stats->bases, stats->open->len);
    else if (stats->bases->len)
        g_array_set_size(stats->bases, stats->bases->len - 1);
}

/* --- Counting -------------------------------------------------------------------------------- */

static void tally_free(gpointer data)
{
    struct tally *tally = data;

    for (int i = 0; i < DIRECTIONS; i++)
        g_hash_table_destroy(tally->types[i]);
    g_free(tally);
}

static struct tally *tally_of(struct stats *stats, unsigned session)
{
    struct tally *tally = g_hash_table_lookup(stats->running, GUINT_TO_POINTER(session));

    if (tally)
        return tally;
    tally = g_new0(struct tally, 1);
    tally->session = session;
    for (int i = 0; i < DIRECTIONS; i++)
        tally->types[i] = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    g_hash_table_insert(stats->running, GUINT_TO_POINTER(session), tally);
    return tally;
}

static void count_message(struct tally *tally, const struct message_count *message,
                          enum qs_direction direction)
{
    struct message_count *type = g_hash_table_lookup(tally->types[direction], message->group);

    if (!type) {
        type = g_new0(struct message_count, 1);
        type->group = message->group;
        type->direction = direction;
        g_hash_table_insert(tally->types[direction], (gpointer)message->group, type);
    }
    type->count++;
    type->bytes += message->bytes;
}

/* Of packets of one size the first stays. */
static void count_size(struct tally *tally, const struct qs_packet *packet,
                       enum qs_direction direction)
{
    int location = LARGEST;

    while (location && tally->largest[location - 1].size < packet->size) {
        location--;
        if (location + 1 < LARGEST)
            tally->largest[location + 1] = tally->largest[location];
    }
    if (location < LARGEST)
        tally->largest[location] = (struct large){packet->number, packet->size, direction};
}

static void count_packet(struct tally *tally, const struct stats *stats,
                         const struct decoded_packet *decoded)
{
    const enum qs_direction direction = decoded->decoder->direction;

    tally->traffic[direction].packets++;
    tally->traffic[direction].bytes += decoded->packet->size;
    count_size(tally, decoded->packet, direction);
    for (guint i = 0; i < stats->packet->len; i++)
        count_message(tally, &g_array_index(stats->packet, struct message_count, i), direction);
}

static void stats_packet(struct session_handler *handler, const struct decoded_packet *decoded)
{
    struct stats *stats = (struct stats *)handler;

    if (decoded->session && decoded->session->chosen)
        count_packet(tally_of(stats, decoded->session->number), stats, decoded);
    g_array_set_size(stats->packet, 0);
    g_array_set_size(stats->open, 0);
    g_array_set_size(stats->bases, 0);
}

/* --- Reporting ------------------------------------------------------------------------------- */

/* The most bytes first; then by name. */
static gint compare_types(gconstpointer a, gconstpointer b)
{
    const struct message_count *x = *(const struct message_count *const *)a,
                               *y = *(const struct message_count *const *)b;

    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return g_strcmp0(x->group->name, y->group->name);
}

/* struct message_count *, new. */
static GPtrArray *sorted_types(const struct tally *tally)
{
    GPtrArray *types = g_ptr_array_new();
    GHashTableIter iter;
    gpointer type;

    for (int i = 0; i < DIRECTIONS; i++) {
        g_hash_table_iter_init(&iter, tally->types[i]);
        while (g_hash_table_iter_next(&iter, NULL, &type))
            g_ptr_array_add(types, type);
    }
    g_ptr_array_sort(types, compare_types);
    return types;
}

static double rate(uint64_t count, double seconds)
{
    return seconds > 0 ? (double)count / seconds : 0;
}

static void append_traffic(GString *text, const struct tally *tally)
{
    for (int i = 0; i < DIRECTIONS; i++) {
        const struct traffic *traffic = &tally->traffic[i];

        if (traffic->packets)
            g_string_append_printf(
                text,
                "  %s: %" PRIu64 " packets, %" PRIu64 " bytes, %.1f packets/s, %.1f bytes/s\n",
                qs_direction_name((enum qs_direction)i), traffic->packets, traffic->bytes,
                rate(traffic->packets, tally->seconds), rate(traffic->bytes, tally->seconds));
    }
}

static void append_largest(GString *text, const struct tally *tally)
{
    g_string_append(text, "  largest:");
    for (int i = 0; i < LARGEST && tally->largest[i].size; i++)
        g_string_append_printf(text, "%s packet %" PRIu64 " (%s) %" PRIu32 " bytes", i ? "," : "",
                               tally->largest[i].packet,
                               qs_direction_name(tally->largest[i].direction),
                               tally->largest[i].size);
    g_string_append_c(text, '\n');
}

static void append_types(GString *text, const struct tally *tally)
{
    GPtrArray *types = sorted_types(tally);

    g_string_append_printf(text, "  %-32s %-4s %10s %12s\n", "message", "way", "count", "bytes");
    for (guint i = 0; i < types->len; i++) {
        const struct message_count *type = g_ptr_array_index(types, i);

        g_string_append_printf(text, "  %-32s %-4s %10" PRIu64 " %12" PRIu64 "\n",
                               type->group->name, qs_direction_name(type->direction), type->count,
                               type->bytes);
    }
    g_ptr_array_free(types, TRUE);
}

static char *title_of(const struct session *session)
{
    char *game = report_game(session), *maps = report_maps(session);
    char *duration = report_duration(session);
    char *title = g_strdup_printf("%s, %s, %s", game, maps, duration);

    g_free(game);
    g_free(maps);
    g_free(duration);
    return title;
}

static char *loss_of(const struct session *session)
{
    const struct session_loss loss = session_loss(session);

    return g_strdup_printf("%" PRIu64 " gaps, %" PRIu64 " missing in them, %" PRIu64
                           " not captured",
                           loss.gaps, loss.missing, loss.not_captured);
}

/* Its lines; new. */
static GString *tally_text(const struct tally *tally, const struct session *session)
{
    char *title = title_of(session), *loss = loss_of(session);
    GString *text = g_string_new(NULL);

    g_string_append_printf(text, "session %u: %s\n", tally->session, title);
    append_traffic(text, tally);
    g_string_append_printf(text, "  loss: %s\n", loss);
    append_largest(text, tally);
    append_types(text, tally);
    g_free(title);
    g_free(loss);
    return text;
}

/* Ends each line. */
static void print_tally(void *user, const char *text, gsize size)
{
    (void)user, (void)size;
    for (const char *end; (end = strchr(text, '\n')); text = end + 1)
        print_line("%.*s", (int)(end - text), text);
}

static json_t *number(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *traffic_json(const struct tally *tally)
{
    json_t *json = json_object();

    for (int i = 0; i < DIRECTIONS; i++) {
        const struct traffic *traffic = &tally->traffic[i];
        json_t *way = json_object();

        json_object_set_new(way, "packets", number(traffic->packets));
        json_object_set_new(way, "bytes", number(traffic->bytes));
        json_object_set_new(way, "packets_per_second",
                            json_real(rate(traffic->packets, tally->seconds)));
        json_object_set_new(way, "bytes_per_second",
                            json_real(rate(traffic->bytes, tally->seconds)));
        json_object_set_new(json, qs_direction_name((enum qs_direction)i), way);
    }
    return json;
}

static json_t *largest_json(const struct tally *tally)
{
    json_t *json = json_array();

    for (int i = 0; i < LARGEST && tally->largest[i].size; i++) {
        const struct large *large = &tally->largest[i];
        json_t *packet = json_object();

        json_object_set_new(packet, "packet", number(large->packet));
        json_object_set_new(packet, "bytes", number(large->size));
        json_object_set_new(packet, "direction", json_string(qs_direction_name(large->direction)));
        json_array_append_new(json, packet);
    }
    return json;
}

static json_t *types_json(const struct tally *tally)
{
    GPtrArray *types = sorted_types(tally);
    json_t *json = json_array();

    for (guint i = 0; i < types->len; i++) {
        const struct message_count *type = g_ptr_array_index(types, i);
        json_t *object = json_object();

        json_object_set_new(object, "name", json_string(type->group->name));
        json_object_set_new(object, "direction", json_string(qs_direction_name(type->direction)));
        json_object_set_new(object, "count", number(type->count));
        json_object_set_new(object, "bytes", number(type->bytes));
        json_array_append_new(json, object);
    }
    g_ptr_array_free(types, TRUE);
    return json;
}

static json_t *tally_json(const struct tally *tally, const struct session *session)
{
    json_t *json = report_session_json(session);

    json_object_set_new(json, "traffic", traffic_json(tally));
    json_object_set_new(json, "largest", largest_json(tally));
    json_object_set_new(json, "messages", types_json(tally));
    return json;
}

static void stats_session(struct session_handler *handler, const struct session *session)
{
    struct stats *stats = (struct stats *)handler;
    struct tally *tally = tally_of(stats, session->number);

    tally->seconds = (double)(session->end - session->start) / 1e9;
    if (stats->options->json) {
        report_add_json(stats->over, session->number, tally_json(tally, session));
    } else {
        GString *text = tally_text(tally, session);

        rows_add(stats->over, session->number, text->str, text->len);
        g_string_free(text, TRUE);
    }
    g_hash_table_remove(stats->running, GUINT_TO_POINTER(session->number));
}

static void stats_left_out(struct session_handler *handler, const struct session *session)
{
    struct stats *stats = (struct stats *)handler;

    g_hash_table_remove(stats->running, GUINT_TO_POINTER(session->number));
}

static void stats_others(struct session_handler *handler, const struct crowd_others *others)
{
    report_add_others(&((struct stats *)handler)->others, others);
}

/* --- The action ------------------------------------------------------------------------------ */

static void print_json(const struct stats *stats)
{
    json_t *report = report_json("stats");

    json_object_set_new(report, "sessions", json_array());
    report_print_json(report, stats->over, &stats->others);
}

static void print_text(const struct stats *stats)
{
    rows_each(stats->over, print_tally, NULL);
    report_rows_error(stats->over);
    report_print_others(&stats->others);
}

static void stats_end(struct action *action, bool report)
{
    struct stats *stats = (struct stats *)action;

    if (report && stats->options->json)
        print_json(stats);
    else if (report)
        print_text(stats);
    rows_free(stats->over);
    g_hash_table_destroy(stats->running);
    g_array_free(stats->packet, TRUE);
    g_array_free(stats->open, TRUE);
    g_array_free(stats->bases, TRUE);
    g_free(stats);
}

static struct action *create(const struct options *options)
{
    struct stats *stats = g_new0(struct stats, 1);

    stats->base = (struct qs_sink){
        .open = sink_open, .close = sink_close, .field = sink_field, .source = sink_source};
    stats->action = (struct action){.handler.sink = &stats->base,
                                    .handler.packet = stats_packet,
                                    .handler.session_end = stats_session,
                                    .handler.session_left_out = stats_left_out,
                                    .handler.others = stats_others,
                                    .end = stats_end};
    stats->options = options;
    stats->packet = g_array_new(FALSE, FALSE, sizeof(struct message_count));
    stats->open = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    stats->bases = g_array_new(FALSE, FALSE, sizeof(guint));
    stats->running = g_hash_table_new_full(NULL, NULL, NULL, tally_free);
    stats->over = rows_new();
    return &stats->action;
}

const struct action_kind stats_action = {
    .name = "stats",
    .help = "Count the messages of each session by type",
    .json = true,
    .create = create,
};
