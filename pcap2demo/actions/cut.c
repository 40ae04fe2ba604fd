/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/actions/cut.h"

#include <string.h>

#include "common/core/packet.h"
#include "common/demo/format.h"
#include "pcap2demo/actions/cut_frames.h"
#include "pcap2demo/actions/cut_options.h"
#include "pcap2demo/inputs.h"
#include "pcap2demo/capture/file_type.h"
#include "pcap2demo/capture/frame.h"
#include "pcap2demo/capture/link.h"
#include "pcap2demo/capture/source.h"
#include "pcap2demo/output/message.h"
#include "pcap2demo/signals.h"

enum {
    BEFORE_MAX = 4096,  /* packets that are remembered of a handshake, and of a sign-on */
    CLIENTS_MAX = 65536 /* clients without a session that packets are remembered of */
};

/* A packet, by its number in a file. */
struct mark {
    struct cut_frames *file;
    uint64_t number;
};

/* A session, and what of it comes before its game. */
struct followed {
    GArray *handshake, *sign_on;          /* struct mark; the second: of the level */
    struct qs_sign_on *told;              /* of the level */
    const struct qs_late_join *late_join; /* NULL: its sign-ons have no end that is known */
    uint32_t level;
    bool asked; /* for any packet */
};

struct cut {
    const struct options *options;
    GPtrArray *files;     /* struct cut_frames */
    GHashTable *sessions; /* number -> struct followed */
    GHashTable *outside;  /* struct qs_address, a client -> GArray of struct mark */
    int64_t start;        /* time of the first packet */
    bool standard_input;  /* is one of the inputs */
    unsigned asked;
};

static void keep_all(GArray *marks)
{
    for (guint i = 0; i < marks->len; i++) {
        const struct mark *mark = &g_array_index(marks, struct mark, i);

        cut_frames_keep(mark->file, mark->number);
    }
    g_array_set_size(marks, 0);
}

/* --- The first reading ----------------------------------------------------------------------- */

static void followed_free(gpointer data)
{
    struct followed *followed = data;

    g_array_free(followed->handshake, TRUE);
    g_array_free(followed->sign_on, TRUE);
    qs_sign_on_free(followed->told);
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
    followed->handshake = g_array_new(FALSE, FALSE, sizeof(struct mark));
    followed->sign_on = g_array_new(FALSE, FALSE, sizeof(struct mark));
    followed->told = qs_sign_on_new();
    g_hash_table_insert(cut->sessions, key, followed);
    return followed;
}

/* --- What is said outside of sessions, such as challenges --- */

static guint client_hash(gconstpointer client)
{
    return qs_address_hash(client);
}

static gboolean client_equal(gconstpointer a, gconstpointer b)
{
    return qs_address_equal(a, b);
}

static void marks_free(gpointer data)
{
    g_array_free(data, TRUE);
}

/* Servers of Quake go on from another port: the client's address tells whose they are. */
static const struct qs_address *client_of(const struct qs_decoded_packet *decoded)
{
    return decoded->decoder->direction == QS_S2C ? &decoded->packet->destination
                                                 : &decoded->packet->source;
}

static void remember_outside(struct cut *cut, const struct qs_decoded_packet *decoded,
                             struct mark mark)
{
    const struct qs_address *client = client_of(decoded);
    GArray *marks = g_hash_table_lookup(cut->outside, client);

    if (!marks) {
        if (g_hash_table_size(cut->outside) == CLIENTS_MAX)
            g_hash_table_remove_all(cut->outside); /* a flood of requests */
        marks = g_array_new(FALSE, FALSE, sizeof(struct mark));
        g_hash_table_insert(cut->outside, g_memdup2(client, sizeof *client), marks);
    }
    if (marks->len < BEFORE_MAX)
        g_array_append_val(marks, mark);
}

/* It belongs to the session that follows. */
static void take_outside(struct cut *cut, struct followed *followed,
                         const struct qs_decoded_packet *decoded)
{
    const struct qs_address *client = client_of(decoded);
    const GArray *marks = g_hash_table_lookup(cut->outside, client);

    if (!marks)
        return;
    g_array_append_vals(followed->handshake, marks->data, marks->len);
    g_hash_table_remove(cut->outside, client);
}

/* --- Sessions --- */

static void begin_level(struct followed *followed, uint32_t level)
{
    followed->level = level;
    g_array_set_size(followed->sign_on, 0);
    qs_sign_on_clear(followed->told);
}

/* Remembers the packet as one that comes before the game, if it does. */
static void remember(struct followed *followed, struct mark mark, const struct qs_decoder *decoder)
{
    GArray *marks = decoder->session->level ? followed->sign_on : followed->handshake;

    if (decoder->session->level != followed->level)
        begin_level(followed, decoder->session->level);
    if (!followed->late_join || followed->told->complete || marks->len == BEFORE_MAX)
        return;
    g_array_append_val(marks, mark);
    if (decoder->accepted && !followed->told->broken)
        followed->late_join->add_packet(followed->told, decoder);
}

/* What comes before it is kept with the first packet, and need not be remembered any more. */
static void take_wanted(struct cut *cut, struct followed *followed, struct mark mark,
                        const struct qs_decoded_packet *decoded)
{
    cut->asked += !followed->asked;
    followed->asked = true;
    cut_frames_keep(mark.file, mark.number);
    cut_frames_stretch(mark.file, decoded->session->number, decoded->packet,
                       decoded->packet->unit && !cut_options_have_ranges(&cut_options));
    if (cut_options.no_sign_on)
        return;
    keep_all(followed->handshake);
    keep_all(followed->sign_on);
}

static struct cut_frames *find_file(const struct cut *cut, const char *name)
{
    for (guint i = cut->files->len; i--;) {
        struct cut_frames *file = g_ptr_array_index(cut->files, i);

        if (strcmp(file->name, name) == 0)
            return file;
    }
    return NULL;
}

void cut_packet(struct cut *cut, const struct qs_decoded_packet *decoded)
{
    const struct qs_packet *packet = decoded->packet;
    const struct mark mark = {find_file(cut, decoded->location.file), packet->number};
    struct followed *followed;

    if (!mark.file)
        return;
    if (!decoded->session) {
        remember_outside(cut, decoded, mark);
        return;
    }
    followed = follow(cut, decoded);
    if (!followed->level)
        take_outside(cut, followed, decoded);
    if (!decoded->session->chosen)
        return;
    remember(followed, mark, decoded->decoder);
    if (cut_options_want(&cut_options, packet->number, packet->time, cut->start))
        take_wanted(cut, followed, mark, decoded);
}

void cut_session_over(struct cut *cut, unsigned session)
{
    g_hash_table_remove(cut->sessions, GUINT_TO_POINTER(session));
}

void cut_begin_file(struct cut *cut, const char *name)
{
    g_ptr_array_add(cut->files, cut_frames_new(name));
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

typedef void take_frame(struct cut *cut, struct cut_frames *file, const struct input_frame *frame,
                        void *user);

/* A file that could be read once, up to where it is damaged, which was reported then. */
static void each_frame(struct cut *cut, struct cut_frames *file, struct input *input,
                       take_frame *take, void *user)
{
    struct input_frame frame;

    while (!signals_interrupted() && input_next(input, &frame) == INPUT_FRAME)
        take(cut, file, &frame, user);
    input_close(input);
}

static bool read_again(struct cut *cut, struct cut_frames *file, take_frame *take, void *user)
{
    char *error = NULL;
    const char *name =
        cut->standard_input && strcmp(file->name, SOURCE_STANDARD_INPUT) == 0 ? "-" : file->name;
    struct source *source = source_open(name, &error);
    struct input *input =
        source ? input_open_capture(source_stream(source), name, input_options.filter, &error)
               : NULL;

    if (input)
        each_frame(cut, file, input, take, user);
    else
        failure(EXIT_UNUSABLE, (struct qs_location){.file = file->name}, "cannot be read again: %s",
                error);
    if (source)
        source_close(source);
    g_free(error);
    return input != NULL;
}

/* Of what is kept, or is between packets that are, all frames are. */
static void find_frames(struct cut *cut, struct cut_frames *file, const struct input_frame *frame,
                        void *user)
{
    struct ip *ip = user;
    struct qs_packet packet;
    const enum ip_found found = frame_read(ip, frame, &packet);
    const GArray *fragments;

    if (found == IP_NOTHING)
        return;
    if (cut_frames_covers(file, &packet) &&
        (found == IP_TCP || cut_options_want(&cut_options, frame->number, frame->time, cut->start)))
        cut_frames_keep(file, frame->number);
    fragments = ip_fragments(ip);
    for (guint i = 0; cut_frames_has(file, frame->number) && i < fragments->len; i++)
        cut_frames_keep(file, g_array_index(fragments, uint64_t, i));
}

struct copy {
    struct pcap_out *out;
    struct cut_counts *counts;
};

static void copy_frame(struct cut *cut, struct cut_frames *file, const struct input_frame *frame,
                       void *user)
{
    const struct copy *copy = user;
    const bool all = !cut->options->sessions.chosen->len;

    copy->counts->frames++;
    if (!cut_frames_has(file, frame->number) &&
        !(all && cut_options_want(&cut_options, frame->number, frame->time, cut->start)))
        return;
    copy->counts->kept++;
    pcap_out_frame(copy->out,
                   &(struct pcap_out_frame){.link_type = link_type_to_file(frame->link_type),
                                            .time = frame->time,
                                            .bytes = {frame->bytes.data, frame->bytes.size},
                                            .wire_size = frame->bytes.wire_size,
                                            .comment = frame->comment});
}

static bool copy_file(struct cut *cut, struct cut_frames *file, struct copy *copy)
{
    struct ip *ip = ip_new();
    const bool good =
        read_again(cut, file, find_frames, ip) && read_again(cut, file, copy_frame, copy);

    ip_free(ip);
    return good;
}

bool cut_copy(struct cut *cut, struct pcap_out *out, struct cut_counts *counts)
{
    struct copy copy = {out, counts};

    *counts = (struct cut_counts){.sessions = cut->asked};
    for (guint i = 0; i < cut->files->len; i++)
        if (!copy_file(cut, g_ptr_array_index(cut->files, i), &copy))
            return false;
    return true;
}

/* --- All ------------------------------------------------------------------------------------- */

/* The time of a capture's first packet; 0: it has none, or is none. */
static int64_t start_of(const char *name)
{
    char *error = NULL;
    struct source *source = source_open(name, &error);
    struct input *input = NULL;
    struct input_frame frame = {0};

    if (source && is_capture_stream(source_stream(source)))
        input = input_open_capture(source_stream(source), name, NULL, &error);
    else if (source)
        source_close_plain(source_stream(source));
    if (input) {
        input_next(input, &frame);
        input_close(input);
    }
    if (source)
        source_close(source);
    g_free(error);
    return frame.time;
}

/* Only times that count from there need it. */
static bool needs_start(const struct cut_options *options)
{
    return options->from.relative || options->to.relative;
}

/* It cannot be read three times as it comes. */
static void keep_standard_input(struct cut *cut)
{
    char *error = NULL;

    for (char *const *file = cut->options->files; file && *file && !cut->standard_input; file++)
        cut->standard_input = source_is_standard_input(*file);
    if (cut->standard_input && !source_keep_standard_input(&error))
        failure(EXIT_UNUSABLE, (struct qs_location){.file = SOURCE_STANDARD_INPUT}, "%s", error);
    g_free(error);
}

struct cut *cut_new(const struct options *options)
{
    struct cut *cut = g_new0(struct cut, 1);

    cut->options = options;
    cut->files = g_ptr_array_new_with_free_func(cut_frames_free);
    cut->sessions = g_hash_table_new_full(NULL, NULL, NULL, followed_free);
    cut->outside = g_hash_table_new_full(client_hash, client_equal, g_free, marks_free);
    keep_standard_input(cut);
    if (needs_start(&cut_options))
        cut->start = start_of(*options->files);
    return cut;
}

void cut_free(struct cut *cut)
{
    g_ptr_array_free(cut->files, TRUE);
    g_hash_table_destroy(cut->sessions);
    g_hash_table_destroy(cut->outside);
    g_free(cut);
}
