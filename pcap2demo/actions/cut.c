/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/actions/cut.h"

#include <string.h>

#include "common/core/packet.h"
#include "common/demo/format.h"
#include "pcap2demo/capture/input.h"
#include "pcap2demo/capture/ip.h"
#include "pcap2demo/capture/link.h"
#include "pcap2demo/capture/source.h"
#include "pcap2demo/inputs.h"
#include "pcap2demo/output/message.h"
#include "pcap2demo/signals.h"

enum {
    BEFORE_MAX = 4096,  /* packets stored of a handshake, and of a sign-on */
    CLIENTS_MAX = 65536 /* clients without a session whose packets are stored */
};

/* The frames of a capture to keep. */
struct kept_frames {
    char *name;                /* of the capture */
    GByteArray *kept;          /* bit n: frame n */
    GHashTable *conversations; /* struct qs_endpoints -> GArray of struct stretch */
};

/* The part of a conversation that belongs to a session. */
struct stretch {
    unsigned session;
    uint64_t first, last; /* numbers of packets */
};

/* A packet: its file and number. */
struct packet_ref {
    struct kept_frames *file;
    uint64_t number;
};

/* A session, and its packets before the game. */
struct followed {
    GArray *handshake, *sign_on;      /* struct packet_ref; the sign-on is the current level's */
    struct qs_sign_on *sign_on_state; /* of the current level */
    const struct qs_late_join *late_join; /* NULL: the end of its sign-ons is unknown */
    uint32_t level;
    bool asked; /* some packet is wanted */
};

struct cut {
    const struct options *options;
    GPtrArray *files;     /* struct kept_frames */
    GHashTable *sessions; /* number -> struct followed */
    GHashTable *outside;  /* client's struct qs_address -> GArray of struct packet_ref */
    unsigned asked;
    bool has_pieces; /* packet comments contain parts of demos */
    struct ip *ip;
    struct pcap_out *out;
    struct cut_counts counts;
};

/* --- Options --------------------------------------------------------------------------------- */

/* The command line options. */
static struct {
    char **packets;
    gboolean no_sign_on;
} given;

static GArray *wanted; /* struct range of packet numbers; empty: all */

const GOptionEntry cut_entries[] = {{"packets", 0, 0, G_OPTION_ARG_STRING_ARRAY, &given.packets,
                                     "Only these packets: 100-200,300 (may be repeated)", "RANGES"},
                                    {"no-sign-on", 0, 0, G_OPTION_ARG_NONE, &given.no_sign_on,
                                     "Leave out what sessions need from before", NULL},
                                    G_OPTION_ENTRY_NULL};

bool cut_options_are_given(void)
{
    return given.packets || given.no_sign_on;
}

bool cut_options_parse(const struct options *options)
{
    if (given.packets && options->files[0] && options->files[1])
        return usage_error("--packets goes with one capture: each counts its own packets");
    g_clear_pointer(&wanted, g_array_unref);
    wanted = g_array_new(FALSE, FALSE, sizeof(struct range));
    for (char **text = given.packets; text && *text; text++)
        if (!ranges_parse(wanted, *text))
            return usage_error("--packets %s: packets are numbers from 1, as 7 or 100-200,300-",
                               *text);
    return true;
}

static bool is_wanted(uint64_t number)
{
    return !wanted->len || ranges_have(wanted, number);
}

/* --- Frames that are kept -------------------------------------------------------------------- */

static void free_array(gpointer data)
{
    g_array_free(data, TRUE);
}

static struct kept_frames *kept_frames_new(const char *name)
{
    struct kept_frames *frames = g_new0(struct kept_frames, 1);

    frames->name = g_strdup(name);
    frames->kept = g_byte_array_new();
    frames->conversations =
        g_hash_table_new_full(qs_endpoints_hash, qs_endpoints_equal, g_free, free_array);
    return frames;
}

static void kept_frames_free(gpointer data)
{
    struct kept_frames *frames = data;

    g_free(frames->name);
    g_byte_array_free(frames->kept, TRUE);
    g_hash_table_destroy(frames->conversations);
    g_free(frames);
}

static void keep(struct kept_frames *frames, uint64_t number)
{
    const guint byte = (guint)(number / 8), length = frames->kept->len;

    if (byte >= length) {
        g_byte_array_set_size(frames->kept, byte + 1);
        memset(frames->kept->data + length, 0, byte + 1 - length);
    }
    frames->kept->data[byte] |= (uint8_t)(1u << (number % 8));
}

static bool is_kept(const struct kept_frames *frames, uint64_t number)
{
    const guint byte = (guint)(number / 8);

    return byte < frames->kept->len && frames->kept->data[byte] >> (number % 8) & 1;
}

static GArray *stretches_of(struct kept_frames *frames, const struct qs_packet *packet)
{
    const struct qs_endpoints ends = {{packet->source, packet->destination}};
    GArray *stretches = g_hash_table_lookup(frames->conversations, &ends);

    if (!stretches) {
        stretches = g_array_new(FALSE, FALSE, sizeof(struct stretch));
        g_hash_table_insert(frames->conversations, g_memdup2(&ends, sizeof ends), stretches);
    }
    return stretches;
}

/*
 * Adds a wanted packet of the session, with all packets of its conversation since the last wanted
 * one. A stream can only be decoded from its beginning; `to_end`: keeps it to its end.
 */
static void add_to_stretch(struct kept_frames *frames, unsigned session,
                           const struct qs_packet *packet, bool to_end)
{
    GArray *stretches = stretches_of(frames, packet);
    const struct stretch new = {session, packet->unit ? 0 : packet->number,
                                to_end ? UINT64_MAX : packet->number};

    for (guint i = 0; i < stretches->len; i++) {
        struct stretch *old = &g_array_index(stretches, struct stretch, i);

        if (old->session == session) {
            old->first = MIN(old->first, new.first);
            old->last = MAX(old->last, new.last);
            return;
        }
    }
    g_array_append_val(stretches, new);
}

/* Whether a stretch covers the packet, by its number and addresses. */
static bool is_covered(const struct kept_frames *frames, const struct qs_packet *packet)
{
    const struct qs_endpoints ends = {{packet->source, packet->destination}};
    const GArray *stretches = g_hash_table_lookup(frames->conversations, &ends);

    for (guint i = 0; stretches && i < stretches->len; i++) {
        const struct stretch *stretch = &g_array_index(stretches, struct stretch, i);

        if (packet->number >= stretch->first && packet->number <= stretch->last)
            return true;
    }
    return false;
}

static void keep_all(GArray *packets)
{
    for (guint i = 0; i < packets->len; i++) {
        const struct packet_ref *ref = &g_array_index(packets, struct packet_ref, i);

        keep(ref->file, ref->number);
    }
    g_array_set_size(packets, 0);
}

/* --- The first reading ----------------------------------------------------------------------- */

static void followed_free(gpointer data)
{
    struct followed *followed = data;

    g_array_free(followed->handshake, TRUE);
    g_array_free(followed->sign_on, TRUE);
    qs_sign_on_free(followed->sign_on_state);
    g_free(followed);
}

static struct followed *follow(struct cut *cut, const struct qs_decoded_packet *decoded)
{
    const gpointer key = GUINT_TO_POINTER(decoded->session->number);
    struct followed *followed = g_hash_table_lookup(cut->sessions, key);
    const struct qs_demo_format *format;

    if (followed)
        return followed;
    format = qs_demo_format_of(decoded->session->protocol, decoded->packet->unit != 0, NULL);
    followed = g_new0(struct followed, 1);
    followed->late_join = format ? format->late_join : NULL;
    followed->handshake = g_array_new(FALSE, FALSE, sizeof(struct packet_ref));
    followed->sign_on = g_array_new(FALSE, FALSE, sizeof(struct packet_ref));
    followed->sign_on_state = qs_sign_on_new();
    g_hash_table_insert(cut->sessions, key, followed);
    return followed;
}

/* --- Packets outside of sessions, such as challenges --- */

static guint client_hash(gconstpointer client)
{
    return qs_address_hash(client);
}

static gboolean client_equal(gconstpointer a, gconstpointer b)
{
    return qs_address_equal(a, b);
}

/* Quake servers continue on another port: the client's address identifies the conversation. */
static const struct qs_address *client_of(const struct qs_decoded_packet *decoded)
{
    return decoded->decoder->direction == QS_S2C ? &decoded->packet->destination
                                                 : &decoded->packet->source;
}

static void remember_outside(struct cut *cut, const struct qs_decoded_packet *decoded,
                             struct packet_ref ref)
{
    const struct qs_address *client = client_of(decoded);
    GArray *packets = g_hash_table_lookup(cut->outside, client);

    if (!packets) {
        if (g_hash_table_size(cut->outside) == CLIENTS_MAX)
            g_hash_table_remove_all(cut->outside); /* a flood of requests */
        packets = g_array_new(FALSE, FALSE, sizeof(struct packet_ref));
        g_hash_table_insert(cut->outside, g_memdup2(client, sizeof *client), packets);
    }
    if (packets->len < BEFORE_MAX)
        g_array_append_val(packets, ref);
}

/* Moves the client's packets outside of sessions to the session that follows. */
static void move_outside(struct cut *cut, struct followed *followed,
                         const struct qs_decoded_packet *decoded)
{
    const struct qs_address *client = client_of(decoded);
    const GArray *packets = g_hash_table_lookup(cut->outside, client);

    if (!packets)
        return;
    g_array_append_vals(followed->handshake, packets->data, packets->len);
    g_hash_table_remove(cut->outside, client);
}

/* --- Sessions --- */

static void begin_level(struct followed *followed, uint32_t level)
{
    followed->level = level;
    g_array_set_size(followed->sign_on, 0);
    qs_sign_on_clear(followed->sign_on_state);
}

/* Stores the packet if it comes before the game. */
static void remember(struct followed *followed, struct packet_ref ref,
                     const struct qs_decoder *decoder)
{
    GArray *packets = decoder->session->level ? followed->sign_on : followed->handshake;

    if (decoder->session->level != followed->level)
        begin_level(followed, decoder->session->level);
    if (!followed->late_join || followed->sign_on_state->complete || packets->len == BEFORE_MAX)
        return;
    g_array_append_val(packets, ref);
    if (decoder->accepted && !followed->sign_on_state->broken)
        followed->late_join->add_packet(followed->sign_on_state, decoder);
}

/* Keeps the packet, and with the first one those stored before it. */
static void keep_wanted(struct cut *cut, struct followed *followed, struct packet_ref ref,
                        const struct qs_decoded_packet *decoded)
{
    cut->asked += !followed->asked;
    followed->asked = true;
    keep(ref.file, ref.number);
    add_to_stretch(ref.file, decoded->session->number, decoded->packet,
                   decoded->packet->unit && !wanted->len);
    if (given.no_sign_on)
        return;
    keep_all(followed->handshake);
    keep_all(followed->sign_on);
}

static struct kept_frames *find_file(const struct cut *cut, const char *name)
{
    for (guint i = cut->files->len; i--;) {
        struct kept_frames *file = g_ptr_array_index(cut->files, i);

        if (strcmp(file->name, name) == 0)
            return file;
    }
    return NULL;
}

void cut_packet(struct cut *cut, const struct qs_decoded_packet *decoded)
{
    const struct qs_packet *packet = decoded->packet;
    const struct packet_ref ref = {find_file(cut, decoded->location.file), packet->number};
    struct followed *followed;

    if (!ref.file)
        return;
    if (!decoded->session) {
        remember_outside(cut, decoded, ref);
        return;
    }
    followed = follow(cut, decoded);
    if (!followed->level)
        move_outside(cut, followed, decoded);
    if (!decoded->session->chosen)
        return;
    remember(followed, ref, decoded->decoder);
    if (is_wanted(packet->number))
        keep_wanted(cut, followed, ref, decoded);
}

void cut_session_over(struct cut *cut, unsigned session)
{
    g_hash_table_remove(cut->sessions, GUINT_TO_POINTER(session));
}

void cut_begin_file(struct cut *cut, const char *name)
{
    g_ptr_array_add(cut->files, kept_frames_new(name));
}

void cut_leave_file(struct cut *cut)
{
    if (cut->files->len)
        g_ptr_array_set_size(cut->files, (gint)cut->files->len - 1);
}

bool cut_has_files(const struct cut *cut)
{
    return cut->files->len != 0;
}

/* --- Reading again --------------------------------------------------------------------------- */

typedef void frame_visitor(struct cut *cut, struct kept_frames *file,
                           const struct input_frame *frame);

/* Keeps all frames of the packets that are kept or within a stretch. */
static void find_frames(struct cut *cut, struct kept_frames *file, const struct input_frame *frame)
{
    struct qs_packet packet;
    const enum ip_found found = ip_read_frame(cut->ip, frame, &packet);
    const GArray *fragments;

    if (found == IP_NOTHING)
        return;
    if (is_covered(file, &packet) && (found == IP_TCP || is_wanted(frame->number)))
        keep(file, frame->number);
    fragments = ip_fragments(cut->ip);
    for (guint i = 0; is_kept(file, frame->number) && i < fragments->len; i++)
        keep(file, g_array_index(fragments, uint64_t, i));
}

static void copy_frame(struct cut *cut, struct kept_frames *file, const struct input_frame *frame)
{
    const bool all = !cut->options->sessions.chosen->len;

    cut->counts.frames++;
    if (!is_kept(file, frame->number) && !(all && is_wanted(frame->number)))
        return;
    cut->counts.kept++;
    pcap_out_frame(cut->out,
                   &(struct pcap_out_frame){.link_type = link_type_to_file(frame->link_type),
                                            .time = frame->time,
                                            .bytes = {frame->bytes.data, frame->bytes.size},
                                            .wire_size = frame->bytes.wire_size,
                                            .comment = frame->comment});
}

/* Reads up to damage, which the first pass reported. */
static bool read_capture(struct cut *cut, struct source *source, frame_visitor *visit)
{
    struct kept_frames *file = find_file(cut, source_title(source));
    char *error = NULL;
    struct input *input =
        file && source_is_capture(source_stream(source))
            ? input_open_capture(source_stream(source), file->name, input_options.filter, &error)
            : NULL;
    struct input_frame frame;

    if (!file)
        source_close_plain(source_stream(source));
    while (input && !signals_interrupted() && input_next(input, &frame) == INPUT_FRAME) {
        cut->has_pieces |= frame.comment.size && input_is_of_demos(input);
        visit(cut, file, &frame);
    }
    if (input)
        input_close(input);
    else if (file)
        failure(EXIT_UNUSABLE, (struct qs_location){.file = file->name}, "cannot be read again: %s",
                error ? error : "it is another file now");
    g_free(error);
    return input || !file;
}

/* False if a file cannot be read again; that was reported. */
static bool read_file(struct cut *cut, const char *name, frame_visitor *visit)
{
    char *error = NULL;
    struct source *source = source_open(name, &error);
    bool good = source != NULL;

    if (!source)
        failure(EXIT_UNUSABLE, (struct qs_location){.file = source_title_of(name)},
                "cannot be read again: %s", error);
    while (good && source_next(source, true))
        good = read_capture(cut, source, visit);
    if (source)
        source_close(source);
    g_free(error);
    return good;
}

static bool read_again(struct cut *cut, frame_visitor *visit)
{
    bool good = true;

    cut->ip = ip_new();
    for (char *const *file = cut->options->files; *file && good; file++)
        good = read_file(cut, *file, visit);
    ip_free(cut->ip);
    return good;
}

bool cut_find_frames(struct cut *cut, bool *have_pieces)
{
    const bool good = read_again(cut, find_frames);

    *have_pieces = cut->has_pieces;
    return good;
}

bool cut_copy(struct cut *cut, struct pcap_out *out, struct cut_counts *counts)
{
    bool good;

    cut->out = out;
    cut->counts = (struct cut_counts){.sessions = cut->asked};
    good = read_again(cut, copy_frame);
    *counts = cut->counts;
    return good;
}

/* --- All ------------------------------------------------------------------------------------- */

/* The three passes need a copy of standard input. */
static void keep_standard_input(const struct cut *cut)
{
    char *error = NULL;
    bool any = false;

    for (char *const *file = cut->options->files; file && *file && !any; file++)
        any = source_is_standard_input(*file);
    if (any && !source_keep_standard_input(&error))
        failure(EXIT_UNUSABLE, (struct qs_location){.file = SOURCE_STANDARD_INPUT}, "%s", error);
    g_free(error);
}

struct cut *cut_new(const struct options *options)
{
    struct cut *cut = g_new0(struct cut, 1);

    cut->options = options;
    cut->files = g_ptr_array_new_with_free_func(kept_frames_free);
    cut->sessions = g_hash_table_new_full(NULL, NULL, NULL, followed_free);
    cut->outside = g_hash_table_new_full(client_hash, client_equal, g_free, free_array);
    keep_standard_input(cut);
    return cut;
}

void cut_free(struct cut *cut)
{
    g_ptr_array_free(cut->files, TRUE);
    g_hash_table_destroy(cut->sessions);
    g_hash_table_destroy(cut->outside);
    g_free(cut);
}
