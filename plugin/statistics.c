/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/dissector.h"

#include <epan/srt_table.h>
#include <epan/stat_tap_ui.h>
#include <epan/tap.h>

#include "common/core/hash.h"
#include "common/dump/dump.h"
#include "common/protocols.h"
#include "plugin/conversations.h"

/* A packet's part in the statistics, for the taps; in the packet's pool. */
struct tap_data {
    const struct dissector *dissector;
    const struct qs_session *session; /* session after the packet */
    struct qs_packet packet;          /* packet without its bytes */
    uint32_t number;                  /* session number; 0: none */
    struct qs_tally_packet tally;
    struct qs_path_quality path; /* quality of the session's path so far */
    struct qs_response response;
};

/* Tap for all games. */
static const char tap_name[] = "quake";
static int tap;
static int credentials_tap; /* Wireshark's tap of Tools > Credentials */

/* --- Columns. The most important come first: windows show about ten. */

/* clang-format off */
#define NUMBER(title) {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, title, "%u"}
#define TEXT(title) {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, title, "%s"}
/* A number as text: a number's cell cannot be empty, and windows show six digits of real ones. */
#define FIGURE(title) {TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, title, "%s"}
/* Spaces, because Wireshark's windows leave no room for the arrow of the sorted column. */
#define SESSION NUMBER("    Session"), TEXT("Game"), TEXT("Player")

static stat_tap_table_item session_columns[] = {
    SESSION, TEXT("Map"), FIGURE("Duration (s)"), FIGURE("Ping (ms)"), FIGURE("Lost C→S (%)"),
    FIGURE("Lost S→C (%)"), NUMBER("Packets C→S"), NUMBER("Packets S→C"), NUMBER("Bytes/s C→S"),
    NUMBER("Bytes/s S→C"), TEXT("Client"), TEXT("Server"), TEXT("Version"), NUMBER("Bytes C→S"),
    NUMBER("Bytes S→C")};

static stat_tap_table_item line_columns[] = {
    SESSION, TEXT("Direction"), NUMBER("Packets"), FIGURE("Lost (%)"), FIGURE("Longest burst"),
    FIGURE("Ping (ms)"), FIGURE("p95 (ms)"), FIGURE("Jitter (ms)"), FIGURE("Choked (%)"),
    FIGURE("Throttled (%)"), FIGURE("Unanswered (%)"), NUMBER("Late"), NUMBER("Twice"), TEXT("Captured at"),
    FIGURE("Acknowledged after, min (ms)"), FIGURE("mean (ms)"), FIGURE("max (ms)"),
    TEXT("Filter")};

static stat_tap_table_item message_columns[] = {
    NUMBER("    Session (0: all)"), TEXT("Game"), TEXT("Direction"), TEXT("Message"),
    NUMBER("Count"), NUMBER("Bytes"), TEXT("Filter")};

/* clang-format on */

/* --- Tables */

struct table;

struct table_kind {
    const char *name, *title;
    stat_tap_table_item *columns;
    guint count;
    void (*add)(struct table *table, const struct tap_data *tap_data);
};

/* A table for all games, or for one. */
struct table {
    stat_tap_table_ui ui; /* first member, because Wireshark's callbacks get it */
    const struct table_kind *kind;
    GHashTable *rows; /* struct row_key as GBytes -> number of the row, from 1 */
};

/* Key of a row. */
struct row_key {
    const struct qs_protocol *game;
    const struct qs_field *message;
    uint32_t session, direction;
};

static stat_tap_table *shown(const struct table *table)
{
    return g_array_index(table->ui.tables, stat_tap_table *, 0);
}

static stat_tap_table_item_type *add_row(const struct table *table)
{
    stat_tap_table_item_type *cells = g_new0(stat_tap_table_item_type, table->kind->count);
    const guint row = shown(table)->num_elements;

    for (guint i = 0; i < table->kind->count; i++) {
        cells[i].type = table->kind->columns[i].type;
        if (cells[i].type == TABLE_ITEM_STRING)
            cells[i].value.string_value = g_strdup("");
    }
    stat_tap_init_table_row(shown(table), row, table->kind->count, cells);
    g_free(cells);
    return stat_tap_get_field_data(shown(table), row, 0);
}

/* Returns the cells of the row, which is added if necessary. */
static stat_tap_table_item_type *row_of(struct table *table, const struct row_key *key)
{
    GBytes *bytes = g_bytes_new(key, sizeof *key);
    stat_tap_table_item_type *cells;
    guint row;

    if (!shown(table)->num_elements) /* it was emptied, or is new */
        g_hash_table_remove_all(table->rows);
    row = GPOINTER_TO_UINT(g_hash_table_lookup(table->rows, bytes));
    if (row) {
        g_bytes_unref(bytes);
        return stat_tap_get_field_data(shown(table), row - 1, 0);
    }
    cells = add_row(table);
    g_hash_table_insert(table->rows, bytes, GUINT_TO_POINTER(shown(table)->num_elements));
    return cells;
}

/* Returns the tally of a session's row, which is in the first cell. */
static struct qs_tally *tally_of(stat_tap_table_item_type *first)
{
    if (!first->user_data.ptr_value) {
        first->user_data.ptr_value = g_new0(struct qs_tally, 1);
        qs_tally_init(first->user_data.ptr_value);
    }
    return first->user_data.ptr_value;
}

static void free_cell(stat_tap_table *table, guint row, guint column,
                      stat_tap_table_item_type *cell)
{
    (void)table, (void)row;
    if (cell->type == TABLE_ITEM_STRING)
        g_free((char *)cell->value.string_value);
    if (!column && cell->user_data.ptr_value) {
        qs_tally_clear(cell->user_data.ptr_value);
        g_free(cell->user_data.ptr_value);
    }
}

/* Empties the table, because all packets are tapped again. */
static void empty_table(stat_tap_table *table)
{
    for (guint row = 0; row < table->num_elements; row++) {
        for (guint column = 0; column < table->num_fields; column++)
            free_cell(table, row, column, stat_tap_get_field_data(table, row, column));
        g_free(table->elements[row]);
    }
    g_clear_pointer(&table->elements, g_free);
    table->num_elements = 0;
}

static void begin_table(stat_tap_table_ui *ui)
{
    stat_tap_table *table = stat_tap_find_table(ui, ui->title);

    if (table)
        empty_table(table);
    else
        stat_tap_add_table(ui, stat_tap_init_table(ui->title, (int)ui->nfields, 0, NULL));
}

static tap_packet_status add_packet(void *data, packet_info *pinfo, epan_dissect_t *edt,
                                    const void *tapped, tap_flags_t flags)
{
    struct table *table = (struct table *)((const stat_data_t *)data)->stat_tap_data;

    (void)pinfo, (void)edt, (void)flags;
    table->kind->add(table, tapped);
    return TAP_PACKET_REDRAW;
}

/* --- Cells, filled from left to right */

/* Takes ownership of the text, which is NULL if unknown. */
static void put_text(stat_tap_table_item_type **cell, char *text)
{
    g_free((char *)(*cell)->value.string_value);
    (*cell)++->value.string_value = text ? text : g_strdup("");
}

/* The same, but keeps the old text if the new one is unknown. */
static void keep_text(stat_tap_table_item_type **cell, char *text)
{
    const char *before = (*cell)->value.string_value;

    put_text(cell, text || !before ? text : g_strdup(before));
}

static void put_number(stat_tap_table_item_type **cell, uint64_t value)
{
    (*cell)++->value.uint_value = (guint)MIN(value, UINT32_MAX);
}

/* Wireshark sorts texts by their characters: all have one length. Below 0: unknown. */
static void put_figure(stat_tap_table_item_type **cell, double value)
{
    put_text(cell, value < 0 ? NULL : g_strdup_printf("%12.3f", value));
}

static void put_loss(stat_tap_table_item_type **cell, const struct qs_path_direction *direction)
{
    g_autofree char *loss = qs_path_loss_text(direction, false);

    put_text(cell, strcmp(loss, "-") == 0 ? NULL : g_strdup_printf("%6s", loss));
}

/* Fills the columns SESSION. `description` gets the other texts, which the caller frees. */
static void put_session(stat_tap_table_item_type **cell, const struct tap_data *tap_data,
                        struct qs_description *description)
{
    const struct qs_protocol *protocol = tap_data->dissector->protocol;

    protocol->describe(tap_data->session, description);
    put_number(cell, tap_data->number);
    put_text(cell, g_strdup(protocol->title));
    keep_text(cell, qs_player_of(protocol, tap_data->session));
    g_free(description->player);
}

/* --- Sessions */

static void put_ends(stat_tap_table_item_type **cell, const struct qs_tally_packet *packet)
{
    const bool from_server = packet->direction == QS_S2C;
    const struct qs_packet *ends = packet->packet;

    if (packet->direction == QS_DIRECTION_UNKNOWN) {
        *cell += 2;
        return;
    }
    put_text(cell, qs_address_text(from_server ? &ends->destination : &ends->source));
    put_text(cell, qs_address_text(from_server ? &ends->source : &ends->destination));
}

static void add_session(struct table *table, const struct tap_data *tap_data)
{
    const struct row_key key = {.game = tap_data->dissector->protocol, .session = tap_data->number};
    struct qs_description description = {0};
    stat_tap_table_item_type *cell;
    struct qs_tally *tally;
    double seconds;

    if (!tap_data->number)
        return;
    cell = row_of(table, &key);
    tally = tally_of(cell);
    qs_tally_add(tally, &tap_data->tally);
    seconds = qs_tally_seconds(tally);
    put_session(&cell, tap_data, &description);
    keep_text(&cell, description.map);
    put_figure(&cell, seconds);
    put_figure(&cell, tap_data->path.ping);
    put_loss(&cell, &tap_data->path.c2s);
    put_loss(&cell, &tap_data->path.s2c);
    put_number(&cell, tally->traffic[QS_C2S].packets);
    put_number(&cell, tally->traffic[QS_S2C].packets);
    put_number(&cell, (uint64_t)(qs_rate(tally->traffic[QS_C2S].bytes, seconds) + .5));
    put_number(&cell, (uint64_t)(qs_rate(tally->traffic[QS_S2C].bytes, seconds) + .5));
    put_ends(&cell, &tap_data->tally);
    put_text(&cell, description.version);
    put_number(&cell, tally->traffic[QS_C2S].bytes);
    put_number(&cell, tally->traffic[QS_S2C].bytes);
}

/* --- Path quality: a row for each direction */

static void put_times(stat_tap_table_item_type **cell, const struct qs_times *times)
{
    put_figure(cell, times->count ? (double)times->min / 1e6 : -1);
    put_figure(cell, times->count ? qs_times_mean(times) / 1e6 : -1);
    put_figure(cell, times->count ? (double)times->max / 1e6 : -1);
}

static void add_direction(struct table *table, const struct tap_data *tap_data,
                          enum qs_direction direction, const struct qs_path_direction *path)
{
    const struct qs_protocol *protocol = tap_data->dissector->protocol;
    const struct row_key key = {
        .game = protocol, .session = tap_data->number, .direction = direction};
    struct qs_description description = {0};
    stat_tap_table_item_type *cell = row_of(table, &key);
    struct qs_tally *tally = tally_of(cell);

    qs_tally_add(tally, &tap_data->tally);
    put_session(&cell, tap_data, &description);
    put_text(&cell, g_strdup(qs_direction_arrow(direction)));
    put_number(&cell, tally->traffic[direction].packets);
    put_loss(&cell, path);
    put_text(&cell, path->burst < 0 ? NULL : g_strdup_printf("%6.0f", path->burst));
    put_figure(&cell, tap_data->path.ping);
    put_figure(&cell, tap_data->path.ping_p95);
    put_figure(&cell, tap_data->path.jitter);
    put_figure(&cell, path->choke);
    put_figure(&cell, path->throttle);
    put_figure(&cell, direction == QS_C2S ? tap_data->path.unanswered : -1);
    put_number(&cell, path->late);
    put_number(&cell, path->duplicates);
    put_text(&cell, g_strdup(qs_vantage_name(tap_data->path.vantage)));
    put_times(&cell, &tally->rtt[direction == QS_C2S ? QS_S2C : QS_C2S]);
    put_text(&cell, g_strdup_printf("%s.session == %u && %s.from_server == %d", protocol->name,
                                    tap_data->number, protocol->name, direction == QS_S2C));
    g_free(description.map);
    g_free(description.version);
}

static void add_line(struct table *table, const struct tap_data *tap_data)
{
    if (!tap_data->number || !tap_data->dissector->protocol->path)
        return;
    add_direction(table, tap_data, QS_C2S, &tap_data->path.c2s);
    add_direction(table, tap_data, QS_S2C, &tap_data->path.s2c);
}

/* --- Packets and messages */

static void count(struct table *table, const struct row_key *key, uint32_t bytes)
{
    stat_tap_table_item_type *cell = row_of(table, key);
    const char *filter = key->message ? key->message->name : key->game->name;
    const enum qs_direction direction = (enum qs_direction)key->direction;
    const uint32_t counted = cell[4].value.uint_value + 1, size = cell[5].value.uint_value + bytes;

    put_number(&cell, key->session);
    put_text(&cell, g_strdup(key->game->title));
    put_text(&cell,
             g_strdup(direction == QS_DIRECTION_UNKNOWN ? "?" : qs_direction_arrow(direction)));
    /* A message has its name as in the packet list, another group the end of its filter name. */
    put_text(&cell, g_strdup(!key->message             ? "(packets)"
                             : qs_message_name(filter) ? qs_message_name(filter)
                                                       : strchr(filter, '.') + 1));
    put_number(&cell, counted);
    put_number(&cell, size);
    put_text(&cell, g_strdup(filter));
}

static void count_messages(struct table *table, const struct tap_data *tap_data, uint32_t session)
{
    const struct qs_tally_packet *packet = &tap_data->tally;
    struct row_key key = {
        .game = tap_data->dissector->protocol, .session = session, .direction = packet->direction};

    count(table, &key, packet->packet->size);
    for (guint i = 0; i < packet->counted->len; i++) {
        const struct qs_counted *message = &g_array_index(packet->counted, struct qs_counted, i);

        key.message = message->group;
        count(table, &key, message->bytes);
    }
}

static void add_messages(struct table *table, const struct tap_data *tap_data)
{
    count_messages(table, tap_data, 0);
    if (tap_data->number)
        count_messages(table, tap_data, tap_data->number);
}

/* --- Registration */

/* clang-format off */
static const struct table_kind kinds[] = {
    {"sessions", "Sessions", session_columns, G_N_ELEMENTS(session_columns), add_session},
    {"messages", "Packets and messages", message_columns, G_N_ELEMENTS(message_columns), add_messages},
    {"line", "Line quality", line_columns, G_N_ELEMENTS(line_columns), add_line}};
/* clang-format on */

/* Registers a table for as long as Wireshark runs. The menu Statistics has the tables of all games;
 * no menu has those of the other group. */
static void register_table(const struct table_kind *kind, const char *name, const char *title,
                           register_stat_group_t group)
{
    static tap_param filter = {PARAM_FILTER, "filter", "Filter", NULL, TRUE};
    struct table *table = g_new0(struct table, 1);

    table->kind = kind;
    table->rows =
        g_hash_table_new_full(qs_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    table->ui = (stat_tap_table_ui){.group = group,
                                    .title = g_strdup_printf("%s: %s", title, kind->title),
                                    .tap_name = name,
                                    .cli_string = g_strdup_printf("%s,%s", name, kind->name),
                                    .stat_tap_init_cb = begin_table,
                                    .packet_func = add_packet,
                                    .stat_tap_reset_table_cb = empty_table,
                                    .stat_tap_free_table_item_cb = free_cell,
                                    .nfields = kind->count,
                                    .fields = kind->columns,
                                    .nparams = 1,
                                    .params = &filter};
    register_stat_tap_table_ui(&table->ui);
}

void statistics_register(void)
{
    tap = register_tap(tap_name);
    credentials_tap = register_tap("credentials");
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
        register_table(&kinds[i], tap_name, "Quake", REGISTER_PACKET_STAT_GROUP_UNSORTED);
}

/* --- Response times, by kind of request */

static void begin_response_times(struct register_srt *srt, GArray *tables)
{
    srt_stat_table *table =
        init_srt_table(proto_get_protocol_short_name(find_protocol_by_id(get_srt_proto_id(srt))),
                       NULL, tables, QS_REQUEST_KINDS, "Request", NULL, NULL);

    for (int kind = 0; kind < QS_REQUEST_KINDS; kind++)
        init_srt_table_row(table, kind, qs_request_name((enum qs_request_kind)kind));
}

/* Adds the response time if this is the first response to a request. */
static tap_packet_status add_response_time(void *data, packet_info *pinfo, epan_dissect_t *edt,
                                           const void *tapped, tap_flags_t flags)
{
    const srt_data_t *srt = data;
    const struct qs_response *response = &((const struct tap_data *)tapped)->response;
    const nstime_t asked = {.secs = pinfo->abs_ts.secs - (time_t)(response->time / 1000000000),
                            .nsecs = pinfo->abs_ts.nsecs - (int)(response->time % 1000000000)};

    (void)edt, (void)flags;
    if (!response->known || !response->first)
        return TAP_PACKET_DONT_REDRAW;
    add_srt_table_data(g_array_index(srt->srt_array, srt_stat_table *, 0), (int)response->kind,
                       &asked, pinfo);
    return TAP_PACKET_REDRAW;
}

void statistics_register_game(struct dissector *dissector)
{
    const struct qs_protocol *protocol = dissector->protocol;

    dissector->tap = register_tap(protocol->name);
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
        register_table(&kinds[i], protocol->name, protocol->title,
                       REGISTER_LOG_STAT_GROUP_UNSORTED);
    if (protocol->seqinfo) /* other games have hardly any requests */
        register_srt_table(dissector->proto, protocol->name, 1, add_response_time,
                           begin_response_times, NULL);
}

/* --- The taps */

bool statistics_are_wanted(const struct dissector *dissector)
{
    return have_tap_listener(dissector->tap) || have_tap_listener(tap);
}

void credentials_queue(const struct dissector *dissector, packet_info *pinfo)
{
    const struct qs_decoder *decoder = &dissector->decoder;

    for (unsigned i = 0; i < decoder->found.credential_count; i++) {
        const struct qs_credential *found = &decoder->found.credentials[i];
        struct ws_credential *credential = wmem_new(pinfo->pool, struct ws_credential);

        *credential = (struct ws_credential){
            .number = pinfo->num,
            .username_number = pinfo->num,
            .password_hf = (unsigned)dissector->hf[found->row],
            .username = wmem_strdup(pinfo->pool, found->user[0] ? found->user : "n.a."),
            .protocol = dissector->protocol->title,
            .info = wmem_strdup(pinfo->pool, found->purpose)};
        tap_queue_packet(credentials_tap, pinfo, credential);
    }
}

/* Returns a copy for the taps, which run later: a frame may contain more packets. */
static GArray *copy_of(packet_info *pinfo, GArray *counted)
{
    GArray *copy = wmem_new(pinfo->pool, GArray);

    copy->len = counted->len;
    copy->data =
        wmem_memdup(pinfo->pool, counted->data, counted->len * g_array_get_element_size(counted));
    return copy;
}

void statistics_queue(const struct dissector *dissector, packet_info *pinfo,
                      const struct packet_context *context, uint32_t session_number)
{
    const struct qs_decoder *decoder = &dissector->decoder;
    struct tap_data *tap_data = wmem_new0(pinfo->pool, struct tap_data);
    struct qs_packet_links links = {.ack_rtt = -1};

    if (context->links)
        qs_links_find(context->links, decoder->packet, &links);
    qs_links_quality(context->links, context->session->connection, &tap_data->path);
    tap_data->dissector = dissector;
    tap_data->session = context->session;
    tap_data->packet = *decoder->packet;
    tap_data->packet.data = NULL;
    tap_data->number = session_number;
    tap_data->tally =
        (struct qs_tally_packet){.counted = copy_of(pinfo, dissector->counter.counted),
                                 .packet = &tap_data->packet,
                                 .direction = decoder->found.direction,
                                 .connectionless = decoder->found.connectionless,
                                 .ack_rtt = links.ack_rtt};
    tap_data->response = links.response;
    tap_queue_packet(dissector->tap, pinfo, tap_data);
    tap_queue_packet(tap, pinfo, tap_data);
}
