/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --stats: reports the contents of each session's packets, acknowledgement times, loss, and
 * response times of requests. Wireshark's tables have the same figures. */
#include <inttypes.h>
#include <stdio.h>

#include "common/core/numeric_text.h"
#include "common/dump/dump.h"
#include "common/stats/stats.h"
#include "pcap2demo/actions/action.h"
#include "pcap2demo/actions/report.h"
#include "pcap2demo/output/files.h"
#include "pcap2demo/page/page.h"
#include "common/protocols.h"

/* Number of packets kept for each conversation, to find acknowledgements and responses. */
enum { PACKETS_KEPT = 2048 };

extern const struct action_kind report_action;

/* Figures of one kind of request, in all conversations of a protocol. */
struct request_figures {
    uint64_t requests, answered;
    struct qs_times times; /* time until the first response */
};

/* Counts of a session that has not ended. */
struct running {
    struct qs_tally tally;
    struct series *series; /* path quality; NULL if not JSON, or for a demo */
    struct play *play;
};

struct stats {
    struct action action;
    struct qs_message_counter counter;
    struct play_sink *play;    /* chat and positions for JSON, fed by the counter; else NULL */
    GPtrArray *sessions;       /* sessions for --report (json_t *), else NULL */
    GHashTable *conversations; /* conversation number -> struct qs_links */
    GHashTable *running;       /* session number -> struct running */
    struct request_figures requests[QS_PROTOCOLS_MAX][QS_REQUEST_KINDS];
};

/* --- Counting -------------------------------------------------------------------------------- */

static void running_free(gpointer data)
{
    struct running *running = data;

    qs_tally_clear(&running->tally);
    series_free(running->series);
    play_free(running->play);
    g_free(running);
}

static struct running *running_of(struct stats *stats, const struct qs_client_session *session)
{
    gpointer number = GUINT_TO_POINTER(session->number);
    struct running *running = g_hash_table_lookup(stats->running, number);

    if (running)
        return running;
    running = g_new0(struct running, 1);
    qs_tally_init(&running->tally);
    if (stats->play && !session->recorded)
        running->series = series_new();
    if (stats->play)
        running->play = play_new();
    g_hash_table_insert(stats->running, number, running);
    return running;
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

static struct request_figures *requests_of(struct stats *stats, const struct qs_protocol *protocol)
{
    return stats->requests[qs_protocol_number(protocol->name)];
}

static void begin_packet(struct stats *stats)
{
    qs_message_counter_begin(&stats->counter, stats->play ? play_sink_begin(stats->play) : NULL);
}

static void count_packet(struct running *running, const struct stats *stats,
                         const struct qs_tally_packet *packet,
                         const struct qs_decoded_packet *decoded)
{
    qs_tally_add(&running->tally, packet);
    if (running->series && !packet->connectionless)
        series_add(running->series, decoded->session, decoded->packet->time);
    if (running->play && decoded->decoder->found.accepted)
        play_add(running->play, stats->play, decoded->session, decoded->packet->time);
}

static void stats_packet(struct qs_sessions_handler *handler,
                         const struct qs_decoded_packet *decoded)
{
    struct stats *stats = (struct stats *)handler;
    const struct qs_decoder *decoder = decoded->decoder;
    struct qs_links *links = links_of(stats, decoded->conversation);
    struct qs_tally_packet packet = {.counted = stats->counter.counted,
                                     .packet = decoded->packet,
                                     .direction = decoder->found.direction,
                                     .connectionless = decoder->found.connectionless};
    struct qs_packet_links found;

    qs_links_update(links, decoder);
    qs_links_find(links, decoded->packet, &found);
    if (found.response.known && found.response.first)
        qs_times_add(&requests_of(stats, decoder->protocol)[found.response.kind].times,
                     found.response.time);
    packet.ack_rtt = found.ack_rtt;
    if (decoded->session && decoded->session->chosen)
        count_packet(running_of(stats, decoded->session), stats, &packet, decoded);
    begin_packet(stats);
}

/* Adds the requests and responses of an ended conversation. */
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

static void append_types(GString *text, const struct qs_tally *tally)
{
    GPtrArray *types = qs_tally_types(tally);

    g_string_append_printf(text, "  %-32s %-4s %10s %12s\n", "message", "dir", "count", "bytes");
    for (guint i = 0; i < types->len; i++) {
        const struct qs_type_count *type = g_ptr_array_index(types, i);

        g_string_append_printf(text, "  %-32s %-4s %10" PRIu64 " %12" PRIu64 "\n",
                               type->group->name, qs_direction_name(type->direction), type->count,
                               type->bytes);
    }
    g_ptr_array_free(types, TRUE);
}

static double seconds_of(const struct qs_client_session *session)
{
    return (double)(session->end - session->start) / 1e9;
}

static char *title_of(const struct qs_client_session *session)
{
    char *game = report_game(session), *maps = report_maps(session);
    char *duration = report_duration(session);
    GString *title = g_string_new(NULL);

    g_string_printf(title, "%s, %s, %s, %s", session->player ? session->player : "?", game, maps,
                    duration);
    if (session->client.family) {
        g_string_append(title, ", client ");
        qs_address_append(title, &session->client);
        g_string_append(title, ", server ");
        qs_address_append(title, &session->server);
    }
    g_free(game);
    g_free(maps);
    g_free(duration);
    return g_string_free(title, FALSE);
}

/* Appends a direction's figures. They are upper limits if some packets may be duplicates. */
static void append_direction(GString *text, const struct qs_traffic *traffic, double seconds,
                             enum qs_direction direction, const struct qs_path_direction *path)
{
    const bool ascii = !g_get_charset(NULL);
    const char *limit = !path->packets_are_limit ? "" : ascii ? "<=" : "≤";
    g_autofree char *quality = qs_path_direction_text(path, ascii);

    g_string_append_printf(text,
                           "  %s: %s\n    %s%" PRIu64 " packet%s, %s%" PRIu64
                           " byte%s, %s%.1f packets/s, %s%.1f bytes/s\n",
                           direction == QS_C2S ? "client to server" : "server to client", quality,
                           limit, traffic->packets, qs_plural(traffic->packets), limit,
                           traffic->bytes, qs_plural(traffic->bytes), limit,
                           qs_rate(traffic->packets, seconds), limit,
                           qs_rate(traffic->bytes, seconds));
}

static void append_path(GString *text, const struct qs_tally *tally,
                        const struct qs_client_session *session)
{
    struct qs_path_quality quality;
    g_autofree char *ping = NULL;

    qs_path_quality(session->quality, &quality);
    ping = qs_path_ping_text(&quality);
    g_string_append_printf(text, "  %s\n", ping);
    append_direction(text, &tally->traffic[QS_C2S], seconds_of(session), QS_C2S, &quality.c2s);
    append_direction(text, &tally->traffic[QS_S2C], seconds_of(session), QS_S2C, &quality.s2c);
}

/* Returns the report of a session. The caller frees it. */
static GString *session_text(const struct qs_tally *tally, const struct qs_client_session *session)
{
    char *title = title_of(session);
    GString *text = g_string_new(NULL);

    g_string_append_printf(text, "session %u: %s\n", session->number, title);
    append_path(text, tally, session);
    append_types(text, tally);
    g_free(title);
    return text;
}

/* Prints the report of a session line by line. */
static void print_figures(void *user, const char *text, gsize size)
{
    (void)user, (void)size;
    for (const char *end; (end = strchr(text, '\n')); text = end + 1)
        print_line("%.*s", (int)(end - text), text);
}

static json_t *traffic_json(const struct qs_traffic *traffic, double seconds)
{
    return json_pack("{s:o, s:o, s:f, s:f}", "packets", report_number(traffic->packets), "bytes",
                     report_number(traffic->bytes), "packets_per_second",
                     qs_rate(traffic->packets, seconds), "bytes_per_second",
                     qs_rate(traffic->bytes, seconds));
}

static json_t *seconds_json(const struct qs_times *times, double nanoseconds)
{
    return times->count ? json_real(nanoseconds / 1e9) : json_null();
}

/* Returns times as JSON, in seconds; null if nothing was measured. */
static json_t *times_json(const struct qs_times *times)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "count", report_number(times->count), "min",
                     seconds_json(times, (double)times->min), "mean",
                     seconds_json(times, qs_times_mean(times)), "max",
                     seconds_json(times, (double)times->max));
}

static json_t *type_json(gconstpointer item)
{
    const struct qs_type_count *type = item;

    return json_pack("{s:s, s:s, s:o, s:o}", "name", type->group->name, "direction",
                     qs_direction_name(type->direction), "count", report_number(type->count),
                     "bytes", report_number(type->bytes));
}

static json_t *session_json(const struct running *running, const struct qs_client_session *session)
{
    const struct qs_tally *tally = &running->tally;
    const struct qs_times *rtt = tally->rtt;
    GPtrArray *types = qs_tally_types(tally);
    json_t *traffic = json_object(), *json = report_session_json(session);

    for (int i = 0; i < QS_DIRECTIONS; i++)
        json_object_set_new(traffic, qs_direction_name((enum qs_direction)i),
                            traffic_json(&tally->traffic[i], seconds_of(session)));
    json_object_update_new(json, json_pack("{s:o, s:o, s:{s:o, s:o}, s:o}", "levels",
                                           report_levels_json(session), "traffic", traffic, "rtt",
                                           qs_direction_name(QS_C2S), times_json(&rtt[QS_C2S]),
                                           qs_direction_name(QS_S2C), times_json(&rtt[QS_S2C]),
                                           "messages", report_array(types, type_json)));
    g_ptr_array_free(types, TRUE);
    json_object_set_new(json, "series", series_json(running->series, session));
    json_object_update_new(json, play_json(running->play, session));
    return json;
}

static void stats_session(struct qs_sessions_handler *handler,
                          const struct qs_client_session *session)
{
    struct stats *stats = (struct stats *)handler;
    const struct running *running = running_of(stats, session);

    if (stats->sessions) {
        g_ptr_array_add(stats->sessions, session_json(running, session));
        stats->action.sessions++;
    } else if (stats->action.options->json) {
        report_add_json(stats->action.rows, session->number, session_json(running, session));
    } else {
        GString *text = session_text(&running->tally, session);

        rows_add(stats->action.rows, session->number, text->str, text->len);
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

/* --- Action ---------------------------------------------------------------------------------- */

static json_t *request_json(const struct qs_protocol *protocol, enum qs_request_kind kind,
                            const struct request_figures *figures)
{
    return json_pack("{s:s, s:s, s:o, s:o, s:o}", "protocol", protocol->name, "name",
                     qs_request_name(kind), "requests", report_number(figures->requests),
                     "answered", report_number(figures->answered), "time",
                     times_json(&figures->times));
}

static void print_request(const struct qs_protocol *protocol, enum qs_request_kind kind,
                          const struct request_figures *figures)
{
    const struct qs_times *times = &figures->times;
    GString *line = g_string_new(NULL);

    g_string_append_printf(line, "requests: %s %s: %" PRIu64 ", %" PRIu64 " answered",
                           protocol->name, qs_request_name(kind), figures->requests,
                           figures->answered);
    if (times->count)
        g_string_append_printf(
            line, ", after %.3f ms at least, %.3f ms on average, %.3f ms at most",
            (double)times->min / 1e6, qs_times_mean(times) / 1e6, (double)times->max / 1e6);
    print_line("%s", line->str);
    g_string_free(line, TRUE);
}

/* Prints requests, or if `json`, appends them to it. Requests belong to no session. */
static void report_requests(const struct stats *stats, json_t *json)
{
    if (!qs_sessions_want(&stats->action.options->sessions, NULL))
        return;
    for (int i = 0; qs_protocols[i]; i++) {
        for (enum qs_request_kind kind = 0; kind < QS_REQUEST_KINDS; kind++) {
            const struct request_figures *figures = &stats->requests[i][kind];

            if (figures->requests && json)
                json_array_append_new(json, request_json(qs_protocols[i], kind, figures));
            else if (figures->requests)
                print_request(qs_protocols[i], kind, figures);
        }
    }
}

static void print_report(const struct stats *stats)
{
    if (stats->action.options->json) {
        json_t *report = report_json("stats"), *requests = json_array();

        report_requests(stats, requests);
        json_object_set_new(report, "requests", requests);
        json_object_set_new(report, "sessions", json_array());
        report_print_json(report, &stats->action);
        return;
    }
    rows_each(stats->action.rows, print_figures, NULL);
    report_requests(stats, NULL);
    report_print_others(&stats->action.others);
}

static gint compare_sessions(gconstpointer a, gconstpointer b)
{
    const json_t *x = *(const json_t *const *)a, *y = *(const json_t *const *)b;
    const json_int_t first = json_integer_value(json_object_get(x, "number"));
    const json_int_t second = json_integer_value(json_object_get(y, "number"));

    return (first > second) - (first < second);
}

/* Writes the HTML page of --report. */
static void write_page(const struct stats *stats)
{
    const char *file = stats->action.options->argument;
    g_autofree char *folder = g_path_get_dirname(file), *name = g_path_get_basename(file);
    g_autofree char *error = NULL;
    struct writer *writer = writer_new(folder);
    GString *page;

    g_ptr_array_sort(stats->sessions, compare_sessions);
    page = page_new(stats->sessions);
    writer_add(writer, page->str, page->len);
    error = writer_commit(writer, name, stats->action.options->force);
    writer_free(writer);
    g_string_free(page, TRUE);
    if (error)
        failure(EXIT_PROBLEMS, (struct qs_location){.file = file}, "%s", error);
    else if (!stats->action.options->quiet)
        print_line("%s: %u session%s", file, stats->sessions->len, qs_plural(stats->sessions->len));
}

static void stats_end(struct action *action, bool report)
{
    struct stats *stats = (struct stats *)action;

    if (report && stats->sessions)
        action_report_no_session(action);
    if (report && stats->sessions && stats->sessions->len && !action->interrupted)
        write_page(stats);
    else if (report && !stats->sessions)
        print_report(stats);
    g_clear_pointer(&stats->sessions, g_ptr_array_unref);
    g_hash_table_destroy(stats->running);
    g_hash_table_destroy(stats->conversations);
    qs_message_counter_clear(&stats->counter);
    g_clear_pointer(&stats->play, play_sink_free);
}

static void free_json(gpointer json)
{
    json_decref(json);
}

static void begin(struct action *action)
{
    struct stats *stats = (struct stats *)action;

    if (action->options->action == &report_action)
        stats->sessions = g_ptr_array_new_with_free_func(free_json);
    if (stats->sessions || action->options->json)
        stats->play = play_sink_new();
    qs_message_counter_init(&stats->counter, false);
    begin_packet(stats);
    action->handler.sink = &stats->counter.base;
    stats->conversations =
        g_hash_table_new_full(qs_int64_hash, g_int64_equal, g_free, (GDestroyNotify)qs_links_free);
    stats->running = g_hash_table_new_full(NULL, NULL, NULL, running_free);
}

static char *name_problem(const char *file)
{
    return writer_name_problem("--report", file);
}

/* clang-format off */
#define RUNNING                                                                                    \
    {.handler.want_figures = true, .handler.want_transfers = true,                                   \
     .handler.conversation_over = stats_conversation_over, .handler.packet = stats_packet,         \
     .handler.session_end = stats_session, .handler.session_left_out = stats_left_out,             \
     .handler.others = action_add_others, .end = stats_end}
/* clang-format on */

const struct action_kind stats_action = {
    .option = {"stats", .type = OPTION_ACTION,
               .help = "Count the messages of each session by type"},
    .json = true,
    .size = sizeof(struct stats),
    .running = RUNNING,
    .begin = begin,
};

const struct action_kind report_action = {
    .option = {"report", .type = OPTION_ACTION,
               .help = "Draw who played when, and how: an HTML page", .value = "FILE"},
    .problem = name_problem,
    .size = sizeof(struct stats),
    .running = RUNNING,
    .begin = begin,
};
