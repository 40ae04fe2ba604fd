/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/actions/cut.h"

#include <string.h>

#include "common/core/packet.h"
#include "common/demo_formats.h"
#include "pcap2demo/capture/input.h"
#include "pcap2demo/capture/ip.h"
#include "pcap2demo/capture/link.h"
#include "pcap2demo/capture/source.h"
#include "pcap2demo/capture/inputs.h"
#include "pcap2demo/output/message.h"
#include "pcap2demo/capture/signals.h"

enum {
    BEFORE_MAX = 4096,  /* packets stored of a handshake, and of a sign-on */
    CLIENTS_MAX = 65536 /* clients without a session whose packets are stored */
};

/* The part of a conversation that belongs to a session. */
struct stretch {
    unsigned session;
    uint64_t first, last; /* frames */
};

/* A session, and its packets before the game. */
struct followed {
    GArray *handshake, *sign_on;          /* uint64_t: frames; the sign-on is the current level's */
    struct qs_sign_on *sign_on_state;     /* of the current level */
    const struct qs_late_join *late_join; /* NULL: the end of its sign-ons is unknown */
    uint32_t level;
    bool asked; /* some packet is wanted */
};

/* Frames are numbered over all captures. */
struct cut {
    const struct options *options;
    uint64_t before;           /* frames of the captures before the current one */
    GByteArray *kept;          /* bit n: frame n */
    GHashTable *conversations; /* struct qs_endpoints -> GArray of struct stretch */
    GHashTable *sessions;      /* number -> struct followed */
    GHashTable *outside;       /* client's struct qs_address -> GArray of uint64_t */
    unsigned asked;
    bool has_pieces; /* packet comments contain parts of demos */
    struct ip *ip;
    struct pcap_out *out;
    struct cut_counts counts;
};

/* --- Options --------------------------------------------------------------------------------- */

/* The command line options. */
static char **given_packets;

static GArray *wanted; /* struct range of packet numbers; empty: all */

const GOptionEntry cut_entries[] = {{"packets", 0, 0, G_OPTION_ARG_STRING_ARRAY, &given_packets,
                                     "Only these packets: 100-200,300 (may be repeated)", "RANGES"},
                                    G_OPTION_ENTRY_NULL};

bool cut_options_are_given(void)
{
    return given_packets;
}

bool cut_options_parse(const struct options *options)
{
    if (given_packets && options->files[0] && options->files[1])
        return usage_error("--packets goes with one capture: each counts its own packets");
    g_clear_pointer(&wanted, g_array_unref);
    wanted = g_array_new(FALSE, FALSE, sizeof(struct range));
    for (char **text = given_packets; text && *text; text++)
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

static void keep(struct cut *cut, uint64_t frame)
{
    const guint byte = (guint)(frame / 8), length = cut->kept->len;

    if (byte >= length) {
        g_byte_array_set_size(cut->kept, byte + 1);
        memset(cut->kept->data + length, 0, byte + 1 - length);
    }
    cut->kept->data[byte] |= (uint8_t)(1u << (frame % 8));
}

static bool is_kept(const struct cut *cut, uint64_t frame)
{
    const guint byte = (guint)(frame / 8);

    return byte < cut->kept->len && cut->kept->data[byte] >> (frame % 8) & 1;
}

static GArray *stretches_of(struct cut *cut, const struct qs_packet *packet)
{
    const struct qs_endpoints ends = {{packet->source, packet->destination}};
    GArray *stretches = g_hash_table_lookup(cut->conversations, &ends);

    if (!stretches) {
        stretches = g_array_new(FALSE, FALSE, sizeof(struct stretch));
        g_hash_table_insert(cut->conversations, g_memdup2(&ends, sizeof ends), stretches);
    }
    return stretches;
}

/*
 * Adds a wanted packet of the session, with all packets of its conversation since the last wanted
 * one. A stream can only be decoded from its beginning; `to_end`: keeps it to its end.
 */
static void add_to_stretch(struct cut *cut, unsigned session, const struct qs_packet *packet,
                           bool to_end)
{
    GArray *stretches = stretches_of(cut, packet);
    const uint64_t frame = cut->before + packet->number;
    const struct stretch new = {session, packet->unit ? 0 : frame, to_end ? UINT64_MAX : frame};

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
static bool is_covered(const struct cut *cut, const struct qs_packet *packet)
{
    const struct qs_endpoints ends = {{packet->source, packet->destination}};
    const GArray *stretches = g_hash_table_lookup(cut->conversations, &ends);
    const uint64_t frame = cut->before + packet->number;

    for (guint i = 0; stretches && i < stretches->len; i++) {
        const struct stretch *stretch = &g_array_index(stretches, struct stretch, i);

        if (frame >= stretch->first && frame <= stretch->last)
            return true;
    }
    return false;
}

static void keep_all(struct cut *cut, GArray *frames)
{
    for (guint i = 0; i < frames->len; i++)
        keep(cut, g_array_index(frames, uint64_t, i));
    g_array_set_size(frames, 0);
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
    followed->handshake = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    followed->sign_on = g_array_new(FALSE, FALSE, sizeof(uint64_t));
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
                             uint64_t frame)
{
    const struct qs_address *client = client_of(decoded);
    GArray *packets = g_hash_table_lookup(cut->outside, client);

    if (!packets) {
        if (g_hash_table_size(cut->outside) == CLIENTS_MAX)
            g_hash_table_remove_all(cut->outside); /* a flood of requests */
        packets = g_array_new(FALSE, FALSE, sizeof(uint64_t));
        g_hash_table_insert(cut->outside, g_memdup2(client, sizeof *client), packets);
    }
    if (packets->len < BEFORE_MAX)
        g_array_append_val(packets, frame);
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
static void remember(struct followed *followed, uint64_t frame, const struct qs_decoder *decoder)
{
    GArray *packets = decoder->session->level ? followed->sign_on : followed->handshake;

    if (decoder->session->level != followed->level)
        begin_level(followed, decoder->session->level);
    if (!followed->late_join || followed->sign_on_state->complete || packets->len == BEFORE_MAX)
        return;
    g_array_append_val(packets, frame);
    if (decoder->accepted && !followed->sign_on_state->broken)
        followed->late_join->add_packet(followed->sign_on_state, decoder);
}

/* Keeps the packet, and with the first one those stored before it. */
static void keep_wanted(struct cut *cut, struct followed *followed,
                        const struct qs_decoded_packet *decoded)
{
    cut->asked += !followed->asked;
    followed->asked = true;
    keep(cut, cut->before + decoded->packet->number);
    add_to_stretch(cut, decoded->session->number, decoded->packet,
                   decoded->packet->unit && !wanted->len);
    keep_all(cut, followed->handshake);
    keep_all(cut, followed->sign_on);
}

void cut_packet(struct cut *cut, const struct qs_decoded_packet *decoded)
{
    const uint64_t frame = cut->before + decoded->packet->number;
    struct followed *followed;

    if (!decoded->session) {
        remember_outside(cut, decoded, frame);
        return;
    }
    followed = follow(cut, decoded);
    if (!followed->level)
        move_outside(cut, followed, decoded);
    if (!decoded->session->chosen)
        return;
    remember(followed, frame, decoded->decoder);
    if (is_wanted(decoded->packet->number))
        keep_wanted(cut, followed, decoded);
}

void cut_session_over(struct cut *cut, unsigned session)
{
    g_hash_table_remove(cut->sessions, GUINT_TO_POINTER(session));
}

void cut_end_file(struct cut *cut, uint64_t frames)
{
    cut->before += frames;
}

/* --- Reading again --------------------------------------------------------------------------- */

typedef void frame_visitor(struct cut *cut, const struct input_frame *frame);

/* Keeps all frames of the packets that are kept or within a stretch. */
static void find_frames(struct cut *cut, const struct input_frame *frame)
{
    const uint64_t number = cut->before + frame->packet.number;
    struct qs_packet packet;
    const enum ip_found found = ip_read_frame(cut->ip, frame, &packet);
    const GArray *fragments;

    if (found == IP_NOTHING)
        return;
    if (is_covered(cut, &packet) && (found == IP_TCP || is_wanted(frame->packet.number)))
        keep(cut, number);
    fragments = ip_fragments(cut->ip);
    for (guint i = 0; is_kept(cut, number) && i < fragments->len; i++)
        keep(cut, cut->before + g_array_index(fragments, uint64_t, i));
}

static void copy_frame(struct cut *cut, const struct input_frame *frame)
{
    const struct qs_packet *packet = &frame->packet;
    const bool all = !cut->options->sessions.chosen->len;

    cut->counts.frames++;
    if (!is_kept(cut, cut->before + packet->number) && !(all && is_wanted(packet->number)))
        return;
    cut->counts.kept++;
    pcap_out_frame(cut->out,
                   &(struct pcap_out_frame){.link_type = link_type_to_file(frame->link_type),
                                            .time = packet->time,
                                            .bytes = {packet->data, packet->size},
                                            .wire_size = packet->wire_size,
                                            .comment = frame->comment});
}

/* Reads up to damage, and leaves out what is no readable capture: the first pass reported both. */
static void read_capture(struct cut *cut, struct source *source, frame_visitor *visit)
{
    FILE *stream = source->stream;
    char *error = NULL;
    struct input *input = NULL;
    struct input_frame frame;

    if (source_is_capture(stream))
        input = input_open_capture(stream, source->title, input_options.filter, &error);
    else
        source_close_plain(stream);
    g_free(error);
    if (!input)
        return;
    while (input_has_known_links(input) && !signals_interrupted() &&
           input_next(input, &frame) == INPUT_FRAME) {
        cut->has_pieces |= frame.comment.size && input_is_of_demos(input);
        visit(cut, &frame);
    }
    cut->before += input->frames;
    input_close(input);
}

/* False if a file cannot be read again; that was reported. */
static bool read_file(struct cut *cut, const char *name, frame_visitor *visit)
{
    char *error = NULL;
    struct source *source = source_open(name, &error);

    if (!source) {
        failure(EXIT_UNUSABLE, (struct qs_location){.file = source_title_of(name)},
                "cannot be read again: %s", error);
        g_free(error);
        return false;
    }
    while (source_next(source, true))
        read_capture(cut, source, visit);
    source_close(source);
    return true;
}

static bool read_again(struct cut *cut, frame_visitor *visit)
{
    bool good = true;

    cut->before = 0;
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

struct cut *cut_new(const struct options *options)
{
    struct cut *cut = g_new0(struct cut, 1);

    cut->options = options;
    cut->kept = g_byte_array_new();
    cut->conversations =
        g_hash_table_new_full(qs_endpoints_hash, qs_endpoints_equal, g_free, free_array);
    cut->sessions = g_hash_table_new_full(NULL, NULL, NULL, followed_free);
    cut->outside = g_hash_table_new_full(client_hash, client_equal, g_free, free_array);
    return cut;
}

void cut_free(struct cut *cut)
{
    g_byte_array_free(cut->kept, TRUE);
    g_hash_table_destroy(cut->conversations);
    g_hash_table_destroy(cut->sessions);
    g_hash_table_destroy(cut->outside);
    g_free(cut);
}
