/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes seeds for the fuzzers from captures:
 *
 *     make_seeds DIRECTORY CAPTURE...
 *
 * DIRECTORY/decode gets the beginning of each conversation and some pieces from its middle,
 * DIRECTORY/session more of its beginning, sign-on included, for the fuzzers rebuild and lend,
 * DIRECTORY/plugin the beginning of each session and stream, with some who listen to it,
 * DIRECTORY/stream the beginning of each TCP stream,
 * DIRECTORY/capture the first frames of each capture, DIRECTORY/tool its beginning as a file,
 * DIRECTORY/recording and DIRECTORY/golden what the tool makes of it;
 * DIRECTORY/rebuild and DIRECTORY/lend are there to be filled. Layouts: fuzz.h.
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/reader.h"
#include "pcap2demo/capture/input.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/made_seeds.h"
#include "tests/fuzz/outside.h"
#include "tests/fuzz/run_tool.h"
#include "tests/support/conversations.h"

enum {
    SEED_HEAD = 2,
    SEED_MAX = 1024,  /* bytes of a seed; the fuzzer gets slow with more */
    FIRST_MAX = 3072, /* of one that begins a conversation, which has the most kinds of message */
    SEEDS_MAX = 6,    /* of a conversation */
    SKIP = 50,        /* packets between two seeds */
    FRAMES_MAX = 40,  /* of a capture */
    FILE_MAX = 12288,
    SESSION_MAX = 14000,
    SHOWN_MAX = 4000,
    DEMO_MAX = 16000,
    GOLDEN_MAX = 8000
};

struct seeds {
    char *folder, *streams, *sessions, *shown, *recordings, *goldens, *files;
    GByteArray *demo;          /* the last that was rebuilt */
    char *capture;             /* stem of the file being read */
    GHashTable *conversations; /* struct seed by conversation number */
};

struct seed {
    GByteArray *bytes;
    unsigned written, skip;
    bool stream;
    GByteArray *session;
    unsigned packets; /* in `session` */
    GByteArray *shown;
};

static void append_piece(GByteArray *seed, uint8_t bits, const uint8_t *data, uint32_t size)
{
    const uint16_t length = (uint16_t)MIN(size, UINT16_MAX);
    const uint8_t head[] = {bits, (uint8_t)length, (uint8_t)(length >> 8)};

    g_byte_array_append(seed, head, sizeof head);
    g_byte_array_append(seed, data, length);
}

static void write_seed(const char *folder, const char *name, const GByteArray *bytes)
{
    char *path = g_build_filename(folder, name, NULL);
    GError *error = NULL;

    if (!g_file_set_contents(path, (const char *)bytes->data, (gssize)bytes->len, &error)) {
        fprintf(stderr, "%s\n", error->message);
        exit(1);
    }
    g_free(path);
}

/* --- Conversations -----------------------------------------------------------------------------
 */

static void seed_free(gpointer data)
{
    struct seed *seed = data;

    g_byte_array_free(seed->bytes, TRUE);
    g_byte_array_free(seed->session, TRUE);
    g_byte_array_free(seed->shown, TRUE);
    g_free(seed);
}

static struct seed *seed_of(struct seeds *seeds, unsigned conversation)
{
    struct seed *seed = g_hash_table_lookup(seeds->conversations, GUINT_TO_POINTER(conversation));

    if (!seed) {
        seed = g_new0(struct seed, 1);
        seed->bytes = g_byte_array_new();
        seed->session = g_byte_array_new();
        seed->shown = g_byte_array_new();
        g_hash_table_insert(seeds->conversations, GUINT_TO_POINTER(conversation), seed);
    }
    return seed;
}

/* fuzz_stream's first byte has a bit for --sanitize. */
static void write_sanitized(const struct seeds *seeds, const char *name, GByteArray *bytes)
{
    enum { SANITIZE = 0x80 };
    char *other = g_strconcat(name, "-sanitized", NULL);

    bytes->data[0] |= SANITIZE;
    write_seed(seeds->streams, other, bytes);
    g_free(other);
}

static void finish_seed(const struct seeds *seeds, struct seed *seed, unsigned conversation)
{
    char *name;

    if (!seed->bytes->len)
        return;
    name = g_strdup_printf("%s-%u-%u", seeds->capture, conversation, seed->written++);
    write_seed(seed->stream ? seeds->streams : seeds->folder, name, seed->bytes);
    if (seed->stream)
        write_sanitized(seeds, name, seed->bytes);
    g_free(name);
    g_byte_array_set_size(seed->bytes, 0);
    seed->skip = SKIP;
}

static bool is_from_server(const struct visit *visit)
{
    return visit->session->server == QS_END_UNKNOWN ? visit->packet->source_is_server_port
                                                    : visit->session->server == visit->packet->from;
}

/* One packet of some seeds is printed, some are decoded twice. */
static uint8_t bits_of(const struct seed *seed, const struct visit *visit)
{
    const bool first = seed->bytes->len <= SEED_HEAD;

    return (uint8_t)(FUZZ_PACKET_PORTS_KNOWN |
                     (first && visit->conversation % 8 == 0 ? FUZZ_PACKET_PRINTED : 0) |
                     (seed->bytes->len % 4 ? 0 : FUZZ_PACKET_TWICE) |
                     (is_from_server(visit) ? FUZZ_PACKET_FROM_SERVER : 0));
}

/* The units of a stream, each in a segment of its own; the first seed is all there is of it. */
static void add_unit(struct seeds *seeds, struct seed *seed, const struct visit *visit)
{
    const uint8_t head = fuzz_stream_number(visit->protocol);

    if (seed->written)
        return;
    if (!seed->bytes->len)
        g_byte_array_append(seed->bytes, &head, 1);
    append_piece(seed->bytes, is_from_server(visit) ? FUZZ_STREAM_FROM_SERVER : 0,
                 visit->packet->data, visit->packet->size);
    if (seed->bytes->len > FIRST_MAX)
        finish_seed(seeds, seed, visit->conversation);
}

/* The whole beginning of a session: fuzz_lend's late client lacks the half of it. */
static void add_to_session(struct seed *seed, const struct visit *visit)
{
    const uint8_t head[SEED_HEAD] = {(uint8_t)visit->protocol};

    if (!seed->session->len)
        g_byte_array_append(seed->session, head, sizeof head);
    if (seed->session->len + visit->packet->size > SESSION_MAX)
        return;
    append_piece(seed->session, is_from_server(visit) ? FUZZ_PACKET_FROM_SERVER : 0,
                 visit->packet->data, visit->packet->size);
    seed->session->data[1] = (uint8_t)MIN(++seed->packets / 2, UINT8_MAX / 4);
}

/* Each begins with others who listen, or another way of a first pass. */
static uint8_t shown_options(unsigned conversation)
{
    enum {
        ALL = FUZZ_PLUGIN_STATISTICS | FUZZ_PLUGIN_DOWNLOADS | FUZZ_PLUGIN_DEMOS |
              FUZZ_PLUGIN_FOLLOW | FUZZ_PLUGIN_CREDENTIALS
    };
    static const uint8_t ways[] = {ALL, ALL | FUZZ_PLUGIN_AT_ONCE, FUZZ_PLUGIN_PLAIN,
                                   ALL | FUZZ_PLUGIN_LATE};

    return ways[conversation % G_N_ELEMENTS(ways)];
}

/* Some are quoted by an error message, too. */
static void add_shown(struct seed *seed, const struct visit *visit)
{
    enum { QUOTED_STEP = 8 };
    const uint8_t head[SEED_HEAD] = {(uint8_t)visit->protocol, shown_options(visit->conversation)};
    const bool port = !(head[1] & FUZZ_PLUGIN_LATE);
    uint8_t bits;

    if (!seed->shown->len)
        g_byte_array_append(seed->shown, head, sizeof head);
    if (seed->shown->len + visit->packet->size > SHOWN_MAX)
        return;
    bits = (uint8_t)((port ? FUZZ_PACKET_PORTS_KNOWN : 0) |
                     (visit->packet->unit ? FUZZ_PLUGIN_STREAM : 0) |
                     (is_from_server(visit) ? FUZZ_PACKET_FROM_SERVER : 0));
    append_piece(seed->shown, bits, visit->packet->data, visit->packet->size);
    if (!visit->packet->unit && visit->packet->number % QUOTED_STEP == 0)
        append_piece(seed->shown, bits | FUZZ_PLUGIN_QUOTED, visit->packet->data,
                     visit->packet->size);
}

static void add_packet(const struct visit *visit, void *user)
{
    const uint8_t head[SEED_HEAD] = {(uint8_t)visit->protocol};
    struct seeds *seeds = user;
    struct seed *seed = seed_of(seeds, visit->conversation);

    seed->stream = visit->packet->unit;
    add_shown(seed, visit);
    if (seed->stream) {
        add_unit(seeds, seed, visit);
        return;
    }
    add_to_session(seed, visit);
    if (seed->written == SEEDS_MAX || (seed->skip && seed->skip--))
        return;
    if (!seed->bytes->len)
        g_byte_array_append(seed->bytes, head, sizeof head);
    append_piece(seed->bytes, bits_of(seed, visit), visit->packet->data, visit->packet->size);
    if (seed->bytes->len > (seed->written ? SEED_MAX : FIRST_MAX))
        finish_seed(seeds, seed, visit->conversation);
}

/* The late client is there from the beginning, but some packets are the other's alone. */
static void make_gaps(GByteArray *session)
{
    enum { STEP = 6 };
    unsigned packets = 0;

    session->data[1] = 0;
    for (guint at = SEED_HEAD; at < session->len; at += 3u + qs_le16(session->data + at + 1))
        if (++packets % STEP == 0)
            session->data[at] |= FUZZ_LEND_LENDER_ALONE | FUZZ_REBUILD_WAIT;
}

/* Thrice: the lender is another client; it is a demo; both are there, and one lacks packets. */
static void write_session(const struct seeds *seeds, struct seed *seed, unsigned conversation)
{
    enum { LENDER_IS_DEMO = 0x40 };

    for (unsigned form = 0; seed->packets && form < 3; form++) {
        char *name = g_strdup_printf("%s-%u-%u", seeds->capture, conversation, form);

        if (form == 1)
            seed->session->data[1] |= LENDER_IS_DEMO;
        else if (form == 2)
            make_gaps(seed->session);
        write_seed(seeds->sessions, name, seed->session);
        g_free(name);
    }
}

static void write_shown(const struct seeds *seeds, const struct seed *seed, unsigned conversation)
{
    char *name = g_strdup_printf("%s-%u", seeds->capture, conversation);

    write_seed(seeds->shown, name, seed->shown);
    g_free(name);
}

static void finish_all(struct seeds *seeds)
{
    GHashTableIter iter;
    gpointer conversation, seed;

    g_hash_table_iter_init(&iter, seeds->conversations);
    while (g_hash_table_iter_next(&iter, &conversation, &seed)) {
        finish_seed(seeds, seed, GPOINTER_TO_UINT(conversation));
        write_session(seeds, seed, GPOINTER_TO_UINT(conversation));
        write_shown(seeds, seed, GPOINTER_TO_UINT(conversation));
    }
    g_hash_table_remove_all(seeds->conversations);
}

/* --- Frames ------------------------------------------------------------------------------------
 */

static void add_frames(GByteArray *seed, struct input *input)
{
    struct input_frame frame;

    for (unsigned i = 0; i < FRAMES_MAX && input_next(input, &frame) == INPUT_FRAME; i++)
        append_piece(seed, 0, frame.bytes.data, frame.bytes.size);
}

static void make_frames(const char *folder, const char *capture, const char *file)
{
    char *error = NULL;
    struct input *input = input_open_file(file, NULL, &error);
    GByteArray *seed = g_byte_array_new();
    uint8_t link = 0;

    if (!input) {
        fprintf(stderr, "%s: %s\n", file, error);
        exit(1);
    }
    while (link < FUZZ_LINKS && fuzz_links[link] != input_link_type(input))
        link++;
    g_byte_array_append(seed, &link, 1);
    add_frames(seed, input);
    if (link < FUZZ_LINKS)
        write_seed(folder, capture, seed);
    g_byte_array_free(seed, TRUE);
    input_close(input);
}

/* --- Files -------------------------------------------------------------------------------------
 */

/* Where the last record ends that is within `max` bytes of a pcap file. */
static size_t end_of_records(const uint8_t *file, size_t size, size_t max)
{
    enum { FILE_HEAD = 24, RECORD_HEAD = 16 };
    size_t at = FILE_HEAD;

    while (at + RECORD_HEAD < size) {
        const size_t next = at + RECORD_HEAD + qs_le32(file + at + 8);

        if (next > MIN(size, max))
            break;
        at = next;
    }
    return MIN(at, size);
}

/* Each begins with another action. */
static void make_file(const char *folder, const char *capture, const char *file)
{
    static uint8_t action;
    GByteArray *seed = g_byte_array_new();
    char *data;
    gsize size;

    if (!g_file_get_contents(file, &data, &size, NULL))
        exit(1);
    g_byte_array_append(seed, &action, 1);
    g_byte_array_append(seed, (const uint8_t *)data,
                        (guint)end_of_records((const uint8_t *)data, size, FILE_MAX));
    write_seed(folder, capture, seed);
    action++;
    g_byte_array_free(seed, TRUE);
    g_free(data);
}

/* --- What the tool makes of a capture ----------------------------------------------------------
 */

/* The name that fuzz_recording gives it: its number. */
static uint8_t name_number(const char *file)
{
    static const char *const extensions[] = {".qwd", ".dm2", ".dem", NULL, ".mvd", ".mvd2"};
    uint8_t number = 0;

    while (number < G_N_ELEMENTS(extensions) &&
           !(extensions[number] && g_str_has_suffix(file, extensions[number])))
        number++;
    return number;
}

/* A capture that is made of a demo, for fuzz_tool: what it carries of the demo is read again. */
static void take_made(void *user, const char *name, struct qs_view file)
{
    const struct seeds *seeds = user;
    const uint8_t action = 0;
    GByteArray *seed = g_byte_array_new();
    char *made = g_strdup_printf("%s-%s", seeds->capture, name);

    g_byte_array_append(seed, &action, 1);
    g_byte_array_append(seed, file.data, MIN(file.size, FILE_MAX));
    write_seed(seeds->files, made, seed);
    g_free(made);
    g_byte_array_free(seed, TRUE);
}

/* A demo that is dumped as JSON, for fuzz_tool. */
static void write_dumped(const struct seeds *seeds, const char *name, struct qs_view file)
{
    enum { JSON = 3 };
    const uint8_t action = JSON;
    GByteArray *seed = g_byte_array_new();

    g_byte_array_append(seed, &action, 1);
    g_byte_array_append(seed, file.data, MIN(file.size, FILE_MAX));
    write_seed(seeds->files, name, seed);
    g_byte_array_free(seed, TRUE);
}

static void take_demo(void *user, const char *name, struct qs_view file)
{
    const struct seeds *seeds = user;
    const uint8_t number = name_number(name);
    GByteArray *seed = g_byte_array_new();

    g_byte_array_append(seed, &number, 1);
    g_byte_array_append(seed, file.data, MIN(file.size, DEMO_MAX));
    write_seed(seeds->recordings, name, seed);
    write_dumped(seeds, name, file);
    g_byte_array_free(seed, TRUE);
    g_byte_array_set_size(seeds->demo, 0);
    g_byte_array_append(seeds->demo, file.data, file.size);
}

/* Of the last demo that was taken. */
static void make_of_demo(struct seeds *seeds)
{
    static const char *const words[RUN_TOOL_WORDS_MAX] = {"--quiet", "--pcap=made.pcapng"};
    char name[] = "/tmp/quakeshark-seeds-XXXXXX";
    const int file = seeds->demo->len ? g_mkstemp(name) : -1;

    if (file < 0)
        return;
    if (g_file_set_contents(name, (const char *)seeds->demo->data, (gssize)seeds->demo->len,
                            NULL)) {
        fuzz_take_files(take_made, seeds);
        run_tool(words, name);
    }
    g_unlink(name);
    close(file);
    g_byte_array_set_size(seeds->demo, 0);
}

/* As many whole packets as fit, and the last line that counts them. */
static void take_golden(void *user, const char *name, struct qs_view file)
{
    const struct seeds *seeds = user;
    GByteArray *seed = g_byte_array_new();
    uint64_t packets = 0;
    uint32_t kept = 0;
    char *foot;

    for (uint32_t at = 0; at + 1 < MIN(file.size, GOLDEN_MAX); at++)
        if (file.data[at] == '\n' && file.data[at + 1] != ' ') {
            kept = at + 1;
            packets++;
        }
    foot = g_strdup_printf("# end, %" G_GUINT64_FORMAT " packets\n", packets ? packets - 1 : 0);
    g_byte_array_append(seed, file.data, kept);
    g_byte_array_append(seed, (const guint8 *)foot, (guint)strlen(foot));
    write_seed(seeds->goldens, name, seed);
    g_free(foot);
    g_byte_array_free(seed, TRUE);
}

static void make_of_capture(struct seeds *seeds, const char *file)
{
    static const char *const demos[RUN_TOOL_WORDS_MAX] = {"--quiet"};
    static const char *const goldens[RUN_TOOL_WORDS_MAX] = {"--quiet", "--check", "--update",
                                                            "--golden", "goldens"};

    FILE *const errors = stderr;

    stderr = fopen("/dev/null", "w"); /* captures of tests have problems on purpose */
    if (!stderr)
        exit(1);
    fuzz_take_files(take_demo, seeds);
    run_tool(demos, file);
    make_of_demo(seeds);
    fuzz_take_files(take_golden, seeds);
    run_tool(goldens, file);
    fuzz_take_files(NULL, NULL);
    fclose(stderr);
    stderr = errors;
}

/* --- All ---------------------------------------------------------------------------------------
 */

static char *make_folder(const char *parent, const char *name)
{
    char *folder = g_build_filename(parent, name, NULL);

    if (g_mkdir_with_parents(folder, 0777) != 0) {
        perror(folder);
        exit(1);
    }
    return folder;
}

int main(int argc, char **argv)
{
    struct seeds seeds = {0};
    char *frames;

    if (argc < 3) {
        fprintf(stderr, "usage: %s DIRECTORY CAPTURE...\n", argv[0]);
        return 2;
    }
    seeds.folder = make_folder(argv[1], "decode");
    seeds.conversations = g_hash_table_new_full(NULL, NULL, NULL, seed_free);
    seeds.streams = make_folder(argv[1], "stream");
    frames = make_folder(argv[1], "capture");
    seeds.files = make_folder(argv[1], "tool");
    seeds.demo = g_byte_array_new();
    seeds.sessions = make_folder(argv[1], "session");
    seeds.shown = make_folder(argv[1], "plugin");
    seeds.recordings = make_folder(argv[1], "recording");
    seeds.goldens = make_folder(argv[1], "golden");
    made_seeds_write(&(struct made_folders){seeds.folder, seeds.streams, seeds.shown,
                                            seeds.sessions, seeds.files});
    g_free(make_folder(argv[1], "rebuild"));
    g_free(make_folder(argv[1], "lend"));
    for (int i = 2; i < argc; i++) {
        seeds.capture = g_path_get_basename(argv[i]);
        if (!conversations_visit(argv[i], add_packet, &seeds))
            return 1;
        finish_all(&seeds);
        make_frames(frames, seeds.capture, argv[i]);
        make_file(seeds.files, seeds.capture, argv[i]);
        make_of_capture(&seeds, argv[i]);
        g_free(seeds.capture);
    }
    g_hash_table_destroy(seeds.conversations);
    g_free(seeds.folder);
    g_free(seeds.streams);
    g_free(seeds.sessions);
    g_free(seeds.shown);
    g_free(seeds.recordings);
    g_free(seeds.goldens);
    g_free(frames);
    g_free(seeds.files);
    g_byte_array_free(seeds.demo, TRUE);
    return 0;
}
