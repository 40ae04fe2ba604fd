/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --stats: the contents of each session's packets, acknowledgment times, loss, and response times
 * of requests. Wireshark's tables have the same figures.
 */
#include <inttypes.h>
#include <stdio.h>

#include "common/core/numeric_text.h"
#include "common/dump/dump.h"
#include "common/stats/stats.h"
#include "pcap2demo/actions/action.h"
#include "pcap2demo/actions/report.h"
#include "common/protocols.h"

enum {
    LARGEST = 5,
    PACKETS_KEPT = 2048 /* of a conversation, for acknowledgments and responses */
};

struct large {
    uint64_t packet;
    uint32_t size;
    enum qs_direction direction;
};

/* Of one session. */
struct figures {
    unsigned session;
    struct qs_tally tally;
    struct large largest[LARGEST]; /* largest first; size 0: none */
    double seconds;                /* set when the session ends */
};

/* Requests of one kind in all conversations of a protocol. */
struct request_figures {
    uint64_t requests, answered;
    struct qs_times times; /* to the first response */
};

struct stats {
    struct action action;
    struct qs_message_counter counter;
    const struct options *options;
    GHashTable *conversations; /* struct qs_links by the conversation's number */
    GHashTable *running;       /* struct figures by the session's number */
    struct rows *over;
    struct qs_small_sessions others;
    struct request_figures requests[QS_PROTOCOLS_MAX][QS_REQUEST_KINDS];
};

/* --- Counting -------------------------------------------------------------------------------- */

static void figures_free(gpointer data)
{
    struct figures *figures = data;

    qs_tally_clear(&figures->tally);
    g_free(figures);
}

static struct figures *figures_of(struct stats *stats, unsigned session)
{
    struct figures *figures = g_hash_table_lookup(stats->running, GUINT_TO_POINTER(session));

    if (figures)
        return figures;
    figures = g_new0(struct figures, 1);
    figures->session = session;
    qs_tally_init(&figures->tally);
    g_hash_table_insert(stats->running, GUINT_TO_POINTER(session), figures);
    return figures;
}

static struct qs_links *links_of(struct stats *stats, uint64_t conversation)
{
    struct qs_links *links = g_hash_table_lookup(stats->conversations, &conversation);

    if (!links) {
        links = qs_links_new(PACKETS_KEPT);
        g_hash_table_insert(stats->conversations, g_memdup2(&conversation, sizeof conversation),
                            links);
    }
    return links;
}

static void links_free(gpointer links)
{
    qs_links_free(links);
}

/* Of packets with the same size, keeps the first. */
static void count_size(struct figures *figures, const struct qs_packet *packet,
                       enum qs_direction direction)
{
    int location = LARGEST;

    while (location && figures->largest[location - 1].size < packet->size) {
        location--;
        if (location + 1 < LARGEST)
            figures->largest[location + 1] = figures->largest[location];
    }
    if (location < LARGEST)
        figures->largest[location] = (struct large){packet->number, packet->size, direction};
}

static void count_packet(struct figures *figures, const struct stats *stats,
                         const struct qs_decoded_packet *decoded, int64_t ack_rtt)
{
    const struct qs_decoder *decoder = decoded->decoder;
    const struct qs_tally_packet packet = {.counted = stats->counter.counted,
                                           .packet = decoded->packet,
                                           .direction = decoder->direction,
                                           .connectionless = decoder->connectionless,
                                           .ack_rtt = ack_rtt,
                                           .loss = qs_session_loss(decoder->session)};

    qs_tally_add(&figures->tally, &packet);
    count_size(figures, decoded->packet, decoder->direction);
}

static struct request_figures *requests_of(struct stats *stats, const struct qs_protocol *protocol)
{
    return stats->requests[qs_protocol_number(protocol->name)];
}

static void count_response(struct stats *stats, const struct qs_protocol *protocol,
                           const struct qs_response *response)
{
    struct request_figures *requests = requests_of(stats, protocol);

    if (response->known && response->first)
        qs_times_add(&requests[response->kind].times, response->time);
}

static void stats_packet(struct qs_sessions_handler *handler,
                         const struct qs_decoded_packet *decoded)
{
    struct stats *stats = (struct stats *)handler;
    struct qs_links *links = links_of(stats, decoded->conversation);
    struct qs_packet_links found;

    qs_links_take(links, decoded->decoder);
    qs_links_find(links, decoded->packet, &found);
    count_response(stats, decoded->decoder->protocol, &found.response);
    if (decoded->session && decoded->session->chosen)
        count_packet(figures_of(stats, decoded->session->number), stats, decoded, found.ack_rtt);
    qs_message_counter_begin(&stats->counter, NULL);
}

/* Counts the conversation's requests and responses. */
static void stats_conversation_over(struct qs_sessions_handler *handler, uint64_t conversation,
                                    const struct qs_protocol *protocol)
{
    struct stats *stats = (struct stats *)handler;
    const struct qs_links *links = g_hash_table_lookup(stats->conversations, &conversation);
    struct request_figures *requests = requests_of(stats, protocol);

    for (int kind = 0; links && kind < QS_REQUEST_KINDS; kind++) {
        const struct qs_request_count count = qs_links_requests(links, (enum qs_request_kind)kind);

        requests[kind].requests += count.requests;
        requests[kind].answered += count.answered;
    }
    g_hash_table_remove(stats->conversations, &conversation);
}

/* --- Reporting ------------------------------------------------------------------------------- */

static void append_traffic(GString *text, const struct figures *figures)
{
    for (int i = 0; i < QS_DIRECTIONS; i++) {
        const struct qs_traffic *traffic = &figures->tally.traffic[i];

        if (traffic->packets)
            g_string_append_printf(
                text,
                "  %s: %" PRIu64 " packet%s, %" PRIu64 " byte%s, %.1f packets/s, %.1f bytes/s\n",
                qs_direction_name((enum qs_direction)i), traffic->packets,
                qs_plural(traffic->packets), traffic->bytes, qs_plural(traffic->bytes),
                qs_rate(traffic->packets, figures->seconds),
                qs_rate(traffic->bytes, figures->seconds));
    }
}

static double milliseconds(double nanoseconds)
{
    return nanoseconds / 1e6;
}

static void append_times(GString *text, const struct qs_times *times)
{
    g_string_append_printf(text, "%.3f ms at least, %.3f ms on average, %.3f ms at most",
                           milliseconds((double)times->min), milliseconds(qs_times_mean(times)),
                           milliseconds((double)times->max));
}

static void append_rtt(GString *text, const struct figures *figures)
{
    for (int i = 0; i < QS_DIRECTIONS; i++) {
        const struct qs_times *rtt = &figures->tally.rtt[i];

        if (!rtt->count)
            continue;
        g_string_append_printf(text, "  %s acknowledges after ", i == QS_S2C ? "server" : "client");
        append_times(text, rtt);
        g_string_append_c(text, '\n');
    }
}

static void append_largest(GString *text, const struct figures *figures)
{
    g_string_append(text, "  largest:");
    for (int i = 0; i < LARGEST && figures->largest[i].size; i++)
        g_string_append_printf(text, "%s packet %" PRIu64 " (%s) %" PRIu32 " bytes", i ? "," : "",
                               figures->largest[i].packet,
                               qs_direction_name(figures->largest[i].direction),
                               figures->largest[i].size);
    g_string_append_c(text, '\n');
}

static void append_types(GString *text, const struct figures *figures)
{
    GPtrArray *types = qs_tally_types(&figures->tally);

    g_string_append_printf(text, "  %-32s %-4s %10s %12s\n", "message", "way", "count", "bytes");
    for (guint i = 0; i < types->len; i++) {
        const struct qs_type_count *type = g_ptr_array_index(types, i);

        g_string_append_printf(text, "  %-32s %-4s %10" PRIu64 " %12" PRIu64 "\n",
                               type->group->name, qs_direction_name(type->direction), type->count,
                               type->bytes);
    }
    g_ptr_array_free(types, TRUE);
}

static char *title_of(const struct qs_client_session *session)
{
    char *game = report_game(session), *maps = report_maps(session);
    char *duration = report_duration(session);
    char *title = g_strdup_printf("%s, %s, %s", game, maps, duration);

    g_free(game);
    g_free(maps);
    g_free(duration);
    return title;
}

static char *loss_of(const struct qs_client_session *session)
{
    const struct qs_session_loss loss = qs_session_loss(&session->state);

    return g_strdup_printf("%" PRIu64 " gap%s, %" PRIu64 " missing in %s, %" PRIu64 " not captured",
                           loss.gaps, qs_plural(loss.gaps), loss.missing,
                           loss.gaps == 1 ? "it" : "them", loss.not_captured);
}

/* The session's lines; new. */
static GString *figures_text(const struct figures *figures, const struct qs_client_session *session)
{
    char *title = title_of(session), *loss = loss_of(session);
    GString *text = g_string_new(NULL);

    g_string_append_printf(text, "session %u: %s\n", figures->session, title);
    append_traffic(text, figures);
    append_rtt(text, figures);
    g_string_append_printf(text, "  loss: %s\n", loss);
    append_largest(text, figures);
    append_types(text, figures);
    g_free(title);
    g_free(loss);
    return text;
}

/* Ends each line. */
static void print_figures(void *user, uint64_t number, const char *text, gsize size)
{
    (void)user, (void)number, (void)size;
    for (const char *end; (end = strchr(text, '\n')); text = end + 1)
        print_line("%.*s", (int)(end - text), text);
}

static json_t *number(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *traffic_json(const struct figures *figures)
{
    json_t *json = json_object();

    for (int i = 0; i < QS_DIRECTIONS; i++) {
        const struct qs_traffic *traffic = &figures->tally.traffic[i];
        json_t *way = json_object();

        json_object_set_new(way, "packets", number(traffic->packets));
        json_object_set_new(way, "bytes", number(traffic->bytes));
        json_object_set_new(way, "packets_per_second",
                            json_real(qs_rate(traffic->packets, figures->seconds)));
        json_object_set_new(way, "bytes_per_second",
                            json_real(qs_rate(traffic->bytes, figures->seconds)));
        json_object_set_new(json, qs_direction_name((enum qs_direction)i), way);
    }
    return json;
}

/* Seconds; null if nothing was measured. */
static json_t *times_json(const struct qs_times *times)
{
    json_t *json = json_object();

    json_object_set_new(json, "count", number(times->count));
    json_object_set_new(json, "min",
                        times->count ? json_real((double)times->min / 1e9) : json_null());
    json_object_set_new(json, "mean",
                        times->count ? json_real(qs_times_mean(times) / 1e9) : json_null());
    json_object_set_new(json, "max",
                        times->count ? json_real((double)times->max / 1e9) : json_null());
    return json;
}

static json_t *rtt_json(const struct figures *figures)
{
    json_t *json = json_object();

    for (int i = QS_C2S; i <= QS_S2C; i++)
        json_object_set_new(json, qs_direction_name((enum qs_direction)i),
                            times_json(&figures->tally.rtt[i]));
    return json;
}

static json_t *largest_json(const struct figures *figures)
{
    json_t *json = json_array();

    for (int i = 0; i < LARGEST && figures->largest[i].size; i++) {
        const struct large *large = &figures->largest[i];
        json_t *packet = json_object();

        json_object_set_new(packet, "packet", number(large->packet));
        json_object_set_new(packet, "bytes", number(large->size));
        json_object_set_new(packet, "direction", json_string(qs_direction_name(large->direction)));
        json_array_append_new(json, packet);
    }
    return json;
}

static json_t *types_json(const struct figures *figures)
{
    GPtrArray *types = qs_tally_types(&figures->tally);
    json_t *json = json_array();

    for (guint i = 0; i < types->len; i++) {
        const struct qs_type_count *type = g_ptr_array_index(types, i);
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

static json_t *figures_json(const struct figures *figures, const struct qs_client_session *session)
{
    json_t *json = report_session_json(session);

    json_object_set_new(json, "traffic", traffic_json(figures));
    json_object_set_new(json, "rtt", rtt_json(figures));
    json_object_set_new(json, "largest", largest_json(figures));
    json_object_set_new(json, "messages", types_json(figures));
    return json;
}

static void stats_session(struct qs_sessions_handler *handler,
                          const struct qs_client_session *session)
{
    struct stats *stats = (struct stats *)handler;
    struct figures *figures = figures_of(stats, session->number);

    figures->seconds = (double)(session->end - session->start) / 1e9;
    if (stats->options->json) {
        report_add_json(stats->over, session->number, figures_json(figures, session));
    } else {
        GString *text = figures_text(figures, session);

        rows_add(stats->over, session->number, text->str, text->len);
        g_string_free(text, TRUE);
    }
    g_hash_table_remove(stats->running, GUINT_TO_POINTER(session->number));
}

static void stats_left_out(struct qs_sessions_handler *handler,
                           const struct qs_client_session *session)
{
    struct stats *stats = (struct stats *)handler;

    g_hash_table_remove(stats->running, GUINT_TO_POINTER(session->number));
}

static void stats_others(struct qs_sessions_handler *handler,
                         const struct qs_small_sessions *others)
{
    report_add_others(&((struct stats *)handler)->others, others);
}

/* --- The action ------------------------------------------------------------------------------ */

/* Visits each protocol and kind with a request. Requests belong to no session. */
static void each_request(const struct stats *stats, json_t *json,
                         void (*visit)(const struct qs_protocol *protocol,
                                       enum qs_request_kind kind,
                                       const struct request_figures *figures, json_t *json))
{
    for (int protocol = 0; qs_protocols[protocol]; protocol++)
        for (int kind = 0; kind < QS_REQUEST_KINDS; kind++)
            if (stats->requests[protocol][kind].requests &&
                qs_sessions_want(&stats->options->sessions, NULL))
                visit(qs_protocols[protocol], (enum qs_request_kind)kind,
                      &stats->requests[protocol][kind], json);
}

static void add_request_json(const struct qs_protocol *protocol, enum qs_request_kind kind,
                             const struct request_figures *figures, json_t *json)
{
    json_t *request = json_object();

    json_object_set_new(request, "protocol", json_string(protocol->name));
    json_object_set_new(request, "name", json_string(qs_request_name(kind)));
    json_object_set_new(request, "requests", number(figures->requests));
    json_object_set_new(request, "answered", number(figures->answered));
    json_object_set_new(request, "time", times_json(&figures->times));
    json_array_append_new(json, request);
}

static void print_request(const struct qs_protocol *protocol, enum qs_request_kind kind,
                          const struct request_figures *figures, json_t *json)
{
    GString *line = g_string_new(NULL);

    (void)json;
    g_string_append_printf(line, "requests: %s %s: %" PRIu64 ", %" PRIu64 " answered",
                           protocol->name, qs_request_name(kind), figures->requests,
                           figures->answered);
    if (figures->times.count) {
        g_string_append(line, ", after ");
        append_times(line, &figures->times);
    }
    print_line("%s", line->str);
    g_string_free(line, TRUE);
}

static void print_json(const struct stats *stats)
{
    json_t *requests = json_array();
    json_t *report = report_json("stats");

    each_request(stats, requests, add_request_json);
    json_object_set_new(report, "requests", requests);
    json_object_set_new(report, "sessions", json_array());
    report_print_json(report, stats->over, &stats->others);
}

static void print_text(const struct stats *stats)
{
    rows_each(stats->over, print_figures, NULL);
    report_rows_error(stats->over);
    each_request(stats, NULL, print_request);
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
    g_hash_table_destroy(stats->conversations);
    qs_message_counter_clear(&stats->counter);
    g_free(stats);
}

static struct action *create(const struct options *options)
{
    struct stats *stats = g_new0(struct stats, 1);

    qs_message_counter_init(&stats->counter);
    stats->action = (struct action){.handler.sink = &stats->counter.base,
                                    .handler.want_transfers = true,
                                    .handler.conversation_over = stats_conversation_over,
                                    .handler.packet = stats_packet,
                                    .handler.session_end = stats_session,
                                    .handler.session_left_out = stats_left_out,
                                    .handler.others = stats_others,
                                    .end = stats_end};
    stats->options = options;
    stats->conversations = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, links_free);
    stats->running = g_hash_table_new_full(NULL, NULL, NULL, figures_free);
    stats->over = rows_new();
    return &stats->action;
}

const struct action_kind stats_action = {
    .name = "stats",
    .help = "Count the messages of each session by type",
    .json = true,
    .create = create,
};
