/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/statistics.h"

#include <epan/srt_table.h>
#include <epan/stat_tap_ui.h>
#include <epan/stats_tree.h>
#include <epan/tap.h>
#include <stdio.h>

#include "common/dump/dump.h"

/* --- Packets, bytes and messages by session, direction and type */

/* What is counted, each in a tree of its own: all packets, then those of each session. */
static const char packets[] = "Packets";
static const char bytes[] = "Bytes";
static const char messages[] = "Messages";
static const char message_bytes[] = "Bytes of messages";

static const char *const roots[] = {packets, bytes, messages, message_bytes};

static void begin_tree(stats_tree *tree)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(roots); i++)
        stats_tree_create_node(tree, roots[i], 0, STAT_DT_INT, TRUE);
}

static void count(stats_tree *tree, const char *root, const char *group, const char *name,
                  uint32_t value)
{
    const int top = stats_tree_manip_node_int(MN_INCREASE, tree, root, 0, TRUE, 0);
    const int middle = stats_tree_manip_node_int(MN_INCREASE, tree, group, top, TRUE, (int)value);

    stats_tree_manip_node_int(MN_INCREASE, tree, name, middle, FALSE, (int)value);
}

static void count_group(stats_tree *tree, const char *group, const struct qs_tally_packet *packet)
{
    const char *direction = packet->direction == QS_DIRECTION_UNKNOWN
                                ? "unknown"
                                : qs_direction_name(packet->direction);

    count(tree, packets, group, direction, 1);
    count(tree, bytes, group, direction, packet->packet->size);
    for (guint i = 0; i < packet->counted->len; i++) {
        const struct qs_counted *message = &g_array_index(packet->counted, struct qs_counted, i);
        char *name = g_strdup_printf("%s %s", direction, message->group->name);

        count(tree, messages, group, name, 1);
        count(tree, message_bytes, group, name, message->bytes);
        g_free(name);
    }
}

/* The root's own figure is that of all packets. */
static void count_all(stats_tree *tree, const struct qs_tally_packet *packet)
{
    int size = 0;

    for (guint i = 0; i < packet->counted->len; i++)
        size += (int)g_array_index(packet->counted, struct qs_counted, i).bytes;
    stats_tree_manip_node_int(MN_INCREASE, tree, packets, 0, TRUE, 1);
    stats_tree_manip_node_int(MN_INCREASE, tree, bytes, 0, TRUE, (int)packet->packet->size);
    stats_tree_manip_node_int(MN_INCREASE, tree, messages, 0, TRUE, (int)packet->counted->len);
    stats_tree_manip_node_int(MN_INCREASE, tree, message_bytes, 0, TRUE, size);
    count_group(tree, "All", packet);
}

static tap_packet_status add_to_tree(stats_tree *tree, packet_info *pinfo, epan_dissect_t *edt,
                                     const void *tapped, tap_flags_t flags)
{
    const struct packet_figures *figures = tapped;
    char group[32] = "No session";

    (void)pinfo, (void)edt, (void)flags;
    if (figures->number)
        snprintf(group, sizeof group, "Session %u", figures->number);
    count_all(tree, &figures->tally);
    count_group(tree, group, &figures->tally);
    return TAP_PACKET_REDRAW;
}

static void register_tree(const struct dissector *dissector)
{
    const char *name = dissector->protocol->name;
    char *title = g_strdup_printf("%s packets", dissector->protocol->title);

    stats_tree_register_plugin(name, name, title, 0, add_to_tree, begin_tree, NULL);
    g_free(title);
}

/* --- A table of sessions: who played where, rates, the line and times */

/* clang-format off */
#define NUMBER(title) {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, title, "%u"}
#define TEXT(title) {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, title, "%s"}
/* Text, since a cell for a number cannot be empty: see put_time(). */
#define TIME(title) {TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, title, "%s"}
#define REAL(title, format) {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, title, format}

/*
 * Wireshark's windows show all six digits of a real number, whatever its format; so rates are whole
 * numbers. They also leave no room for the arrow of the column that they sort by: hence the spaces.
 */
#define EACH_COLUMN(COLUMN) \
    COLUMN(NUMBER, NUMBER("    Session")) \
    COLUMN(CLIENT, TEXT("Client")) \
    COLUMN(SERVER, TEXT("Server")) \
    COLUMN(PLAYER, TEXT("Player")) \
    COLUMN(VERSION, TEXT("Version")) \
    COLUMN(MAP, TEXT("Map")) \
    COLUMN(DURATION, REAL("Duration (s)", "%.6f")) \
    COLUMN(PACKETS_C2S, NUMBER("Packets C→S")) \
    COLUMN(BYTES_C2S, NUMBER("Bytes C→S")) \
    COLUMN(RATE_C2S, NUMBER("Bytes/s C→S")) \
    COLUMN(PACKETS_S2C, NUMBER("Packets S→C")) \
    COLUMN(BYTES_S2C, NUMBER("Bytes S→C")) \
    COLUMN(RATE_S2C, NUMBER("Bytes/s S→C")) \
    COLUMN(PING, TIME("Ping (ms)")) \
    COLUMN(PING_P95, TIME("Ping p95 (ms)")) \
    COLUMN(JITTER, TIME("Jitter (ms)")) \
    COLUMN(LOSS_C2S, TIME("Loss C→S (%)")) \
    COLUMN(LOSS_S2C, TIME("Loss S→C (%)")) \
    COLUMN(CLIENT_RTT_MIN, TIME("To client and back, min (ms)")) \
    COLUMN(CLIENT_RTT_MEAN, TIME("mean (ms)")) \
    COLUMN(CLIENT_RTT_MAX, TIME("max (ms)")) \
    COLUMN(SERVER_RTT_MIN, TIME("To server and back, min (ms)")) \
    COLUMN(SERVER_RTT_MEAN, TIME("mean (ms)")) \
    COLUMN(SERVER_RTT_MAX, TIME("max (ms)"))

#define ENUMERATOR(id, item) COLUMN_##id,
enum column { EACH_COLUMN(ENUMERATOR) COLUMNS };

#define ITEM(id, item) item,
static stat_tap_table_item columns[COLUMNS] = {EACH_COLUMN(ITEM)};
/* clang-format on */

/* --- Rows --- */

/* A session's row; its number in the table is what `user_data` of the row's first cell holds. */
struct row {
    struct qs_tally tally;
    char *texts[COLUMNS]; /* of columns with text */
};

static void row_free(struct row *row)
{
    qs_tally_clear(&row->tally);
    for (int i = 0; i < COLUMNS; i++)
        g_free(row->texts[i]);
    g_free(row);
}

static stat_tap_table_item_type *cell(const stat_tap_table *table, guint row, int column)
{
    return stat_tap_get_field_data(table, row, (guint)column);
}

static void put_number(const stat_tap_table *table, guint row, int column, uint64_t value)
{
    cell(table, row, column)->value.uint_value = (guint)MIN(value, UINT32_MAX);
}

static void put_real(const stat_tap_table *table, guint row, int column, double value)
{
    cell(table, row, column)->value.float_value = value;
}

/* Takes the text over; NULL: it is not known. */
static void put_text(const stat_tap_table *table, guint index, struct row *row, int column,
                     char *text)
{
    g_free(row->texts[column]);
    row->texts[column] = text;
    cell(table, index, column)->value.string_value = text ? text : "";
}

static char *address_text(const struct qs_address *address)
{
    GString *text = g_string_new(NULL);

    qs_address_append(text, address);
    return g_string_free(text, FALSE);
}

static void put_ends(const stat_tap_table *table, guint index, struct row *row,
                     const struct qs_tally_packet *packet)
{
    const bool from_server = packet->direction == QS_S2C;
    const struct qs_packet *ends = packet->packet;

    put_text(table, index, row, COLUMN_CLIENT,
             address_text(from_server ? &ends->destination : &ends->source));
    put_text(table, index, row, COLUMN_SERVER,
             address_text(from_server ? &ends->source : &ends->destination));
}

static void put_description(const stat_tap_table *table, guint index, struct row *row,
                            const struct packet_figures *figures)
{
    struct qs_description description = {0};

    figures->dissector->protocol->describe(figures->session, &description);
    put_text(table, index, row, COLUMN_PLAYER, description.player);
    put_text(table, index, row, COLUMN_VERSION, description.version);
    put_text(table, index, row, COLUMN_MAP, description.map);
}

/* To the nearest whole number. */
#define ROUNDING 0.5

/* The columns from `first` on: packets, bytes, bytes a second. */
static void put_traffic(const stat_tap_table *table, guint index, int first,
                        const struct qs_traffic *traffic, double seconds)
{
    put_number(table, index, first, traffic->packets);
    put_number(table, index, first + 1, traffic->bytes);
    put_number(table, index, first + 2, (uint64_t)(qs_rate(traffic->bytes, seconds) + ROUNDING));
}

/*
 * In milliseconds. Wireshark sorts texts by their letters: all times are as long, so that they are
 * in order.
 */
static void put_time(const stat_tap_table *table, guint index, struct row *row, int column,
                     double nanoseconds)
{
    put_text(table, index, row, column, g_strdup_printf("%12.3f", nanoseconds / 1e6));
}

/* Likewise: least, mean, most. What was never measured stays empty, as a 0 would be a perfect line.
 */
static void put_times(const stat_tap_table *table, guint index, struct row *row, int first,
                      const struct qs_times *times)
{
    if (!times->count)
        return;
    put_time(table, index, row, first, (double)times->min);
    put_time(table, index, row, first + 1, qs_times_mean(times));
    put_time(table, index, row, first + 2, (double)times->max);
}

/* What is not known stays empty. */
static void put_line(const stat_tap_table *table, guint index, struct row *row,
                     const struct qs_line *line)
{
    const double *times[] = {&line->ping, &line->ping_p95, &line->jitter};
    const struct qs_line_direction *directions[] = {&line->c2s, &line->s2c};

    for (int i = 0; i < (int)G_N_ELEMENTS(times); i++)
        put_text(table, index, row, COLUMN_PING + i,
                 *times[i] < 0 ? NULL : g_strdup_printf("%12.3f", *times[i]));
    for (int i = 0; i < (int)G_N_ELEMENTS(directions); i++) {
        char *loss = qs_line_loss_text(directions[i], false);

        put_text(table, index, row, COLUMN_LOSS_C2S + i,
                 strcmp(loss, "-") == 0 ? NULL : g_strdup_printf("%6s", loss));
        g_free(loss);
    }
}

static void put_figures(const stat_tap_table *table, guint index, struct row *row,
                        const struct qs_line *line)
{
    const struct qs_tally *tally = &row->tally;
    const double seconds = qs_tally_seconds(tally);

    put_real(table, index, COLUMN_DURATION, seconds);
    put_traffic(table, index, COLUMN_PACKETS_C2S, &tally->traffic[QS_C2S], seconds);
    put_traffic(table, index, COLUMN_PACKETS_S2C, &tally->traffic[QS_S2C], seconds);
    put_line(table, index, row, line);
    put_times(table, index, row, COLUMN_CLIENT_RTT_MIN, &tally->rtt[QS_C2S]);
    put_times(table, index, row, COLUMN_SERVER_RTT_MIN, &tally->rtt[QS_S2C]);
}

/* --- The table --- */

static struct row *row_at(const stat_tap_table *table, guint index)
{
    return cell(table, index, COLUMN_NUMBER)->user_data.ptr_value;
}

/* Sessions begin in the order of their numbers, so the latest is among the last rows. */
static bool find_row(const stat_tap_table *table, uint32_t number, guint *index)
{
    for (*index = table->num_elements; (*index)--;)
        if (cell(table, *index, COLUMN_NUMBER)->value.uint_value == number)
            return true;
    return false;
}

static guint add_row(stat_tap_table *table, uint32_t number)
{
    stat_tap_table_item_type cells[COLUMNS] = {{.type = TABLE_ITEM_NONE}};
    struct row *row = g_new0(struct row, 1);
    const guint index = table->num_elements;

    for (int i = 0; i < COLUMNS; i++) {
        cells[i].type = columns[i].type;
        if (columns[i].type == TABLE_ITEM_STRING)
            cells[i].value.string_value = "";
    }
    cells[COLUMN_NUMBER].value.uint_value = number;
    cells[COLUMN_NUMBER].user_data.ptr_value = row;
    qs_tally_init(&row->tally);
    stat_tap_init_table_row(table, index, COLUMNS, cells);
    return index;
}

static tap_packet_status take_packet(void *data, packet_info *pinfo, epan_dissect_t *edt,
                                     const void *tapped, tap_flags_t flags)
{
    const stat_data_t *stat = data;
    const struct packet_figures *figures = tapped;
    stat_tap_table *table = g_array_index(stat->stat_tap_data->tables, stat_tap_table *, 0);
    guint index;

    (void)pinfo, (void)edt, (void)flags;
    if (!figures->number)
        return TAP_PACKET_DONT_REDRAW;
    if (!find_row(table, figures->number, &index))
        index = add_row(table, figures->number);
    qs_tally_add(&row_at(table, index)->tally, &figures->tally);
    if (figures->tally.direction != QS_DIRECTION_UNKNOWN)
        put_ends(table, index, row_at(table, index), &figures->tally);
    put_description(table, index, row_at(table, index), figures);
    put_figures(table, index, row_at(table, index), &figures->line);
    return TAP_PACKET_REDRAW;
}

static void begin_table(stat_tap_table_ui *ui)
{
    stat_tap_table *table = stat_tap_find_table(ui, ui->title);

    if (table) {
        if (ui->stat_tap_reset_table_cb)
            ui->stat_tap_reset_table_cb(table);
        return;
    }
    stat_tap_add_table(ui, stat_tap_init_table(ui->title, COLUMNS, 0, NULL));
}

static void free_cell(stat_tap_table *table, guint row, guint column,
                      stat_tap_table_item_type *data)
{
    (void)table, (void)row;
    if (column == COLUMN_NUMBER && data->user_data.ptr_value) {
        row_free(data->user_data.ptr_value);
        data->user_data.ptr_value = NULL;
    }
}

/* Empties the table: all packets come again. */
static void empty_table(stat_tap_table *table)
{
    for (guint i = 0; i < table->num_elements; i++) {
        row_free(row_at(table, i));
        g_free(table->elements[i]);
    }
    g_free(table->elements);
    table->elements = NULL;
    table->num_elements = 0;
}

static void register_table(const struct dissector *dissector)
{
    static tap_param filter = {PARAM_FILTER, "filter", "Filter", NULL, TRUE};
    const char *name = dissector->protocol->name;
    stat_tap_table_ui *ui = g_new0(stat_tap_table_ui, 1); /* lives as long as Wireshark */

    ui->group = REGISTER_PACKET_STAT_GROUP_UNSORTED;
    ui->title = g_strdup_printf("%s sessions", dissector->protocol->title);
    ui->tap_name = name;
    ui->cli_string = g_strdup_printf("%s,sessions", name);
    ui->stat_tap_init_cb = begin_table;
    ui->packet_func = take_packet;
    ui->stat_tap_reset_table_cb = empty_table;
    ui->stat_tap_free_table_item_cb = free_cell;
    ui->nfields = COLUMNS;
    ui->fields = columns;
    ui->nparams = 1;
    ui->params = &filter;
    register_stat_tap_table_ui(ui);
}

/* --- Response times, by what was asked for */

static void begin_response_times(struct register_srt *srt, GArray *tables)
{
    srt_stat_table *table =
        init_srt_table(proto_get_protocol_short_name(find_protocol_by_id(get_srt_proto_id(srt))),
                       NULL, tables, QS_REQUEST_KINDS, "Request", NULL, NULL);

    for (int kind = 0; kind < QS_REQUEST_KINDS; kind++)
        init_srt_table_row(table, kind, qs_request_name((enum qs_request_kind)kind));
}

/* The first response to each request counts. */
static tap_packet_status add_response_time(void *data, packet_info *pinfo, epan_dissect_t *edt,
                                           const void *tapped, tap_flags_t flags)
{
    const srt_data_t *srt = data;
    const struct qs_response *response = &((const struct packet_figures *)tapped)->response;
    const nstime_t asked = {.secs = pinfo->abs_ts.secs - (time_t)(response->time / 1000000000),
                            .nsecs = pinfo->abs_ts.nsecs - (int)(response->time % 1000000000)};

    (void)edt, (void)flags;
    if (!response->known || !response->first)
        return TAP_PACKET_DONT_REDRAW;
    add_srt_table_data(g_array_index(srt->srt_array, srt_stat_table *, 0), (int)response->kind,
                       &asked, pinfo);
    return TAP_PACKET_REDRAW;
}

/* --- The tap */

bool statistics_are_wanted(const struct dissector *dissector)
{
    return have_tap_listener(dissector->tap);
}

/* Taps run when all of the frame is dissected, which may hold more packets. */
static const GArray *copy_of(packet_info *pinfo, const GArray *counted)
{
    GArray *copy = wmem_new(pinfo->pool, GArray);

    copy->len = counted->len;
    copy->data = wmem_memdup(pinfo->pool, counted->data, counted->len * sizeof(struct qs_counted));
    return copy;
}

void statistics_queue(const struct dissector *dissector, packet_info *pinfo,
                      const struct packet_context *context)
{
    const struct qs_decoder *decoder = &dissector->decoder;
    struct packet_figures *figures = wmem_new0(pinfo->pool, struct packet_figures);
    struct qs_packet_links links = {.ack_rtt = -1};

    if (context->links)
        qs_links_find(context->links, decoder->packet, &links);
    qs_links_line(context->links, context->session->connection, &figures->line);
    figures->dissector = dissector;
    figures->session = context->session;
    figures->packet = *decoder->packet;
    figures->packet.data = NULL;
    figures->number = packet_session_going_on(context);
    figures->tally = (struct qs_tally_packet){.counted = copy_of(pinfo, dissector->counter.counted),
                                              .packet = &figures->packet,
                                              .direction = decoder->direction,
                                              .connectionless = decoder->connectionless,
                                              .ack_rtt = links.ack_rtt};
    figures->response = links.response;
    tap_queue_packet(dissector->tap, pinfo, figures);
}

void statistics_register(struct dissector *dissector)
{
    dissector->tap = register_tap(dissector->protocol->name);
    register_tree(dissector);
    register_table(dissector);
    register_srt_table(dissector->proto, dissector->protocol->name, 1, add_response_time,
                       begin_response_times, NULL);
}
