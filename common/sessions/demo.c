/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/demo.h"

#include <string.h>

struct qs_session_demo {
    struct qs_demo_writer out;
    struct qs_session_demo_setup setup;
    const char *source;  /* file of the packet at hand */
    uint64_t number;     /* of it */
    int64_t time;        /* of it */
    char *player;        /* whose demo it is */
    char *map;           /* that the session is on */
    bool writing;        /* a file has begun */
    void *file;          /* of the store; NULL: it is only counted */
    uint64_t size;       /* bytes in it */
    uint64_t file_first; /* number of its first packet */
    int64_t file_start;  /* time of it */
    int64_t file_end;    /* time of the packet that wrote to it last */
    char *file_map;      /* the map that the file is named after */
    char *lacks;
    struct qs_session_demo_donor donation;
    const struct qs_donors *donors; /* NULL: other sessions are not known */
    const struct qs_donor *donor;
    GPtrArray *files;
    struct qs_session_problems problems;
    bool dropped, unwanted;
    GTree *left_out; /* char * to guint: how often each command was left out */
};

static void file_free(gpointer data)
{
    struct qs_session_demo_file *file = data;

    g_free(file->name);
    g_free(file->map);
    g_free(file->error);
    g_free(file);
}

static gint compare_names(gconstpointer a, gconstpointer b, gpointer data)
{
    (void)data;
    return strcmp(a, b);
}

void qs_session_demo_set_source(struct qs_session_demo *demo, const char *file,
                                const struct qs_packet *packet)
{
    demo->source = file;
    demo->number = packet->number;
    demo->time = packet->time;
}

void qs_session_demo_set_time(struct qs_session_demo *demo, int64_t time)
{
    demo->time = time;
}

void qs_session_demo_set_player(struct qs_session_demo *demo, const char *player)
{
    g_free(demo->player);
    demo->player = g_strdup(player);
}

void qs_session_demo_set_map(struct qs_session_demo *demo, const char *map)
{
    g_free(demo->map);
    demo->map = g_strdup(map);
    if (demo->writing && !demo->file_map)
        demo->file_map = g_strdup(map);
}

struct qs_demo_writer *qs_session_demo_writer(struct qs_session_demo *demo)
{
    return &demo->out;
}

bool qs_session_demo_splits(const struct qs_session_demo *demo)
{
    return demo->setup.demo_options.split;
}

bool qs_session_demo_is_cut(const struct qs_session_demo *demo)
{
    const struct qs_demo_store *store = demo->setup.store;

    return demo->file && store->is_cut && store->is_cut(demo->file);
}

const struct qs_demo_counts *qs_session_demo_counts(const struct qs_session_demo *demo)
{
    return &demo->out.counts;
}

static void discard_file(struct qs_session_demo *demo)
{
    if (demo->file)
        demo->setup.store->end(demo->file);
    demo->file = NULL;
    demo->writing = false;
    g_clear_pointer(&demo->file_map, g_free);
}

static struct qs_demo_name_request naming_request(const struct qs_session_demo *demo)
{
    return (struct qs_demo_name_request){.capture = demo->setup.capture,
                                         .session = demo->setup.session,
                                         .start = demo->file_start,
                                         .player = demo->player,
                                         .map = demo->file_map,
                                         .extension = demo->setup.extension};
}

static void commit(struct qs_session_demo *demo, struct qs_session_demo_file *file)
{
    const struct qs_demo_name_request request = naming_request(demo);

    file->error = demo->setup.store->commit(demo->setup.store, demo->file, &request, &file->name);
}

static void end_file(struct qs_session_demo *demo)
{
    struct qs_session_demo_file *file;

    if (demo->unwanted)
        discard_file(demo);
    if (!demo->writing)
        return;
    file = g_new0(struct qs_session_demo_file, 1);
    file->size = demo->size;
    file->first = demo->file_first;
    file->start = demo->file_start;
    file->end = demo->file_end;
    file->map = g_strdup(demo->file_map);
    if (demo->file)
        commit(demo, file);
    g_ptr_array_add(demo->files, file);
    discard_file(demo);
}

/* --- What rebuilders call --- */

static void begin(struct qs_demo_writer *out)
{
    struct qs_session_demo *demo = (struct qs_session_demo *)out;

    struct qs_demo_name_request request;

    end_file(demo);
    demo->writing = true;
    demo->size = 0;
    demo->file_first = demo->number;
    demo->file_start = demo->file_end = demo->time;
    demo->file_map = g_strdup(demo->map);
    if (!demo->setup.store)
        return;
    request = naming_request(demo);
    demo->file = demo->setup.store->begin(demo->setup.store, &request);
}

static void write_bytes(struct qs_demo_writer *out, const void *data, size_t size)
{
    struct qs_session_demo *demo = (struct qs_session_demo *)out;

    demo->size += size;
    demo->file_end = MAX(demo->file_end, demo->time);
    if (demo->file)
        demo->setup.store->write(demo->file, data, size);
}

static void discard(struct qs_demo_writer *out)
{
    discard_file((struct qs_session_demo *)out);
}

static void start_missing(struct qs_demo_writer *out, const char *what)
{
    struct qs_session_demo *demo = (struct qs_session_demo *)out;

    if (!demo->lacks)
        demo->lacks = g_strdup(what);
}

static void problem(struct qs_demo_writer *out, const struct qs_packet *packet, const char *text)
{
    struct qs_session_demo *demo = (struct qs_session_demo *)out;
    struct qs_location location = {0};

    if (packet)
        location = (struct qs_location){.file = demo->source, .packet = packet->number};
    qs_session_problems_add(&demo->problems, location, text);
}

static void left_out(struct qs_demo_writer *out, const char *command)
{
    struct qs_session_demo *demo = (struct qs_session_demo *)out;
    guint count;

    if (g_tree_nnodes(demo->left_out) >= QS_DEMO_COMMANDS_MAX &&
        !g_tree_lookup(demo->left_out, command))
        command = "others";
    count = GPOINTER_TO_UINT(g_tree_lookup(demo->left_out, command)) + 1;
    g_tree_insert(demo->left_out, g_strdup(command), GUINT_TO_POINTER(count));
}

static void peers(struct qs_demo_writer *out, qs_peer_function *take, void *user)
{
    const struct qs_session_demo *demo = (const struct qs_session_demo *)out;

    if (demo->donor)
        qs_donor_peers(demo->donors, demo->donor, take, user);
}

/* --- The demo --- */

struct qs_session_demo *qs_session_demo_new(const struct qs_session_demo_setup *setup)
{
    struct qs_session_demo *demo = g_new0(struct qs_session_demo, 1);

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
    qs_session_problems_init(&demo->problems);
    return demo;
}

void qs_session_demo_free(struct qs_session_demo *demo)
{
    discard_file(demo);
    g_ptr_array_free(demo->files, TRUE);
    qs_session_problems_clear(&demo->problems);
    g_tree_destroy(demo->left_out);
    g_free(demo->player);
    g_free(demo->map);
    g_free(demo->lacks);
    g_free(demo->donation.name);
    g_free(demo->donation.unknown);
    g_free(demo->donation.refusals);
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

char *qs_session_demo_left_out_text(const struct qs_session_demo *demo)
{
    GString *text;

    if (!g_tree_nnodes(demo->left_out))
        return NULL;
    text = g_string_new(NULL);
    g_tree_foreach(demo->left_out, append_left_out, text);
    return g_string_free(text, FALSE);
}

void qs_session_demo_end(struct qs_session_demo *demo, bool keep)
{
    demo->dropped |= !keep;
    if (keep)
        end_file(demo);
    else
        discard_file(demo);
}

void qs_session_demo_drop(struct qs_session_demo *demo)
{
    demo->unwanted = demo->dropped = true;
}

bool qs_session_demo_is_dropped(const struct qs_session_demo *demo)
{
    return demo->dropped;
}

const GPtrArray *qs_session_demo_files(const struct qs_session_demo *demo)
{
    return demo->files;
}

const struct qs_session_problems *qs_session_demo_problems(const struct qs_session_demo *demo)
{
    return &demo->problems;
}

const char *qs_session_demo_lacks(const struct qs_session_demo *demo)
{
    return demo->lacks;
}

void qs_session_demo_set_peers(struct qs_session_demo *demo, const struct qs_donors *donors,
                               const struct qs_donor *donor)
{
    demo->donors = donors;
    demo->donor = donor;
}

void qs_session_demo_set_donor(struct qs_session_demo *demo, const struct qs_donor_choice *choice)
{
    const struct qs_donor_match *match = choice->match;

    demo->donation.name = g_strdup(choice->donor);
    demo->donation.refusals = g_strdup(choice->refusals);
    demo->donation.unproven = choice->unproven;
    if (match && match->unknown->len)
        demo->donation.unknown = g_strdup(match->unknown->str);
}

const struct qs_session_demo_donor *qs_session_demo_donor(const struct qs_session_demo *demo)
{
    return &demo->donation;
}
