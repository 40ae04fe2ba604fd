/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/demo.h"

#include <string.h>

#include "common/core/numeric_text.h"
#include "common/core/text.h"
#include "common/demo/sanitize/sanitize.h"

/* Private members of a session's demo. */
struct demo {
    struct qs_session_demo shared;
    const char *source;             /* file of the current packet */
    uint64_t number;                /* number of the current packet */
    int64_t origin;                 /* time of the first packet (ns); 0 before */
    char *map;                      /* the session's map; NULL if unknown */
    bool writing;                   /* a file has begun: */
    void *file;                     /* the store's handle; NULL if the file is only counted */
    uint64_t first;                 /* number of its first packet */
    int64_t start;                  /* time of its first packet (ns) */
    int64_t end;                    /* time of the latest packet that wrote to it (ns) */
    char *file_map;                 /* map for its name, or NULL */
    GTree *left_out;                /* number of times each command was left out: char * to guint */
    struct qs_sanitizer *sanitizer; /* NULL without --sanitize */
    struct qs_session_demo_setup setup;
};

/* --- Problems -------------------------------------------------------------------------------- */

static void problem_free(gpointer data)
{
    struct qs_session_demo_problem *problem = data;

    g_free(problem->kind);
    g_free(problem->text);
    g_array_free(problem->packets, TRUE);
    g_free(problem);
}

/* Returns a new text with "#" for numbers: "frame 12 is left out" → "frame # is left out". Digits
 * behind a letter belong to a name, such as the map's: levels dm4 and dm6 have problems of two
 * kinds. */
static char *kind_of(const char *text)
{
    GString *kind = g_string_new(NULL);

    for (; *text; text++) {
        const bool in_word = kind->len && g_ascii_isalnum(kind->str[kind->len - 1]);

        if (!g_ascii_isdigit(*text) || in_word) {
            g_string_append_c(kind, *text);
            continue;
        }
        g_string_append_c(kind, '#');
        while (g_ascii_isdigit(text[1]))
            text++;
    }
    return g_string_free(kind, FALSE);
}

/* Returns the problem of this kind, or adds it. Takes `kind`. NULL if there are `max` kinds. */
static struct qs_session_demo_problem *find_or_add_problem(struct qs_session_problems *problems,
                                                           char *kind, guint max)
{
    struct qs_session_demo_problem *problem;

    for (guint i = 0; i < problems->kinds->len; i++) {
        problem = g_ptr_array_index(problems->kinds, i);
        if (strcmp(problem->kind, kind) == 0) {
            g_free(kind);
            return problem;
        }
    }
    if (problems->kinds->len - problems->holes == max) {
        g_free(kind);
        return NULL;
    }
    problem = g_new0(struct qs_session_demo_problem, 1);
    problem->kind = kind;
    problem->packets = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    g_ptr_array_add(problems->kinds, problem);
    return problem;
}

/* Adds a packet and its times (ns since the epoch) to a problem. */
static void add_location(const struct demo *demo, struct qs_session_demo_problem *problem,
                         uint64_t packet, int64_t from, int64_t until)
{
    const int64_t start = demo->writing ? demo->start : demo->origin;

    problem->until.time = MAX(until - start, 0);
    problem->until.demo = demo->writing ? demo->shared.files->len + 1 : 0;
    if (!problem->file) {
        problem->file = demo->source;
        problem->from = problem->until;
        problem->from.time = MAX(from - start, 0);
    }
    if (problem->file == demo->source && problem->packets->len < QS_DEMO_PROBLEM_PACKETS_MAX)
        g_array_append_val(problem->packets, packet);
}

static void add_problem(struct qs_demo_writer *writer, const struct qs_packet *packet,
                        uint64_t amount, const char *text)
{
    struct demo *demo = (struct demo *)writer;
    struct qs_session_problems *problems = &demo->shared.problems;
    struct qs_session_demo_problem *problem =
        find_or_add_problem(problems, kind_of(text), QS_DEMO_PROBLEMS_MAX);

    problems->count++;
    if (!problem) {
        problems->others++;
        return;
    }
    if (!problem->text)
        problem->text = qs_text_printable(text);
    problem->count++;
    problem->amount += amount;
    if (packet)
        add_location(demo, problem, packet->number, packet->time, packet->time);
}

/* --- Holes: one problem for each of the first, and one for all others ------------------------ */

static char *hole_text(const struct qs_hole *hole)
{
    const uint32_t client = hole->packets[0], server = hole->packets[1];
    g_autofree char *others =
        client ? g_strdup_printf(" and %u of the client", client) : g_strdup("");

    return g_strdup_printf("%u packet%s of the server%s %s missing from the capture%s", server,
                           qs_plural(server), others, server + client > 1 ? "are" : "is",
                           hole->fits_level ? "; the map may have changed" : "");
}

/* Adds a hole, or updates it: a late session is decoded again, and numbers its holes again. */
static void add_hole(struct qs_demo_writer *writer, const struct qs_packet *packet,
                     const struct qs_hole *hole)
{
    struct demo *demo = (struct demo *)writer;
    struct qs_session_problems *problems = &demo->shared.problems;
    const bool single = hole->number <= QS_DEMO_HOLES_MAX;
    const guint kinds = problems->kinds->len;
    struct qs_session_demo_problem *problem = find_or_add_problem(
        problems, single ? g_strdup_printf("hole %u", hole->number) : g_strdup("holes"), G_MAXUINT);
    const bool is_new =
        single ? problems->kinds->len > kinds : hole->number != writer->reported.number;

    problems->holes += problems->kinds->len - kinds;
    problems->count += is_new;
    problem->count += is_new;
    g_free(problem->text);
    if (single)
        problem->text = hole_text(hole);
    else
        problem->text = g_strdup("packets of the server are missing from the capture");
    problem->amount += single ? 0 : qs_hole_growth(hole, &writer->reported, QS_S2C);
    /* The packet behind a hole that grew replaces the one before. */
    if (!is_new && problem->file == demo->source && problem->packets->len &&
        problem->packets->len == problem->count)
        g_array_set_size(problem->packets, problem->packets->len - 1);
    add_location(demo, problem, packet->number, hole->begin, hole->end);
}

void qs_session_demo_cut(struct qs_session_demo *shared, uint64_t cut, uint64_t packets,
                         uint32_t size)
{
    struct qs_session_demo_problem *problem = g_new0(struct qs_session_demo_problem, 1);

    problem->kind = g_strdup("cut");
    problem->text = g_strdup_printf(
        "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
        " packets were cut, to %u bytes of their content at most: record with tcpdump -s 0",
        cut, packets, size);
    problem->count = 1;
    problem->packets = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    g_ptr_array_insert(shared->problems.kinds, 0, problem);
    shared->problems.holes++;
    shared->problems.count++;
}

static void append_moment(GString *text, const char *before, struct qs_demo_moment moment,
                          bool name_demo)
{
    g_autofree char *time = qs_duration_text(moment.time / 1000000000);

    g_string_append_printf(text, "%s %s", before, time);
    if (name_demo && moment.demo)
        g_string_append_printf(text, " of demo %u", moment.demo);
    else if (name_demo)
        g_string_append(text, " of the session");
}

/* Appends "at 0:21: ", or "from 0:21 to 0:40 of demo 2: ". A problem within the only demo does not
 * name it; times before a demo are "of the session". `files`: number of demos. */
static void append_times(GString *text, const struct qs_session_demo_problem *problem, guint files)
{
    const struct qs_demo_moment from = problem->from, until = problem->until;
    const bool same = from.demo == until.demo;
    const bool name_demos = files > 1 || !same || (files && !from.demo);

    if (same && until.time - from.time < 1000000000) {
        append_moment(text, "at", from, name_demos);
    } else {
        append_moment(text, "from", from, name_demos && !same);
        append_moment(text, " to", until, name_demos);
    }
    g_string_append(text, ": ");
}

char *qs_session_demo_problem_text(const struct qs_session_demo *demo,
                                   const struct qs_session_demo_problem *problem)
{
    const guint shown = problem->packets->len;
    const bool times = problem->count > 1 && problem->count != problem->amount;
    GString *text = g_string_new(NULL);

    if (problem->file)
        append_times(text, problem, demo->files->len);
    g_string_append(text, problem->text);
    if (problem->amount)
        g_string_append_printf(text, ": %" G_GUINT64_FORMAT, problem->amount);
    if (!times && !shown)
        return g_string_free(text, FALSE);
    g_string_append(text, " (");
    if (times)
        g_string_append_printf(text, "%" G_GUINT64_FORMAT " times", problem->count);
    if (shown)
        g_string_append_printf(text, "%spacket%s", times ? ": " : "", qs_plural(shown));
    for (guint i = 0; i < shown; i++)
        g_string_append_printf(text, "%s %" G_GUINT64_FORMAT, i ? "," : "",
                               g_array_index(problem->packets, uint64_t, i));
    g_string_append(text, shown && shown < problem->count ? ", …)" : ")");
    return g_string_free(text, FALSE);
}

/* --- Files ----------------------------------------------------------------------------------- */

static void file_free(gpointer data)
{
    struct qs_session_demo_file *file = data;

    g_free(file->name);
    g_free(file->map);
    g_free(file->error);
    g_free(file);
}

static void discard_file(struct demo *demo)
{
    if (demo->file)
        demo->setup.store->end(demo->file);
    demo->file = NULL;
    demo->writing = false;
    g_clear_pointer(&demo->file_map, g_free);
}

static struct qs_demo_name_request name_request(const struct demo *demo)
{
    return (struct qs_demo_name_request){.capture = demo->setup.capture,
                                         .session = demo->setup.session,
                                         .start = demo->start,
                                         .end = demo->shared.time,
                                         .player = demo->shared.player,
                                         .map = demo->file_map,
                                         .extension = demo->setup.format->extension};
}

static void end_file(struct demo *demo)
{
    const int64_t duration = demo->shared.writer.duration;
    struct qs_demo_store *store = demo->setup.store;
    struct qs_demo_name_request request;
    struct qs_session_demo_file *file;

    if (demo->shared.dropped)
        discard_file(demo);
    if (!demo->writing)
        return;
    file = g_new(struct qs_session_demo_file, 1);
    *file = (struct qs_session_demo_file){.size = demo->shared.size,
                                          .first = demo->first,
                                          .start = demo->start,
                                          .end = duration ? demo->start + duration : demo->end,
                                          .map = g_strdup(demo->file_map)};
    request = name_request(demo);
    if (demo->file)
        store->commit(store, demo->file, &request, file);
    g_ptr_array_add(demo->shared.files, file);
    discard_file(demo);
}

static void begin_file(struct qs_demo_writer *writer)
{
    struct demo *demo = (struct demo *)writer;
    struct qs_demo_store *store = demo->setup.store;
    struct qs_demo_name_request request;

    end_file(demo);
    demo->writing = true;
    demo->shared.size = 0;
    demo->first = demo->number;
    demo->start = demo->end = demo->shared.time;
    demo->file_map = g_strdup(demo->map);
    request = name_request(demo);
    if (store)
        demo->file = store->begin(store, &request);
    if (demo->sanitizer)
        qs_sanitizer_begin(demo->sanitizer);
}

static void append_bytes(struct qs_demo_writer *writer, const void *data, size_t size)
{
    struct demo *demo = (struct demo *)writer;

    demo->shared.size += size;
    demo->end = MAX(demo->end, demo->shared.time);
    if (demo->file)
        demo->setup.store->write(demo->file, data, size);
}

static void sanitize_bytes(struct qs_demo_writer *writer, const void *data, size_t size)
{
    qs_sanitizer_write(((struct demo *)writer)->sanitizer, writer,
                       (struct qs_view){data, (uint32_t)size});
}

static void discard(struct qs_demo_writer *writer)
{
    discard_file((struct demo *)writer);
}

/* --- Other reports of rebuilders ------------------------------------------------------------- */

static void start_missing(struct qs_demo_writer *writer, const char *what)
{
    struct qs_session_demo *demo = (struct qs_session_demo *)writer;

    if (!demo->lacks)
        demo->lacks = g_strdup(what);
}

static gint compare_names(gconstpointer a, gconstpointer b, gpointer data)
{
    (void)data;
    return strcmp(a, b);
}

static void count_left_out(struct qs_demo_writer *writer, const char *command)
{
    GTree *left_out = ((struct demo *)writer)->left_out;
    guint count;

    if (g_tree_nnodes(left_out) >= QS_DEMO_COMMANDS_MAX && !g_tree_lookup(left_out, command))
        command = "others";
    count = GPOINTER_TO_UINT(g_tree_lookup(left_out, command)) + 1;
    g_tree_insert(left_out, g_strdup(command), GUINT_TO_POINTER(count));
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
    GTree *left_out = ((const struct demo *)demo)->left_out;
    GString *text;

    if (!g_tree_nnodes(left_out))
        return NULL;
    text = g_string_new(NULL);
    g_tree_foreach(left_out, append_left_out, text);
    return g_string_free(text, FALSE);
}

/* --- Life of a demo -------------------------------------------------------------------------- */

struct qs_session_demo *qs_session_demo_new(const struct qs_session_demo_setup *setup)
{
    const bool sanitize = setup->demo_options.sanitize;
    struct demo *demo = g_new0(struct demo, 1);

    demo->setup = *setup;
    demo->sanitizer = sanitize ? qs_sanitizer_new(setup->format) : NULL;
    demo->left_out = g_tree_new_full(compare_names, NULL, g_free, NULL);
    demo->shared.files = g_ptr_array_new_with_free_func(file_free);
    demo->shared.problems.kinds = g_ptr_array_new_with_free_func(problem_free);
    demo->shared.writer = (struct qs_demo_writer){.begin = begin_file,
                                                  .write = sanitize ? sanitize_bytes : append_bytes,
                                                  .append = append_bytes,
                                                  .discard = discard,
                                                  .start_missing = start_missing,
                                                  .left_out = count_left_out,
                                                  .problem = add_problem,
                                                  .hole = add_hole,
                                                  .sanitized = sanitize,
                                                  .no_bytes = !setup->store && !sanitize,
                                                  .qwd_format = setup->demo_options.qwd_format};
    return &demo->shared;
}

void qs_session_demo_free(struct qs_session_demo *shared)
{
    struct demo *demo = (struct demo *)shared;

    discard_file(demo);
    g_ptr_array_free(shared->files, TRUE);
    g_ptr_array_free(shared->problems.kinds, TRUE);
    g_free(shared->lacks);
    qs_donor_choice_clear(&shared->donor);
    g_tree_destroy(demo->left_out);
    qs_sanitizer_free(demo->sanitizer);
    g_free(demo->map);
    g_free(demo);
}

bool qs_session_demo_splits(const struct qs_session_demo *shared)
{
    const struct demo *demo = (const struct demo *)shared;
    const struct qs_demo_store *store = demo->setup.store;

    return demo->setup.demo_options.split ||
           (demo->file && store->is_cut && store->is_cut(demo->file));
}

void qs_session_demo_set_source(struct qs_session_demo *shared, const char *file,
                                const struct qs_packet *packet)
{
    struct demo *demo = (struct demo *)shared;

    demo->source = file;
    demo->number = packet->number;
    shared->time = packet->time;
    if (!demo->origin)
        demo->origin = packet->time;
}

void qs_session_demo_set_map(struct qs_session_demo *shared, const char *map)
{
    struct demo *demo = (struct demo *)shared;

    g_free(demo->map);
    demo->map = g_strdup(map);
    if (demo->writing && !demo->file_map)
        demo->file_map = g_strdup(map);
}

void qs_session_demo_end(struct qs_session_demo *shared, bool keep)
{
    if (!keep)
        shared->dropped = "it is not kept";
    if (keep)
        end_file((struct demo *)shared);
    else
        discard_file((struct demo *)shared);
}
