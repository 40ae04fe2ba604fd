/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/fuzz/epan_frames.h"

#include <epan/epan.h>
#include <epan/epan_dissect.h>
#include <epan/frame_data.h>
#include <epan/timestamp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <wiretap/wtap.h>
#include <wsutil/filesystem.h>
#include <wsutil/privileges.h>
#include <wsutil/wslog.h>

#include "common/protocols.h"

enum { INTERVAL = 50000000, SECOND = 1000000000 };

struct epan_frames {
    const GPtrArray *frames; /* struct fuzz_frame */
    frame_data *data;        /* of each frame */
    epan_t *epan;
};

/* --- Start --- */

void plugin_register(void);

static void set_environment(void)
{
    static const char *const variables[][2] = {
        {"WIRESHARK_ABORT_ON_DISSECTOR_BUG", "1"},   /* what it would catch, and show in the tree */
        {"WIRESHARK_DEBUG_WMEM_OVERRIDE", "simple"}, /* each block of memory by itself: ASan sees */
        {"WIRESHARK_LOG_FATAL", "critical"},
        {"G_SLICE", "always-malloc"},
        /* Lists of names of addresses and ports, which each capture would read anew. */
        {"WIRESHARK_DATA_DIR", "/nonexistent"},
        {"HOME", "/nonexistent"},
        {"XDG_CONFIG_HOME", "/nonexistent"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(variables); i++)
        g_setenv(variables[i][0], variables[i][1], TRUE);
}

/*
 * Wireshark does not let variables of the environment say to root where its files are. For a moment
 * this is nobody, then.
 */
static void start_paths(void)
{
    enum { NOBODY = 65534 };
    const bool root = geteuid() == 0;

    if (root && (setresgid(NOBODY, NOBODY, 0) != 0 || setresuid(NOBODY, NOBODY, 0) != 0))
        perror("setresuid");
    init_process_policies();
#if WS_AT_LEAST(4, 6)
    g_free(configuration_init("fuzz_plugin"));
#else
    g_free(configuration_init("fuzz_plugin", NULL));
#endif
    if (root && (setresuid(0, 0, 0) != 0 || setresgid(0, 0, 0) != 0))
        perror("setresuid");
}

static void start_log(void)
{
#if WS_AT_LEAST(4, 6)
    ws_log_init(NULL);
#else
    ws_log_init("fuzz_plugin", NULL);
#endif
}

/* LeakSanitizer's, where it is in the program. */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

void epan_look_for_leaks(bool on)
{
    if (on && __lsan_enable)
        __lsan_enable();
    else if (!on && __lsan_disable)
        __lsan_disable();
}

static void enable(int id, bool on)
{
    if (!proto_is_pino(find_protocol_by_id(id)) && proto_can_toggle_protocol(id))
        proto_set_decoding(id, on);
}

/* Wireshark's other dissectors try all packets, too, and have faults of their own. */
static void enable_only_ours(void)
{
    static const char *const below[] = {"frame", "ip", "udp", "tcp"};
    void *cookie;

    for (int id = proto_get_first_protocol(&cookie); id != -1;
         id = proto_get_next_protocol(&cookie))
        enable(id, false);
    for (size_t i = 0; i < G_N_ELEMENTS(below); i++)
        enable(proto_get_id_by_filter_name(below[i]), true);
    for (unsigned i = 0; qs_protocols[i]; i++)
        enable(proto_get_id_by_filter_name(qs_protocols[i]->name), true);
}

void epan_frames_start(void)
{
    epan_look_for_leaks(false);
    set_environment();
    start_log();
    start_paths();
    g_log_set_always_fatal(G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL);
    timestamp_set_type(TS_RELATIVE);
    timestamp_set_precision(TS_PREC_AUTO);
    wtap_init(FALSE);
    plugin_register();
    if (!epan_init(NULL, NULL, FALSE)) {
        fprintf(stderr, "libwireshark cannot be started\n");
        exit(1);
    }
    epan_load_settings(); /* defaults; some parts start only then */
    prefs_apply_all();
    enable_only_ours();
    epan_look_for_leaks(true);
}

/* --- A capture --- */

static const nstime_t *time_of(struct packet_provider_data *provider, guint32 number)
{
    const struct epan_frames *capture = (const struct epan_frames *)provider;

    return number && number <= capture->frames->len ? &capture->data[number - 1].abs_ts : NULL;
}

static const struct fuzz_frame *frame_at(const struct epan_frames *capture, guint index)
{
    return g_ptr_array_index(capture->frames, index);
}

/* What a capture file's record would be. */
static void make_record(const struct epan_frames *capture, guint index, wtap_rec *rec)
{
    const struct fuzz_frame *frame = frame_at(capture, index);
    const int64_t time = ((int64_t)index + 1) * INTERVAL;

#if WS_AT_LEAST(4, 6)
    wtap_rec_init(rec, frame->bytes->len);
    wtap_setup_packet_rec(rec, WTAP_ENCAP_RAW_IP4);
    ws_buffer_append(&rec->data, frame->bytes->data, frame->bytes->len);
#else
    wtap_rec_init(rec);
    rec->rec_type = REC_TYPE_PACKET;
    rec->rec_header.packet_header.pkt_encap = WTAP_ENCAP_RAW_IP4;
#endif
    rec->presence_flags = WTAP_HAS_TS | WTAP_HAS_CAP_LEN;
    rec->ts.secs = (time_t)(time / SECOND);
    rec->ts.nsecs = (int)(time % SECOND);
    rec->tsprec = WTAP_TSPREC_NSEC;
    rec->rec_header.packet_header.caplen = frame->bytes->len;
    rec->rec_header.packet_header.len = frame->wire_size;
}

static void init_frame_data(struct epan_frames *capture, guint index)
{
    wtap_rec rec;

    make_record(capture, index, &rec);
    frame_data_init(&capture->data[index], index + 1, &rec, (gint64)index * UINT16_MAX, 0);
    wtap_rec_cleanup(&rec);
}

struct epan_frames *epan_frames_open(const GPtrArray *frames)
{
    static const struct packet_provider_funcs functions = {.get_frame_ts = time_of};
    struct epan_frames *capture = g_new0(struct epan_frames, 1);

    capture->frames = frames;
    capture->data = g_new0(frame_data, frames->len);
    for (guint i = 0; i < frames->len; i++)
        init_frame_data(capture, i);
    capture->epan = epan_new((struct packet_provider_data *)capture, &functions);
    return capture;
}

void epan_frames_close(struct epan_frames *capture)
{
    for (guint i = 0; i < capture->frames->len; i++)
        frame_data_destroy(&capture->data[i]);
    epan_free(capture->epan);
    g_free(capture->data);
    g_free(capture);
}

/* --- Trees as text --- */

/* Of its text: those lines that stand below one of our protocols. */
struct printing {
    GString *text;
    int depth; /* 0: outside */
};

static bool is_ours(const field_info *info)
{
    if (info->hfinfo->type != FT_PROTOCOL)
        return false;
    for (const struct qs_protocol *const *protocol = qs_protocols; *protocol; protocol++)
        if (strcmp(info->hfinfo->abbrev, (*protocol)->name) == 0)
            return true;
    return false;
}

static void append_label(GString *text, field_info *info)
{
    char label[ITEM_LABEL_LENGTH];

    if (info->rep) {
        g_string_append(text, info->rep->representation);
        return;
    }
#if WS_AT_LEAST(4, 6)
    proto_item_fill_label(info, label, NULL);
#else
    proto_item_fill_label(info, label);
#endif
    g_string_append(text, label);
}

static void append_item(struct printing *printing, field_info *info)
{
    const bool generated = FI_GET_FLAG(info, FI_GENERATED);

    g_string_append_printf(printing->text, "%*s%d+%d %s%s ", printing->depth, "", info->start,
                           info->length, info->hfinfo->abbrev, generated ? " generated" : "");
    append_label(printing->text, info);
    g_string_append_c(printing->text, '\n');
}

/* What the plugin leaves to Wireshark to catch: it shall read no byte that is not there. */
static void check_exception(field_info *info)
{
    char *label;
    GString *text;

    if (!g_str_has_prefix(info->hfinfo->abbrev, "_ws.") ||
        g_str_has_prefix(info->hfinfo->abbrev, "_ws.expert") || /* has texts of the packet */
        strcmp(info->hfinfo->abbrev, "_ws.short") == 0) /* that the capture cut the packet */
        return;
    text = g_string_new(NULL);
    append_label(text, info);
    label = g_string_free(text, FALSE);
    for (unsigned i = 0; qs_protocols[i]; i++) {
        const int proto = proto_get_id_by_filter_name(qs_protocols[i]->name);

        if (strstr(label, proto_get_protocol_short_name(find_protocol_by_id(proto)))) {
            fprintf(stderr, "an exception in the plugin: %s\n", label);
            abort();
        }
    }
    g_free(label);
}

static void print_node(proto_node *node, gpointer data)
{
    struct printing *printing = data;
    field_info *info = PNODE_FINFO(node);
    const bool shown = printing->depth || (info && is_ours(info));

    if (info && !shown)
        check_exception(info);
    if (info && shown) {
        printing->depth++;
        append_item(printing, info);
    }
    proto_tree_children_foreach(node, print_node, printing);
    if (info && shown)
        printing->depth--;
}

static char *text_of(proto_tree *tree)
{
    struct printing printing = {.text = g_string_new(NULL)};

    proto_tree_children_foreach(tree, print_node, &printing);
    return g_string_free(printing.text, FALSE);
}

/* --- Dissecting --- */

static void run(struct epan_frames *capture, guint index, epan_dissect_t *edt, wtap_rec *rec,
                bool taps)
{
    frame_data *data = &capture->data[index];

#if WS_AT_LEAST(4, 6)
    (taps ? epan_dissect_run_with_taps : epan_dissect_run)(edt, WTAP_FILE_TYPE_SUBTYPE_UNKNOWN, rec,
                                                           data, NULL);
#else
    const GByteArray *bytes = frame_at(capture, index)->bytes;
    tvbuff_t *tvb =
        tvb_new_real_data(bytes->data, bytes->len, (gint)frame_at(capture, index)->wire_size);

    (taps ? epan_dissect_run_with_taps : epan_dissect_run)(edt, WTAP_FILE_TYPE_SUBTYPE_UNKNOWN, rec,
                                                           tvb, data, NULL);
#endif
}

char *epan_frames_dissect(struct epan_frames *capture, guint index, unsigned how)
{
    const bool tree = how & EPAN_FRAMES_TREE;
    epan_dissect_t edt;
    wtap_rec rec;
    char *text;

    make_record(capture, index, &rec);
    epan_dissect_init(&edt, capture->epan, tree, tree);
    run(capture, index, &edt, &rec, how & EPAN_FRAMES_TAPS);
    text = tree ? text_of(edt.tree) : NULL;
    epan_dissect_cleanup(&edt);
    wtap_rec_cleanup(&rec);
    return text;
}
