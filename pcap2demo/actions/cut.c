/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/actions/cut.h"

#include <string.h>

#include "common/core/packet.h"
#include "common/demo_formats.h"
#include "common/sessions/copies.h"
#include "pcap2demo/capture/ip.h"
#include "pcap2demo/capture/link.h"
#include "pcap2demo/capture/inputs.h"
#include "pcap2demo/capture/signals.h"
#include "pcap2demo/output/message.h"

enum {
    /* Maximum number of packets of a handshake; with more, the session began before the capture. */
    BEFORE_MAX = 4096,
    CLIENTS_MAX = 65536, /* maximum number of clients without a session */
    SAME_LEVEL = 8       /* number of the newest ranges that can still grow */
};

/* Range of frames to keep, of one client, in both directions and with any server: Quake servers
 * continue on another port, and challenges belong to no session. */
struct frame_range {
    uint64_t first, last;
};

/* Ranges of a client's ended sessions. sort_ranges() makes them disjoint. */
struct client {
    GArray *whole;  /* struct frame_range: all packets are kept */
    GArray *wanted; /* struct frame_range: only selected packets are kept */
    guint at[2];    /* index of the next range in each array, see has_frame() */
};

struct session_range {
    struct qs_address client;
    bool whole;
    struct frame_range range;
};

/* A session, and the packets before its game that decoding needs. */
struct prologue {
    uint64_t first, last;             /* first and last frame of the handshake */
    uint64_t level_first, level_last; /* first and last frame of the current level's sign-on */
    unsigned before;                  /* number of packets before the first level */
    uint32_t level;
    struct qs_sign_on *sign_on;           /* sign-on of the current level */
    const struct qs_late_join *late_join; /* functions for sign-ons, or NULL */
    GArray *ranges; /* ranges to keep (struct session_range); the newest are of the current level */
    bool selected;  /* a packet of the session is selected */
};

/* A cut. Frame numbers count all captures together: qs_packet.frame. */
struct cut {
    struct input_visitor visitor; /* visitor of the second and third pass */
    const struct options *options;
    GByteArray *kept;     /* bit field of frames to keep: bit n is frame n */
    GHashTable *clients;  /* struct qs_address -> struct client */
    GHashTable *sessions; /* session number -> struct prologue */
    /* struct qs_address of a client -> uint64_t: its first frame since its last session */
    GHashTable *handshake_starts;
    uint64_t identity; /* of the files in the first pass */
    unsigned selected;
    struct ip *ip;
    struct qs_copies *copies; /* datagrams of the second pass; their numbers are frames */
    struct pcapng_writer *out;
    struct cut_counts counts;
};

/* True if --packets selects this packet, or is not given. */
static bool is_wanted(const struct cut *cut, uint64_t number)
{
    const GArray *packets = cut->options->packets;

    return !packets->len || qs_ranges_have(packets, number);
}

/* --- Frames to keep -------------------------------------------------------------------------- */

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

/* Extends the session's range of this kind in the current level, or adds one. */
static void add_range(struct prologue *prologue, const struct qs_address *client, bool whole,
                      struct frame_range new)
{
    GArray *all = prologue->ranges;

    for (guint i = all->len; i-- > 0 && i + SAME_LEVEL >= all->len;) {
        struct session_range *old = &g_array_index(all, struct session_range, i);

        if (old->whole == whole && qs_address_equal(&old->client, client) &&
            (!whole || old->range.first == new.first)) {
            old->range.first = MIN(old->range.first, new.first);
            old->range.last = MAX(old->range.last, new.last);
            return;
        }
    }
    g_array_append_val(all, ((struct session_range){*client, whole, new}));
}

static void client_free(gpointer data)
{
    struct client *client = data;

    g_array_free(client->whole, TRUE);
    g_array_free(client->wanted, TRUE);
    g_free(client);
}

/* Moves the ranges of an ended session to its clients. */
static void move_ranges(struct cut *cut, const struct prologue *prologue)
{
    for (guint i = 0; i < prologue->ranges->len; i++) {
        const struct session_range *own = &g_array_index(prologue->ranges, struct session_range, i);
        struct client *client = g_hash_table_lookup(cut->clients, &own->client);

        if (!client) {
            client = g_new0(struct client, 1);
            client->whole = g_array_new(FALSE, FALSE, sizeof(struct frame_range));
            client->wanted = g_array_new(FALSE, FALSE, sizeof(struct frame_range));
            g_hash_table_insert(cut->clients, g_memdup2(&own->client, sizeof own->client), client);
        }
        g_array_append_val(own->whole ? client->whole : client->wanted, own->range);
    }
}

static gint compare(gconstpointer a, gconstpointer b)
{
    const struct frame_range *one = a, *other = b;

    return (one->first > other->first) - (one->first < other->first);
}

/* Sorts ranges, and joins those that overlap. */
static void sort_ranges(GArray *ranges)
{
    guint count = 0;

    g_array_sort(ranges, compare);
    for (guint i = 0; i < ranges->len; i++) {
        const struct frame_range next = g_array_index(ranges, struct frame_range, i);
        struct frame_range *last =
            &g_array_index(ranges, struct frame_range, count ? count - 1 : 0);

        if (count && next.first <= last->last)
            last->last = MAX(last->last, next.last);
        else
            g_array_index(ranges, struct frame_range, count++) = next;
    }
    g_array_set_size(ranges, count);
}

static void sort_client(gpointer address, gpointer data, gpointer user)
{
    struct client *client = data;

    (void)address, (void)user;
    sort_ranges(client->whole);
    sort_ranges(client->wanted);
}

/* True if a range contains the frame. `*at`: index of the next range; frames come in order. */
static bool has_frame(const GArray *ranges, guint *at, uint64_t frame)
{
    while (*at < ranges->len && g_array_index(ranges, struct frame_range, *at).last < frame)
        ++*at;
    return *at < ranges->len && g_array_index(ranges, struct frame_range, *at).first <= frame;
}

static bool is_covered(const struct cut *cut, const struct qs_address *address, uint64_t frame,
                       bool chosen)
{
    struct client *client = g_hash_table_lookup(cut->clients, address);

    return client && (has_frame(client->whole, &client->at[0], frame) ||
                      (chosen && has_frame(client->wanted, &client->at[1], frame)));
}

/* --- First pass ------------------------------------------------------------------------------ */

static const struct qs_address *client_of(const struct qs_decoded_packet *decoded)
{
    return decoded->decoder->found.direction == QS_S2C ? &decoded->packet->destination
                                                       : &decoded->packet->source;
}

static void remember_handshake(struct cut *cut, const struct qs_address *client, uint64_t frame)
{
    if (g_hash_table_contains(cut->handshake_starts, client))
        return;
    if (g_hash_table_size(cut->handshake_starts) == CLIENTS_MAX)
        /* Drops all: a flood of requests. */
        g_hash_table_remove_all(cut->handshake_starts);
    g_hash_table_insert(cut->handshake_starts, g_memdup2(client, sizeof *client),
                        g_memdup2(&frame, sizeof frame));
}

static void prologue_free(gpointer data)
{
    struct prologue *prologue = data;

    qs_sign_on_free(prologue->sign_on);
    g_array_free(prologue->ranges, TRUE);
    g_free(prologue);
}

static struct prologue *prologue_of(struct cut *cut, const struct qs_decoded_packet *decoded,
                                    uint64_t frame)
{
    const gpointer key = GUINT_TO_POINTER(decoded->session->number);
    struct prologue *prologue = g_hash_table_lookup(cut->sessions, key);
    const struct qs_demo_format *format;
    const uint64_t *first;

    if (prologue)
        return prologue;
    format = qs_demo_format_of(decoded->session->protocol, decoded->packet->pdu != 0, NULL);
    first = g_hash_table_lookup(cut->handshake_starts, client_of(decoded));
    prologue = g_new0(struct prologue, 1);
    prologue->first = first ? *first : frame;
    prologue->last = frame;
    prologue->late_join = format ? format->late_join : NULL;
    prologue->sign_on = qs_sign_on_new();
    prologue->ranges = g_array_new(FALSE, FALSE, sizeof(struct session_range));
    g_hash_table_insert(cut->sessions, key, prologue);
    return prologue;
}

/* Updates the frames of the handshake and of the level's sign-on, if the packet belongs to one. */
static void update_prologue(struct prologue *prologue, uint64_t frame,
                            const struct qs_decoder *decoder)
{
    if (decoder->session->level != prologue->level) {
        prologue->level = decoder->session->level;
        prologue->level_first = prologue->level_last = frame;
        qs_sign_on_clear(prologue->sign_on);
    }
    if (!prologue->late_join || prologue->sign_on->complete)
        return;
    if (!prologue->level) {
        prologue->before++;
        prologue->last = frame;
    }
    prologue->level_last = frame;
    if (decoder->found.accepted && !prologue->sign_on->broken)
        prologue->late_join->add_packet(prologue->sign_on, decoder);
}

/* Keeps a selected packet, and those before the game. A stream can be decoded only from its
 * beginning: it is kept from there to the packet, or to its end if there is no --packets. */
static void keep_wanted(struct cut *cut, struct prologue *prologue,
                        const struct qs_decoded_packet *decoded, uint64_t frame)
{
    const struct qs_address *client = client_of(decoded);
    const bool is_stream = decoded->packet->pdu;

    cut->selected += !prologue->selected;
    prologue->selected = true;
    if (prologue->before <= BEFORE_MAX)
        add_range(prologue, client, true, (struct frame_range){prologue->first, prologue->last});
    if (prologue->level)
        add_range(prologue, client, true,
                  (struct frame_range){prologue->level_first, prologue->level_last});
    add_range(prologue, client, is_stream,
              (struct frame_range){is_stream ? 0 : frame,
                                   is_stream && !cut->options->packets->len ? UINT64_MAX : frame});
}

void cut_packet(struct cut *cut, const struct qs_decoded_packet *decoded)
{
    const uint64_t frame = decoded->packet->frame;
    struct prologue *prologue;

    if (!decoded->session) {
        remember_handshake(cut, client_of(decoded), frame);
        return;
    }
    prologue = prologue_of(cut, decoded, frame);
    g_hash_table_remove(cut->handshake_starts, client_of(decoded));
    if (!decoded->session->chosen)
        return;
    update_prologue(prologue, frame, decoded->decoder);
    if (is_wanted(cut, decoded->packet->number))
        keep_wanted(cut, prologue, decoded, frame);
}

void cut_session_over(struct cut *cut, unsigned session)
{
    const gpointer key = GUINT_TO_POINTER(session);
    const struct prologue *prologue = g_hash_table_lookup(cut->sessions, key);

    if (prologue)
        move_ranges(cut, prologue);
    g_hash_table_remove(cut->sessions, key);
}

/* --- Second and third pass ------------------------------------------------------------------- */

/* True if the datagram repeats a kept one, such as the last one of a session. */
static bool is_kept_copy(struct cut *cut, const struct input *input, struct qs_packet datagram)
{
    const struct qs_sighting *first;

    datagram.file = (const void *)g_intern_string(input->name);
    datagram.number = datagram.capture_point = datagram.frame;
    first = qs_copies_find(cut->copies, &datagram);
    return first && is_kept(cut, first->number);
}

/* Keeps all frames of packets in a range, including IP fragments. */
static void find_frames(struct input_visitor *visitor, struct input *input,
                        struct input_frame *frame)
{
    struct cut *cut = (struct cut *)visitor;
    const uint64_t number = frame->packet.frame;
    const bool chosen = is_wanted(cut, frame->packet.number);
    struct qs_packet packet;
    const GArray *fragments;
    const enum ip_found found = ip_read_frame(cut->ip, frame, &packet);

    if (found == IP_NOTHING && is_kept(cut, ip_repeated(cut->ip)))
        keep(cut, number);
    if (found == IP_NOTHING)
        return;
    if ((found == IP_UDP && is_kept_copy(cut, input, packet) && chosen) ||
        is_covered(cut, &packet.source, number, chosen) ||
        is_covered(cut, &packet.destination, number, chosen))
        keep(cut, number);
    fragments = ip_fragments(cut->ip);
    for (guint i = 0; is_kept(cut, number) && i < fragments->len; i++)
        keep(cut, g_array_index(fragments, uint64_t, i));
}

static void copy_frame(struct input_visitor *visitor, struct input *input,
                       struct input_frame *frame)
{
    struct cut *cut = (struct cut *)visitor;
    const struct qs_packet *packet = &frame->packet;
    const bool all = !cut->options->sessions.chosen->len;

    cut->counts.frames++;
    if (!is_kept(cut, packet->frame) && !(all && is_wanted(cut, packet->number)))
        return;
    cut->counts.kept++;
    pcapng_writer_frame(
        cut->out, &(struct pcapng_writer_frame){.link_type = link_type_to_file(frame->link_type),
                                                .time = packet->time,
                                                .bytes = {packet->data, packet->size},
                                                .wire_size = packet->wire_size,
                                                .comment = frame->comment,
                                                .file = g_intern_string(input->name),
                                                .number = frame->interface});
}

static bool has_known_links(struct input_visitor *visitor, struct input *input)
{
    (void)visitor;
    return input_has_known_links(input);
}

/* Reads all captures again. Stops at damage, and skips files that are no readable captures: the
 * first pass reported them. False, after reporting it, if one of them was overwritten: the frames
 * have other numbers then. */
static bool read_again(struct cut *cut,
                       void (*visit)(struct input_visitor *visitor, struct input *input,
                                     struct input_frame *frame))
{
    const char *problem = NULL;

    cut->visitor = (struct input_visitor){.filter = cut->options->input.filter,
                                          .demos = true,
                                          .capture_start = has_known_links,
                                          .frame = visit};
    cut->ip = ip_new();
    merge_read(cut->options->files, &cut->visitor);
    ip_free(cut->ip);
    if (signals_interrupted())
        problem = "interrupted";
    else if (cut->visitor.identity != cut->identity)
        problem = "a capture was overwritten meanwhile";
    if (problem)
        failure(EXIT_PROBLEMS, (struct qs_location){.file = cut->options->argument},
                "not written: %s", problem);
    return !problem;
}

bool cut_copy(struct cut *cut, uint64_t identity, struct pcapng_writer *out, const char *comment,
              struct cut_counts *counts)
{
    bool good;

    g_hash_table_foreach(cut->clients, sort_client, NULL);
    cut->identity = identity;
    cut->copies = qs_copies_new();
    good = read_again(cut, find_frames);
    qs_copies_free(cut->copies);
    cut->out = out;
    cut->counts.sessions = cut->selected;
    pcapng_writer_begin(out, comment);
    good = good && read_again(cut, copy_frame);
    *counts = cut->counts;
    return good;
}

/* --- Life of a cut --------------------------------------------------------------------------- */

struct cut *cut_new(const struct options *options)
{
    struct cut *cut = g_new0(struct cut, 1);

    cut->options = options;
    cut->kept = g_byte_array_new();
    cut->clients = g_hash_table_new_full(qs_address_hash, qs_address_equal, g_free, client_free);
    cut->sessions = g_hash_table_new_full(NULL, NULL, NULL, prologue_free);
    cut->handshake_starts =
        g_hash_table_new_full(qs_address_hash, qs_address_equal, g_free, g_free);
    return cut;
}

void cut_free(struct cut *cut)
{
    g_byte_array_free(cut->kept, TRUE);
    g_hash_table_destroy(cut->clients);
    g_hash_table_destroy(cut->sessions);
    g_hash_table_destroy(cut->handshake_starts);
    g_free(cut);
}
