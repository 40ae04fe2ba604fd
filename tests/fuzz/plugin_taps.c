/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/fuzz/epan_frames.h"

#include "plugin/ws_compat.h"

#include <epan/export_object.h>
#include <epan/follow.h>
#include <epan/srt_table.h>
#include <epan/stat_tap_ui.h>
#include <epan/tap.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/protocols.h"
#include "tests/fuzz/fuzz.h"

/* One listener: `data` is what its tap gets. */
struct listener {
    void *data;
    void (*free)(void *data);
};

struct plugin_taps {
    GArray *listeners;
};

/* Keeps a sum from being optimized away; a sanitizer sees what it is made of. */
static volatile size_t looked_at;

static void look_at(const void *data, size_t size)
{
    const guint8 *bytes = data;
    size_t sum = 0;

    for (size_t i = 0; i < size; i++)
        sum += bytes[i];
    looked_at += sum;
}

static void look_at_text(const char *text)
{
    if (text)
        look_at(text, strlen(text));
}

/* What a tap is registered with. */
struct calls {
    tap_reset_cb reset;
    tap_packet_cb packet;
    tap_draw_cb draw;
    void (*free)(void *data);
};

static void listen(struct plugin_taps *taps, const char *tap, void *data, const struct calls *calls)
{
    const struct listener listener = {data, calls->free};
    GString *error =
        register_tap_listener(tap, data, NULL, 0, calls->reset, calls->packet, calls->draw, NULL);

    if (error) {
        fprintf(stderr, "%s: %s\n", tap, error->str);
        abort();
    }
    g_array_append_val(taps->listeners, listener);
}

/* --- Tables --- */

static void reset_table(void *data)
{
    reset_stat_table(((stat_data_t *)data)->stat_tap_data);
}

static void draw_table(void *data)
{
    const stat_data_t *stat = data;
    const stat_tap_table *table = g_array_index(stat->stat_tap_data->tables, stat_tap_table *, 0);

    for (guint row = 0; row < table->num_elements; row++)
        for (guint column = 0; column < table->num_fields; column++) {
            const stat_tap_table_item_type *item = stat_tap_get_field_data(table, row, column);

            if (item->type == TABLE_ITEM_STRING)
                look_at_text(item->value.string_value);
        }
}

static void free_table(void *data)
{
    free_stat_tables(((stat_data_t *)data)->stat_tap_data);
    g_free(data);
}

static void listen_to_table(struct plugin_taps *taps, const char *name, const char *kind)
{
    g_autofree char *title = g_strdup_printf("%s,%s", name, kind);
    stat_data_t *stat = g_new0(stat_data_t, 1);

    stat->stat_tap_data = stat_tap_by_name(title);
    stat->stat_tap_data->tables = g_array_new(FALSE, FALSE, sizeof(stat_tap_table *));
    stat->stat_tap_data->stat_tap_init_cb(stat->stat_tap_data);
    listen(taps, stat->stat_tap_data->tap_name, stat,
           &(struct calls){reset_table, stat->stat_tap_data->packet_func, draw_table, free_table});
}

/* --- Credentials --- */

static tap_packet_status look_at_credential(void *data, packet_info *pinfo, epan_dissect_t *edt,
                                            const void *packet, tap_flags_t flags)
{
    const struct ws_credential *credential = packet;

    (void)data, (void)pinfo, (void)edt, (void)flags;
    look_at_text(credential->username);
    look_at_text(credential->info);
    return TAP_PACKET_DONT_REDRAW;
}

/* --- Response times --- */

struct response_times {
    srt_data_t base; /* what the tap knows */
    register_srt_t *srt;
};

static void reset_times(void *data)
{
    reset_srt_table(((struct response_times *)data)->base.srt_array);
}

static void draw_times(void *data)
{
    const struct response_times *times = data;

    for (guint i = 0; i < times->base.srt_array->len; i++) {
        const srt_stat_table *table = g_array_index(times->base.srt_array, srt_stat_table *, i);

        for (int row = 0; row < table->num_procs; row++)
            look_at_text(table->procedures[row].procedure);
    }
}

static void free_times(void *data)
{
    struct response_times *times = data;

    free_srt_table(times->srt, times->base.srt_array);
    g_array_free(times->base.srt_array, TRUE);
    g_free(times);
}

static void listen_to_times(struct plugin_taps *taps, const char *name)
{
    struct response_times *times = g_new0(struct response_times, 1);

    times->srt = get_srt_table_by_name(name);
    times->base.srt_array = g_array_new(FALSE, TRUE, sizeof(srt_stat_table *));
    srt_table_dissector_init(times->srt, times->base.srt_array);
    listen(taps, get_srt_tap_listener_name(times->srt), times,
           &(struct calls){reset_times, get_srt_packet_func(times->srt), draw_times, free_times});
}

/* --- Exported objects --- */

struct objects {
    export_object_list_t base; /* what the tap knows */
    register_eo_t *kind;
    GPtrArray *entries;
};

static void free_entry(void *entry)
{
    eo_free_entry(entry);
}

static void add_entry(void *data, export_object_entry_t *entry)
{
    g_ptr_array_add(((struct objects *)data)->entries, entry);
}

static export_object_entry_t *get_entry(void *data, int row)
{
    const GPtrArray *entries = ((struct objects *)data)->entries;

    return row >= 0 && (guint)row < entries->len ? g_ptr_array_index(entries, row) : NULL;
}

/* As a window that is opened: what came is forgotten. */
static void reset_objects(void *data)
{
    struct objects *objects = data;

    get_eo_reset_func(objects->kind)();
    g_ptr_array_set_size(objects->entries, 0);
}

static void draw_objects(void *data)
{
    const struct objects *objects = data;

    for (guint i = 0; i < objects->entries->len; i++) {
        const export_object_entry_t *entry = g_ptr_array_index(objects->entries, i);

        look_at_text(entry->hostname);
        look_at_text(entry->content_type);
        look_at_text(entry->filename);
        look_at(entry->payload_data, entry->payload_len);
    }
}

static void free_objects(void *data)
{
    struct objects *objects = data;

    get_eo_reset_func(objects->kind)();
    g_ptr_array_free(objects->entries, TRUE);
    g_free(objects);
}

static void listen_to_objects(struct plugin_taps *taps, const char *name)
{
    struct objects *objects = g_new0(struct objects, 1);

    objects->kind = get_eo_by_name(name);
    objects->entries = g_ptr_array_new_with_free_func(free_entry);
    objects->base = (export_object_list_t){add_entry, get_entry, objects};
    listen(taps, get_eo_tap_listener_name(objects->kind), objects,
           &(struct calls){reset_objects, get_eo_packet_func(objects->kind), draw_objects,
                           free_objects});
    get_eo_reset_func(objects->kind)();
}

/* --- Follow --- */

static void free_records(follow_info_t *info)
{
    for (const GList *item = info->payload; item; item = item->next) {
        follow_record_t *record = item->data;

        g_byte_array_free(record->data, TRUE);
        g_free(record);
    }
    g_list_free(info->payload);
    info->payload = NULL;
}

static void reset_follow(void *data)
{
    follow_info_t *info = data;

    free_records(info);
    free_address(&info->client_ip);
    free_address(&info->server_ip);
    follow_reset_stream(info);
}

static void draw_follow(void *data)
{
    for (const GList *item = ((follow_info_t *)data)->payload; item; item = item->next) {
        const follow_record_t *record = item->data;

        look_at(record->data->data, record->data->len);
    }
}

static void free_follow(void *data)
{
    reset_follow(data);
    g_free(data);
}

static void listen_to_follow(struct plugin_taps *taps, const char *title)
{
    register_follow_t *follow = get_follow_by_name(title);

    listen(taps, get_follow_tap_string(follow), g_new0(follow_info_t, 1),
           &(struct calls){reset_follow, get_follow_tap_handler(follow), draw_follow, free_follow});
}

/* --- All --- */

static void listen_to_protocol(struct plugin_taps *taps, const struct qs_protocol *protocol,
                               unsigned wanted)
{
    const int proto = proto_get_id_by_filter_name(protocol->name);

    if (wanted & FUZZ_PLUGIN_STATISTICS) {
        listen_to_table(taps, protocol->name, "sessions");
        listen_to_table(taps, protocol->name, "messages");
        listen_to_table(taps, protocol->name, "line");
        if (protocol->seqinfo)
            listen_to_times(taps, protocol->name);
    }
    if (wanted & FUZZ_PLUGIN_FOLLOW)
        listen_to_follow(taps, proto_get_protocol_short_name(find_protocol_by_id(proto)));
}

struct plugin_taps *plugin_taps_new(unsigned wanted)
{
    struct plugin_taps *taps = g_new0(struct plugin_taps, 1);

    taps->listeners = g_array_new(FALSE, FALSE, sizeof(struct listener));
    for (unsigned i = 0; qs_protocols[i]; i++)
        listen_to_protocol(taps, qs_protocols[i], wanted);
    if (wanted & FUZZ_PLUGIN_DOWNLOADS)
        listen_to_objects(taps, "quake_downloads");
    if (wanted & FUZZ_PLUGIN_DEMOS)
        listen_to_objects(taps, "quake_demos");
    if (wanted & FUZZ_PLUGIN_CREDENTIALS)
        listen(taps, "credentials", g_new0(char, 1),
               &(struct calls){.packet = look_at_credential, .free = g_free});
    return taps;
}

void plugin_taps_reset(void)
{
    reset_tap_listeners();
}

void plugin_taps_draw(void)
{
    draw_tap_listeners(TRUE);
}

void plugin_taps_free(struct plugin_taps *taps)
{
    for (guint i = 0; i < taps->listeners->len; i++) {
        const struct listener *listener = &g_array_index(taps->listeners, struct listener, i);

        remove_tap_listener(listener->data);
        listener->free(listener->data);
    }
    g_array_free(taps->listeners, TRUE);
    g_free(taps);
}
