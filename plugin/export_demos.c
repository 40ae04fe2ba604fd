/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * File > Export Objects > Quake demos: the demos that pcap2demo writes, of all protocols. `tshark
 * --export-objects quake_demos,FOLDER`.
 *
 * A tap receives each datagram and PDU of the dissectors and passes it to common/sessions/, as
 * pcap2demo does, which decodes it again in the order of sending. Demos are listed when their
 * sessions end, the rest after the last packet.
 */
#include "plugin/dissector.h"

#include <epan/export_object.h>
#include <epan/proto_data.h>
#include <epan/tap.h>

#include "common/core/packet.h"
#include "common/core/numeric_text.h"
#include "common/core/text.h"
#include "common/dump/dump.h"
#include "common/sessions/sessions.h"
#include "common/sessions/order.h"
#include "plugin/conversations.h"

/* Maximum size of all demos (bytes). */
#define ROOM_MAX (UINT64_C(1) << 30)

static int proto;
static int tap;
static const char end_tap[] = "quake_demos_end"; /* tap without packets */

/* Number of the last frame with a packet for the tap, as far as the capture has been read. */
static uint32_t last_frame;

/* --- From the dissector to the tap --- */

/* State of one dissection of a frame. This struct and the next are in the packet's pool. */
struct frame_queue {
    unsigned queued;   /* number of the frame's packets in the tap's queue so far */
    unsigned received; /* number of those that tap_packet() received */
    bool has_unclaimed;
    bool visited; /* the frame was dissected before, so `last_frame` is final */
};

/* A packet in the tap's queue; its bytes belong to the dissected packet. */
struct tapped {
    struct frame_queue *frame;
    struct qs_packet packet;
    const void *conversation; /* identifies a PDU's conversation */
};

static struct frame_queue *queue_of(packet_info *pinfo)
{
    struct frame_queue *frame = p_get_proto_data(pinfo->pool, pinfo, proto, 0);

    if (!frame) {
        frame = wmem_new0(pinfo->pool, struct frame_queue);
        frame->visited = PINFO_FD_VISITED(pinfo);
        p_add_proto_data(pinfo->pool, pinfo, proto, 0, frame);
    }
    return frame;
}

void export_demos_queue(const struct dissector *dissector, packet_info *pinfo,
                        const struct qs_packet *packet, const void *conversation)
{
    struct frame_queue *frame;
    struct tapped *tapped;

    if (pinfo->flags.in_error_pkt)
        return;
    if (!PINFO_FD_VISITED(pinfo))
        last_frame = pinfo->num;
    if (!have_tap_listener(tap))
        return;
    frame = queue_of(pinfo);
    if (!dissector && frame->has_unclaimed)
        return; /* queued already: several heuristics may try an unknown packet */
    frame->has_unclaimed |= !dissector;
    frame->queued++;
    tapped = wmem_new0(pinfo->pool, struct tapped);
    tapped->frame = frame;
    tapped->packet = *packet;
    tapped->conversation = conversation;
    tap_queue_packet(tap, pinfo, tapped);
}

/* --- Demos in memory --- */

/* A demo that is being written, or whose session has not ended. */
struct memory_file {
    struct memory_store *store;
    GByteArray *bytes;
};

struct memory_store {
    struct qs_demo_store base;
    struct qs_demo_names *naming;
    GHashTable *files; /* name -> GByteArray, of sessions that have not ended */
    uint64_t room;     /* number of bytes left */
};

static void *begin_file(struct qs_demo_store *base, const struct qs_demo_name_request *request)
{
    struct memory_file *file = g_new0(struct memory_file, 1);

    (void)request;
    file->store = (struct memory_store *)base;
    file->bytes = g_byte_array_new();
    return file;
}

static void write_file(void *data, const void *bytes, size_t size)
{
    struct memory_file *file = data;

    if (!file->bytes)
        return;
    if (size > file->store->room) { /* drops incomplete demos */
        file->store->room += file->bytes->len;
        g_byte_array_free(file->bytes, TRUE);
        file->bytes = NULL;
        return;
    }
    file->store->room -= size;
    g_byte_array_append(file->bytes, bytes, (guint)size);
}

static void commit_file(struct qs_demo_store *base, void *data,
                        const struct qs_demo_name_request *request,
                        struct qs_session_demo_file *result)
{
    struct memory_store *store = (struct memory_store *)base;
    struct memory_file *file = data;

    result->name = qs_demo_names_next(store->naming, request);
    if (file->bytes)
        g_hash_table_insert(store->files, g_strdup(result->name), file->bytes);
    else
        result->error = g_strdup("the demos are too large for the memory that they may take");
    file->bytes = NULL;
}

static void end_file(void *data)
{
    struct memory_file *file = data;

    if (file->bytes) {
        file->store->room += file->bytes->len;
        g_byte_array_free(file->bytes, TRUE);
    }
    g_free(file);
}

/* --- The list --- */

/* The pipeline from packets to one list of objects. */
struct export
{
    struct qs_sessions_handler handler;
    struct qs_sessions_options options;
    struct memory_store store;
    struct qs_sessions *sessions;
    struct qs_reorder *order;
    GHashTable *readers;        /* conversation -> its reader in sessions.c */
    export_object_list_t *list; /* list that shows the demos */
    uint64_t last;              /* number of the last packet */
};

static struct export *current; /* NULL until the first packet */
static bool is_over;           /* all demos are listed; later packets are ignored */
static uint32_t last_received; /* frame of the last packet that tap_packet() received */

/* Returns "127.0.0.1:27500: labplayer, dm4, 1:25". */
static char *description_of(const struct qs_client_session *session,
                            const struct qs_session_demo_file *file)
{
    GString *text = g_string_new(NULL);
    char *duration = qs_duration_text(qs_seconds_of(file->end - file->start));
    char *map = file->map ? qs_text_printable(file->map) : NULL;

    qs_address_append(text, &session->server);
    g_string_append_printf(text, ": %s, %s, %s", session->player ? session->player : "?",
                           map ? map : "?", duration);
    g_free(duration);
    g_free(map);
    return g_string_free(text, FALSE);
}

static void show(const struct export *export, const struct qs_client_session *session,
                 const struct qs_session_demo_file *file)
{
    GByteArray *bytes = file->name ? g_hash_table_lookup(export->store.files, file->name) : NULL;
    export_object_entry_t *entry;

    if (!bytes)
        return;
    entry = g_new0(export_object_entry_t, 1);
    entry->pkt_num = (uint32_t)file->first;
    entry->hostname = description_of(session, file);
    entry->content_type = g_strdup_printf("application/x-%s-demo", session->format->extension);
    entry->filename = g_strdup(file->name);
    entry->payload_len = bytes->len;
    entry->payload_data = g_memdup2(bytes->data, bytes->len);
    g_hash_table_remove(export->store.files, file->name);
    export->list->add_entry(export->list->gui_data, entry);
}

static void session_ends(struct qs_sessions_handler *handler,
                         const struct qs_client_session *session)
{
    const struct export *export = (const struct export *)handler;
    const GPtrArray *files = session->demo ? session->demo->files : NULL;

    for (unsigned i = 0; files && i < files->len; i++)
        show(export, session, g_ptr_array_index(files, i));
}

/* --- The pipeline --- */

static void begin(export_object_list_t *list)
{
    current = g_new0(struct export, 1);
    current->list = list;
    current->handler = (struct qs_sessions_handler){
        .want_rebuild = true, .write_demos = true, .session_end = session_ends};
    current->store = (struct memory_store){
        .base = {.begin = begin_file, .write = write_file, .commit = commit_file, .end = end_file},
        .naming = qs_demo_names_new(NULL),
        .files = g_hash_table_new_full(qs_str_hash, g_str_equal, g_free,
                                       (GDestroyNotify)g_byte_array_unref),
        .room = ROOM_MAX};
    current->options =
        (struct qs_sessions_options){.chosen = g_array_new(FALSE, FALSE, sizeof(struct qs_range)),
                                     .store = &current->store.base,
                                     .sessions_max = QS_SESSIONS_MAX,
                                     .find_protocol = conversation_protocol,
                                     .selection = qs_protocol_selection_new()};
    memcpy(current->options.protocol_options, dissectors_options(),
           sizeof current->options.protocol_options);
    current->readers = g_hash_table_new(NULL, NULL);
    current->order = qs_reorder_new();
    current->sessions = qs_sessions_new(&current->options, &current->handler);
    qs_sessions_set_source(current->sessions, "capture", "");
}

static void pass_sorted(bool all)
{
    struct qs_packet packet;

    while (qs_reorder_next(current->order, all, &packet))
        qs_sessions_datagram(current->sessions, &packet);
}

static void add_datagram(const struct tapped *tapped)
{
    struct qs_packet packet = tapped->packet;

    if (qs_sessions_is_as_captured(current->sessions) || qs_reorder_passes(current->order, &packet))
        qs_sessions_datagram(current->sessions, &packet);
    else
        pass_sorted(false);
}

static void read_pdu(const struct tapped *tapped)
{
    void *reader = g_hash_table_lookup(current->readers, tapped->conversation);
    struct qs_packet bytes = tapped->packet;

    bytes.pdu = 0;
    if (qs_sessions_bytes(current->sessions, &reader, &bytes))
        g_hash_table_insert(current->readers, (void *)tapped->conversation, reader);
}

static void end_reader(void *conversation, void *reader, void *data)
{
    (void)conversation, (void)data;
    qs_sessions_end_bytes(current->sessions, reader, current->last);
}

/* Frees the pipeline. `keep`: lists demos of sessions that have not ended. */
static void end(bool keep)
{
    if (!current)
        return;
    pass_sorted(true);
    if (keep)
        qs_sessions_end_source(current->sessions);
    g_hash_table_foreach(current->readers, end_reader, NULL);
    qs_sessions_free(current->sessions, keep);
    qs_reorder_free(current->order);
    g_hash_table_destroy(current->readers);
    qs_protocol_selection_free(current->options.selection);
    g_array_free(current->options.chosen, TRUE);
    qs_demo_names_free(current->store.naming);
    g_hash_table_destroy(current->store.files);
    g_free(current);
    current = NULL;
}

static void no_more_packets(void *data)
{
    (void)data;
    end(true);
    is_over = true;
}

/* Drops demos that are not listed yet. */
static void abandon(void)
{
    if (current)
        current->handler.session_end = NULL;
    end(false);
    is_over = false;
    last_received = 0;
}

/* Registers a listener for the end of the capture, because tshark without -2 reports it in no other
 * way. tshark writes the objects in a callback that runs after those registered later. */
static void await_end(void)
{
    static bool listening;
    GString *error = listening ? NULL
                               : register_tap_listener(end_tap, &listening, NULL, 0, NULL, NULL,
                                                       no_more_packets, NULL);

    listening = true;
    if (error)
        g_string_free(error, TRUE);
}

static tap_packet_status tap_packet(void *list, packet_info *pinfo, epan_dissect_t *edt,
                                    const void *data, tap_flags_t flags)
{
    const struct tapped *tapped = data;

    (void)edt, (void)flags;
    /* A frame that is not later: all packets are tapped again, for another list. */
    if (!tapped->frame->received && pinfo->num <= last_received)
        abandon();
    last_received = pinfo->num;
    if (is_over)
        return TAP_PACKET_DONT_REDRAW;
    if (!current)
        begin(list);
    if (!tapped->frame->visited)
        await_end();
    tapped->frame->received++;
    current->last = tapped->packet.number;
    if (tapped->packet.pdu)
        read_pdu(tapped);
    else
        add_datagram(tapped);
    if (tapped->frame->visited && pinfo->num >= last_frame &&
        tapped->frame->received == tapped->frame->queued) /* the last frame is complete */
        no_more_packets(NULL);
    return TAP_PACKET_REDRAW;
}

/* Drops the pipeline, whose list may already be freed. */
void export_demos_end(void)
{
    last_frame = 0;
    abandon();
}

void export_demos_register(void)
{
    proto = proto_register_protocol("Quake demos", "Quake demos", "quake_demos");
    proto_set_cant_toggle(proto); /* not a real protocol, but export objects need one */
    tap = register_export_object(proto, tap_packet, abandon);
    register_tap(end_tap);
}
