/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * File > Export Objects > Quake downloads: the files that servers sent to clients, of all
 * protocols. `tshark --export-objects quake_downloads,FOLDER`.
 *
 * Decoders report the file data in each packet; a tap receives and joins them. Nothing is stored if
 * no tap listens.
 */
#include "plugin/dissector.h"

#include <epan/export_object.h>
#include <epan/proto_data.h>
#include <epan/tap.h>
#include <epan/to_str.h>

#include "common/core/text.h"
#include "common/netchan/links.h"

/* Maximum size of all files (bytes), complete or not; an incomplete file has two copies. */
#define ROOM_MAX (UINT64_C(512) << 20)

/* Type of files that are incomplete or have no known extension. */
static const char any_type[] = "application/octet-stream";

static int proto;
static int tap;

/* --- From the dissector to the tap --- */

/* File data in a packet; in the packet's pool. */
struct packet_transfers {
    bool first; /* first in this dissection of its frame */
    const void *conversation;
    uint32_t connection; /* number of the connection in the conversation */
    unsigned count;
    struct qs_transfer *transfers;
};

static void *copy_to_pool(void *pool, const void *bytes, size_t size)
{
    return wmem_memdup(pool, bytes, size);
}

bool export_objects_are_wanted(void)
{
    return have_tap_listener(tap);
}

void export_objects_queue(const struct dissector *dissector, packet_info *pinfo,
                          const void *conversation)
{
    const GArray *transfers = dissector->decoder.found.transfers;
    struct packet_transfers *packet;

    if (!transfers->len || !conversation || !export_objects_are_wanted())
        return;
    packet = wmem_new(pinfo->pool, struct packet_transfers);
    packet->first = !p_get_proto_data(pinfo->pool, pinfo, proto, 0);
    if (packet->first)
        p_add_proto_data(pinfo->pool, pinfo, proto, 0, packet);
    packet->conversation = conversation;
    packet->connection = dissector->decoder.session->connection;
    packet->count = transfers->len;
    packet->transfers = wmem_alloc_array(pinfo->pool, struct qs_transfer, transfers->len);
    for (unsigned i = 0; i < packet->count; i++)
        packet->transfers[i] = qs_transfer_copy(&g_array_index(transfers, struct qs_transfer, i),
                                                copy_to_pool, pinfo->pool);
    tap_queue_packet(tap, pinfo, packet);
}

/* --- Files --- */

/* A conversation that transfers files. */
struct object_receiver {
    struct qs_transfers *transfers;
    uint32_t connection;
    export_object_entry_t *entry; /* entry of the current file, owned by the list; or NULL */
    uint64_t room;                /* allocated size of the entry's data (bytes) */
    export_object_list_t *list;   /* list of the current packet */
    const packet_info *pinfo;     /* current packet */
};

static struct qs_transfer_quota quota = {.max = ROOM_MAX};
static GHashTable *receivers; /* conversation -> struct object_receiver */
static uint32_t last_frame;   /* frame of the last packet */

static char *readable_name(const struct qs_transferred *file)
{
    return file->name ? qs_text_utf8(qs_view_of(file->name)) : g_strdup("unnamed");
}

static export_object_entry_t *add_entry(const struct object_receiver *receiver,
                                        const struct qs_transferred *file)
{
    export_object_entry_t *entry = g_new0(export_object_entry_t, 1);
    char *name = readable_name(file);

    entry->pkt_num = receiver->pinfo->num;
    entry->hostname = address_to_str(NULL, &receiver->pinfo->src);
    entry->content_type = g_strdup(any_type);
    entry->filename = g_strconcat(name, ".partial", NULL);
    g_free(name);
    receiver->list->add_entry(receiver->list->gui_data, entry);
    return entry;
}

/* Copies new bytes to the list's entry, whose memory doubles when full. */
static void grow_entry(struct object_receiver *receiver, const GByteArray *content)
{
    export_object_entry_t *entry = receiver->entry;
    const size_t have = (size_t)entry->payload_len;

    if (content->len <= have)
        return;
    if (content->len > receiver->room) {
        receiver->room = MAX((uint64_t)content->len, receiver->room * 2);
        entry->payload_data = g_realloc(entry->payload_data, (gsize)receiver->room);
    }
    memcpy(entry->payload_data + have, content->data + have, content->len - have);
    entry->payload_len = content->len;
}

/* Returns a file's type. Wireshark can preview some types. */
static const char *type_of(const char *name)
{
    static const char *const types[][2] = {
        {".txt", "text/plain"},      {".cfg", "text/plain"},      {".loc", "text/plain"},
        {".png", "image/png"},       {".jpg", "image/jpeg"},      {".tga", "image/x-tga"},
        {".pcx", "image/x-pcx"},     {".wav", "audio/x-wav"},     {".ogg", "audio/ogg"},
        {".zip", "application/zip"}, {".pk3", "application/zip"}, {".pkz", "application/zip"}};
    char *lower = g_ascii_strdown(name, -1);
    const char *type = any_type;

    for (unsigned i = 0; i < G_N_ELEMENTS(types); i++)
        if (g_str_has_suffix(lower, types[i][0]))
            type = types[i][1];
    g_free(lower);
    return type;
}

/*
 * Sets the type of a complete file. Wireshark previews texts and pictures, and first saves them
 * under this name in the folder for temporary files, so the name must not be a path. Other names
 * stay as they are: Wireshark makes them safe when it saves the file.
 */
static void set_type(export_object_entry_t *entry)
{
    const char *type = type_of(entry->filename);

    if (g_str_has_prefix(type, "text/") || g_str_has_prefix(type, "image/")) {
        GString *name = eo_massage_str(entry->filename, EXPORT_OBJECT_MAXFILELEN, 0);

        g_free(entry->filename);
        entry->filename = g_string_free(name, FALSE);
    }
    entry->content_type = g_strdup(type);
}

static void finish_entry(struct object_receiver *receiver, const struct qs_transferred *file)
{
    export_object_entry_t *entry = receiver->entry;

    if (file->complete) {
        g_free(entry->content_type);
        g_free(entry->filename);
        entry->filename = readable_name(file);
        set_type(entry);
    }
    /* The list keeps the data permanently. */
    quota.max -= MIN(quota.max, entry->payload_len);
    receiver->entry = NULL;
    receiver->room = 0;
}

static void file_changed(const struct qs_transferred *file, bool over, void *user)
{
    struct object_receiver *receiver = user;

    /* Without a list nothing is shown: the receiver is being freed. */
    if (!receiver->list || file->refused)
        return;
    if (!receiver->entry)
        receiver->entry = add_entry(receiver, file);
    grow_entry(receiver, file->content);
    if (over)
        finish_entry(receiver, file);
}

/* --- Conversations --- */

static void receiver_free(void *data)
{
    struct object_receiver *receiver = data;

    receiver->list = NULL;
    g_clear_pointer(&receiver->transfers, qs_transfers_free);
    g_free(receiver);
}

static struct object_receiver *receiver_for(const struct packet_transfers *packet)
{
    struct object_receiver *receiver = g_hash_table_lookup(receivers, packet->conversation);

    if (!receiver)
        g_hash_table_insert(receivers, (void *)packet->conversation,
                            receiver = g_new0(struct object_receiver, 1));
    return receiver;
}

/* Starts the transfers of a connection; ends the file that the last one had begun. */
static void enter_connection(struct object_receiver *receiver, uint32_t connection)
{
    if (receiver->transfers && receiver->connection == connection)
        return;
    g_clear_pointer(&receiver->transfers, qs_transfers_free);
    receiver->connection = connection;
    receiver->transfers =
        qs_transfers_new(&quota, (struct qs_transfer_listener){file_changed, receiver});
}

/* Drops all state, because the list is empty and gets all packets again. */
void export_objects_end(void)
{
    g_hash_table_remove_all(receivers);
    quota.max = ROOM_MAX;
    last_frame = 0;
}

static tap_packet_status tap_packet(void *list, packet_info *pinfo, epan_dissect_t *edt,
                                    const void *data, tap_flags_t flags)
{
    const struct packet_transfers *packet = data;
    struct object_receiver *receiver;

    (void)edt, (void)flags;
    /* A frame that is not later: all packets are tapped again, for another list. */
    if (packet->first && pinfo->num <= last_frame)
        export_objects_end();
    last_frame = pinfo->num;
    receiver = receiver_for(packet);
    receiver->list = list;
    receiver->pinfo = pinfo;
    enter_connection(receiver, packet->connection);
    for (unsigned i = 0; i < packet->count; i++)
        qs_transfers_add(receiver->transfers, &packet->transfers[i]);
    receiver->pinfo = NULL;
    return TAP_PACKET_REDRAW;
}

void export_objects_register(void)
{
    proto = proto_register_protocol("Quake downloads", "Quake downloads", "quake_downloads");
    proto_set_cant_toggle(proto); /* not a real protocol, but export objects need one */
    receivers = g_hash_table_new_full(NULL, NULL, NULL, receiver_free);
    tap = register_export_object(proto, tap_packet, export_objects_end);
}
