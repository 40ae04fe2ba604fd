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

static void listen(struct plugin_taps *taps, const char *tap, void *data, tap_reset_cb reset,
                   tap_packet_cb packet, void (*free_data)(void *data))
{
    const struct listener listener = {data, free_data};
    GString *error = register_tap_listener(tap, data, NULL, 0, reset, packet, NULL, NULL);

    if (error)
        fuzz_broken(tap, error->str);
    g_array_append_val(taps->listeners, listener);
}

/* --- Tables */

static void reset_table(void *data)
{
    reset_stat_table(((stat_data_t *)data)->stat_tap_data);
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
    stat_tap_table_ui *ui = stat->stat_tap_data = stat_tap_by_name(title);

    ui->tables = g_array_new(FALSE, FALSE, sizeof(stat_tap_table *));
    ui->stat_tap_init_cb(ui);
    listen(taps, ui->tap_name, stat, reset_table, ui->packet_func, free_table);
}

/* --- Response times */

struct response_times {
    srt_data_t base; /* what the tap knows */
    register_srt_t *srt;
};

static void reset_times(void *data)
{
    reset_srt_table(((struct response_times *)data)->base.srt_array);
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
    listen(taps, get_srt_tap_listener_name(times->srt), times, reset_times,
           get_srt_packet_func(times->srt), free_times);
}

/* --- Exported objects */

struct objects {
    export_object_list_t base; /* what the tap knows */
    register_eo_t *kind;
    GPtrArray *entries;
};

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
    objects->entries = g_ptr_array_new_with_free_func((GDestroyNotify)eo_free_entry);
    objects->base = (export_object_list_t){add_entry, get_entry, objects};
    listen(taps, get_eo_tap_listener_name(objects->kind), objects, reset_objects,
           get_eo_packet_func(objects->kind), free_objects);
    get_eo_reset_func(objects->kind)();
}

/* --- Follow */

static void free_record(void *data)
{
    g_byte_array_free(((follow_record_t *)data)->data, TRUE);
    g_free(data);
}

static void reset_follow(void *data)
{
    follow_info_t *info = data;

    g_list_free_full(g_steal_pointer(&info->payload), free_record);
    free_address(&info->client_ip);
    free_address(&info->server_ip);
    follow_reset_stream(info);
}

static void free_follow(void *data)
{
    reset_follow(data);
    g_free(data);
}

/* --- All */

static void listen_to_protocol(struct plugin_taps *taps, const struct qs_protocol *protocol,
                               unsigned wanted)
{
    const int proto = proto_get_id_by_filter_name(protocol->name);
    register_follow_t *follow =
        get_follow_by_name(proto_get_protocol_short_name(find_protocol_by_id(proto)));

    if (wanted & FUZZ_PLUGIN_STATISTICS) {
        listen_to_table(taps, protocol->name, "sessions");
        listen_to_table(taps, protocol->name, "messages");
        listen_to_table(taps, protocol->name, "line");
        if (protocol->seqinfo)
            listen_to_times(taps, protocol->name);
    }
    if (wanted & FUZZ_PLUGIN_FOLLOW)
        listen(taps, get_follow_tap_string(follow), g_new0(follow_info_t, 1), reset_follow,
               get_follow_tap_handler(follow), free_follow);
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
    return taps;
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
