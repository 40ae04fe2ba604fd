/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/sessions/demo.h"

#include <string.h>

#include "pcap2demo/output/writer.h"

struct demo {
    struct qs_demo_writer out;
    struct demo_setup setup;
    const char *source;    /* file of the packet at hand */
    int64_t time;          /* of it */
    char *player;          /* whose demo it is */
    char *map;             /* that the session is on */
    struct writer *writer; /* NULL: no file has begun */
    int64_t file_start;    /* time of its first packet */
    char *file_map;        /* the map that the file is named after */
    char *lacks;
    struct demo_loan loan;
    const struct lending *lending; /* NULL: other sessions are not known */
    const struct lender *lender;
    GPtrArray *files;
    struct problems problems;
    bool dropped, unwanted;
    GTree *left_out; /* char * to guint: how often each command was left out */
};

static void file_free(gpointer data)
{
    struct demo_file *file = data;

    g_free(file->name);
    g_free(file->error);
    g_free(file);
}

static gint compare_names(gconstpointer a, gconstpointer b, gpointer data)
{
    (void)data;
    return strcmp(a, b);
}

void demo_set_source(struct demo *demo, const char *file, int64_t time)
{
    demo->source = file;
    demo->time = time;
}

void demo_set_player(struct demo *demo, const char *player)
{
    g_free(demo->player);
    demo->player = g_strdup(player);
}

void demo_set_map(struct demo *demo, const char *map)
{
    g_free(demo->map);
    demo->map = g_strdup(map);
    if (demo->writer && !demo->file_map)
        demo->file_map = g_strdup(map);
}

struct qs_demo_writer *demo_writer(struct demo *demo)
{
    return &demo->out;
}

bool demo_splits(const struct demo *demo)
{
    return demo->setup.demo_options.split;
}

const struct qs_demo_counts *demo_counts(const struct demo *demo)
{
    return &demo->out.counts;
}

static void discard_file(struct demo *demo)
{
    if (demo->writer)
        writer_free(demo->writer);
    demo->writer = NULL;
    g_clear_pointer(&demo->file_map, g_free);
}

/* Gives the file a name; `error` is set where that failed. */
static void commit_as(struct demo *demo, struct demo_file *file, char *name)
{
    g_free(file->name);
    g_free(file->error);
    file->name = name;
    if (name)
        file->error = writer_commit(demo->writer, name, demo->setup.demo_options.force);
    else
        file->error = g_strdup("one file cannot hold several sessions: choose one with "
                               "--session, or a folder with --output");
}

/* The next free name; the user's own where he gave one. */
static void commit(struct demo *demo, struct demo_file *file)
{
    const struct naming_request request = {.capture = demo->setup.capture,
                                           .session = demo->setup.session,
                                           .start = demo->file_start,
                                           .player = demo->player,
                                           .map = demo->file_map,
                                           .extension = demo->setup.extension};

    do {
        commit_as(demo, file, naming_next(demo->setup.naming, &request));
    } while (writer_name_is_taken(demo->writer) && naming_is_free(demo->setup.naming));
}

static void end_file(struct demo *demo)
{
    struct demo_file *file;

    if (demo->unwanted)
        discard_file(demo);
    if (!demo->writer)
        return;
    file = g_new0(struct demo_file, 1);
    file->size = writer_size(demo->writer);
    if (demo->setup.naming)
        commit(demo, file);
    g_ptr_array_add(demo->files, file);
    discard_file(demo);
}

/* --- What rebuilders call --- */

static void begin(struct qs_demo_writer *out)
{
    struct demo *demo = (struct demo *)out;

    end_file(demo);
    demo->writer = writer_new(demo->setup.naming ? naming_folder(demo->setup.naming) : NULL);
    demo->file_start = demo->time;
    demo->file_map = g_strdup(demo->map);
}

static void write_bytes(struct qs_demo_writer *out, const void *data, size_t size)
{
    writer_add(((struct demo *)out)->writer, data, size);
}

static void discard(struct qs_demo_writer *out)
{
    discard_file((struct demo *)out);
}

static void start_missing(struct qs_demo_writer *out, const char *what)
{
    struct demo *demo = (struct demo *)out;

    if (!demo->lacks)
        demo->lacks = g_strdup(what);
}

static void problem(struct qs_demo_writer *out, const struct qs_packet *packet, const char *text)
{
    struct demo *demo = (struct demo *)out;
    struct location location = {0};

    if (packet)
        location = (struct location){.file = demo->source, .packet = packet->number};
    problems_add(&demo->problems, location, text);
}

static void left_out(struct qs_demo_writer *out, const char *command)
{
    struct demo *demo = (struct demo *)out;
    guint count;

    if (g_tree_nnodes(demo->left_out) >= DEMO_COMMANDS_MAX &&
        !g_tree_lookup(demo->left_out, command))
        command = "others";
    count = GPOINTER_TO_UINT(g_tree_lookup(demo->left_out, command)) + 1;
    g_tree_insert(demo->left_out, g_strdup(command), GUINT_TO_POINTER(count));
}

static void peers(struct qs_demo_writer *out, qs_peer_taker *take, void *user)
{
    const struct demo *demo = (const struct demo *)out;

    if (demo->lender)
        lender_peers(demo->lending, demo->lender, take, user);
}

/* --- The demo --- */

struct demo *demo_new(const struct demo_setup *setup)
{
    struct demo *demo = g_new0(struct demo, 1);

    demo->out = (struct qs_demo_writer){.begin = begin,
                                        .write = write_bytes,
                                        .discard = discard,
                                        .start_missing = start_missing,
                                        .left_out = left_out,
                                        .problem = problem,
                                        .peers = peers,
                                        .sanitize = setup->demo_options.sanitize,
                                        .ezquake_37 = setup->demo_options.ezquake_37};
    demo->setup = *setup;
    demo->files = g_ptr_array_new_with_free_func(file_free);
    demo->left_out = g_tree_new_full(compare_names, NULL, g_free, NULL);
    problems_init(&demo->problems);
    return demo;
}

void demo_free(struct demo *demo)
{
    discard_file(demo);
    g_ptr_array_free(demo->files, TRUE);
    problems_clear(&demo->problems);
    g_tree_destroy(demo->left_out);
    g_free(demo->player);
    g_free(demo->map);
    g_free(demo->lacks);
    g_free(demo->loan.lender);
    g_free(demo->loan.unknown);
    g_free(demo->loan.refusals);
    g_free(demo);
}

static gboolean append_left_out(gpointer command, gpointer count, gpointer data)
{
    GString *text = data;

    g_string_append_printf(text, "%s%s", text->len ? ", " : "", (const char *)command);
    if (GPOINTER_TO_UINT(count) > 1)
        g_string_append_printf(text, " ×%u", GPOINTER_TO_UINT(count));
    return FALSE;
}

char *demo_left_out_text(const struct demo *demo)
{
    GString *text;

    if (!g_tree_nnodes(demo->left_out))
        return NULL;
    text = g_string_new(NULL);
    g_tree_foreach(demo->left_out, append_left_out, text);
    return g_string_free(text, FALSE);
}

void demo_end(struct demo *demo, bool keep)
{
    demo->dropped |= !keep;
    if (keep)
        end_file(demo);
    else
        discard_file(demo);
}

void demo_drop(struct demo *demo)
{
    demo->unwanted = demo->dropped = true;
}

bool demo_is_dropped(const struct demo *demo)
{
    return demo->dropped;
}

const GPtrArray *demo_files(const struct demo *demo)
{
    return demo->files;
}

const struct problems *demo_problems(const struct demo *demo)
{
    return &demo->problems;
}

const char *demo_lacks(const struct demo *demo)
{
    return demo->lacks;
}

void demo_set_peers(struct demo *demo, const struct lending *lending, const struct lender *lender)
{
    demo->lending = lending;
    demo->lender = lender;
}

void demo_set_loan(struct demo *demo, const struct loan *loan)
{
    const struct qs_borrower *borrower = loan->borrower;

    demo->loan.lender = g_strdup(loan->lender);
    demo->loan.refusals = g_strdup(loan->refusals);
    if (borrower && borrower->unknown->len)
        demo->loan.unknown = g_strdup(borrower->unknown->str);
}

const struct demo_loan *demo_loan(const struct demo *demo)
{
    return &demo->loan;
}
