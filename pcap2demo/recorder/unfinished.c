/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/unfinished.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/sessions/demo_input.h"
#include "pcap2demo/capture/load.h"
#include "pcap2demo/output/demo_files.h"
#include "pcap2demo/output/writer.h"
#include "pcap2demo/recorder/log.h"
#include "pcap2demo/recorder/notify.h"
#include "pcap2demo/recorder/run_lock.h"
#include "pcap2demo/recorder/unfinished_capture.h"

/* --- What is in it --------------------------------------------------------------------------- */

enum { ENDS_KEPT = 16 };

/* Reads a demo as a session, for the player's name and the map. */
struct look {
    struct qs_sessions_handler handler;
    struct unfinished *about;
    uint32_t ends[ENDS_KEPT]; /* of the last whole blocks */
    struct qs_view last;
};

static void take_session(struct qs_sessions_handler *handler,
                         const struct qs_client_session *session)
{
    struct unfinished *about = ((struct look *)handler)->about;

    about->player = g_strdup(session->player);
    if (session->maps->len)
        about->map = g_strdup(g_ptr_array_index(session->maps, 0));
}

static void read_blocks(struct look *look, struct qs_sessions *sessions,
                        struct qs_demo_input *recording)
{
    struct qs_demo_block block;

    qs_sessions_begin_demo(sessions, recording);
    while (qs_demo_input_next(recording, &block)) {
        qs_sessions_block(sessions, &block);
        look->ends[look->about->blocks++ % ENDS_KEPT] = block.offset + block.bytes.size;
        look->last = block.bytes;
    }
    qs_sessions_end_demo(sessions);
}

static void look_into(struct look *look, const struct qs_sessions_options *options,
                      struct qs_demo_input *recording)
{
    struct qs_sessions_options plain = *options;
    struct qs_sessions *sessions;

    plain.store = NULL;
    plain.sign_ons = NULL;
    plain.prompt = false;
    look->handler = (struct qs_sessions_handler){.session_end = take_session};
    sessions = qs_sessions_new(&plain, &look->handler);
    read_blocks(look, sessions, recording);
    qs_sessions_free(sessions, true);
}

/* --- Completing ------------------------------------------------------------------------------ */

/* The end of a file whose last block is `last`, in `end`; none where it has one. */
static void append_end(GByteArray *end, const struct qs_demo_format *format, struct qs_view last)
{
    format->append_end(end, last);
    if (last.size == end->len && memcmp(last.data, end->data, end->len) == 0)
        g_byte_array_set_size(end, 0);
}

static bool put_end(int file, uint64_t at, const GByteArray *end)
{
    return pwrite(file, end->data, end->len, (off_t)at) == (ssize_t)end->len &&
           ftruncate(file, (off_t)(at + end->len)) == 0;
}

/* Where the disk has no room for the end, it takes that of the last blocks. */
static char *write_end(const char *path, const struct look *look, const GByteArray *end,
                       uint64_t *size)
{
    const int file = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    const uint64_t blocks = look->about->blocks;
    char *error = NULL;
    bool done = false;

    for (uint64_t i = 0; file >= 0 && !done && i < MIN(blocks, ENDS_KEPT); i++) {
        *size = look->ends[(blocks - 1 - i) % ENDS_KEPT] + end->len;
        done = put_end(file, *size - end->len, end);
    }
    if (!done)
        error = g_strdup(g_strerror(errno));
    if (file >= 0)
        close(file);
    return error;
}

static char *complete(const char *path, const struct qs_sessions_options *options,
                      struct qs_demo_input *recording, struct unfinished *about)
{
    struct look look = {.about = about};
    GByteArray *end = g_byte_array_new();
    char *error;

    look_into(&look, options, recording);
    append_end(end, qs_demo_input_demo_format(recording), look.last);
    if (about->blocks) {
        error = write_end(path, &look, end, &about->size);
    } else {
        error = g_strdup("there is nothing in it");
        unlink(path);
    }
    g_byte_array_free(end, TRUE);
    return error;
}

bool unfinished_complete(const char *path, const struct qs_sessions_options *options,
                         struct unfinished *about, char **error)
{
    FILE *stream = fopen(path, "rb");
    struct qs_demo_input *recording;
    GByteArray *bytes;
    char *problem = NULL;

    *about = (struct unfinished){0};
    *error = NULL;
    if (!stream) {
        *error = g_strdup(g_strerror(errno));
        return false;
    }
    bytes = load_stream(stream, QS_DEMO_INPUT_MAX, &problem);
    fclose(stream);
    recording = qs_demo_input_open(bytes, problem, path, error);
    if (!recording)
        return false;
    *error = complete(path, options, recording, about);
    qs_demo_input_close(recording);
    return !*error;
}

void unfinished_clear(struct unfinished *about)
{
    g_free(about->player);
    g_free(about->map);
}

/* --- Names ----------------------------------------------------------------------------------- */

char *unfinished_suffix(const struct qs_demo_name_request *request)
{
    return g_strdup_printf(".%s@%" G_GINT64_FORMAT ".%s", request->capture, request->start,
                           request->extension);
}

/* What unfinished_suffix() was made of. The texts stand in `name`, which is changed. */
static bool read_name(char *name, struct qs_demo_name_request *request)
{
    char *capture = strchr(name + 1, '.'), *at = strrchr(name, '@');
    char *dot = at ? strchr(at, '.') : NULL;

    if (!capture || !dot || at < capture)
        return false;
    *at = *dot = '\0';
    *request = (struct qs_demo_name_request){
        .capture = capture + 1, .start = g_ascii_strtoll(at + 1, NULL, 10), .extension = dot + 1};
    return true;
}

/* --- What was left behind -------------------------------------------------------------------- */

struct search {
    const char *folder;
    const struct qs_sessions_options *options;
    struct qs_demo_names *naming;
    unsigned found;
};

static void tell_completed(const struct search *search, const char *name,
                           const struct unfinished *about, const char *remark)
{
    char *path = g_build_filename(search->folder, name, NULL);

    log_warning("unfinished",
                json_pack("{s:s, s:I, s:I}", "file", path, "bytes", (json_int_t)about->size,
                          "blocks", (json_int_t)about->blocks),
                "%s: an unfinished recording, completed: %" G_GUINT64_FORMAT " bytes%s", path,
                about->size, remark);
    g_free(path);
}

static void cannot_complete(const char *path, const char *error)
{
    log_warning("unfinished", NULL, "%s: an unfinished recording cannot be completed: %s", path,
                error);
}

static void give_name(struct search *search, const char *path, const struct unfinished *about,
                      struct qs_demo_name_request *request, const char *remark)
{
    struct writer *writer = writer_adopt(search->folder, path, about->size);
    char *name, *error;

    request->player = about->player;
    request->map = about->map;
    error = demo_files_name(search->naming, false, writer, request, &name);
    if (error) {
        log_warning("unfinished", NULL, "%s: an unfinished recording cannot be named: %s", path,
                    error);
        writer_forget(writer);
    } else {
        search->found++;
        tell_completed(search, name, about, remark);
    }
    writer_free(writer);
    g_free(name);
    g_free(error);
}

static void complete_demo(struct search *search, const char *path,
                          struct qs_demo_name_request *request)
{
    struct unfinished about;
    char *error;

    if (unfinished_complete(path, search->options, &about, &error))
        give_name(search, path, &about, request, "");
    else
        cannot_complete(path, error);
    unfinished_clear(&about);
    g_free(error);
}

/* --- Captures of sessions --- */

/* Hears of the sessions of a capture. */
struct capture_look {
    struct qs_sessions_handler handler;
    struct search *search;
    struct unfinished about;
    unsigned demos;
};

static void learn_player_and_map(struct qs_sessions_handler *handler,
                                 const struct qs_client_session *session)
{
    struct unfinished *about = &((struct capture_look *)handler)->about;

    if (!about->player)
        about->player = g_strdup(session->player);
    if (!about->map && session->maps->len)
        about->map = g_strdup(g_ptr_array_index(session->maps, 0));
}

static void count_demo(struct qs_sessions_handler *handler, const struct qs_client_session *session,
                       const struct qs_session_demo_file *file)
{
    struct capture_look *look = (struct capture_look *)handler;
    const struct unfinished about = {.size = file->size, .blocks = session->packets};

    if (file->error)
        return;
    look->demos++;
    tell_completed(look->search, file->name, &about, ", made of its packets");
}

/* Demos of what a session that began late has left: those of its levels that are whole. */
static char *rebuild_late(struct search *search, const char *path, const char *stem,
                          struct capture_look *look)
{
    struct qs_sessions_options options = *search->options;
    struct demo_files *files = demo_files_new(search->folder, false);
    char *error;

    options.store = demo_files_store(files);
    look->handler.write_demos = true;
    error = unfinished_capture_read(path, stem, &options, &look->handler);
    demo_files_free(files);
    return error;
}

static char *read_capture(struct search *search, const char *path, const char *stem, bool late,
                          struct capture_look *look)
{
    struct qs_sessions_options options = *search->options;

    look->search = search;
    look->handler = (struct qs_sessions_handler){
        .want_rebuild = late, .demo_file = count_demo, .session_end = learn_player_and_map};
    if (late)
        return rebuild_late(search, path, stem, look);
    options.store = NULL;
    return unfinished_capture_read(path, stem, &options, &look->handler);
}

/* Once it has given a demo, the capture of a late session is not needed any more. */
static void complete_capture(struct search *search, const char *path,
                             struct qs_demo_name_request *request, bool late)
{
    struct capture_look look = {0};
    char *error;

    request->extension = UNFINISHED_CAPTURE;
    if (!unfinished_capture_cut(path, &look.about.size, &look.about.blocks, &error) ||
        (error = read_capture(search, path, request->capture, late, &look)))
        cannot_complete(path, error);
    else if (!look.demos)
        give_name(search, path, &look.about, request,
                  late ? ", the packets of a session that began before the recording: pcap2demo "
                         "--sign-on makes a demo of them"
                       : "");
    else if (unlink(path) == 0)
        search->found += look.demos;
    unfinished_clear(&look.about);
    g_free(error);
}

/* --- Any --- */

static void complete_file(struct search *search, const char *name)
{
    char *path = g_build_filename(search->folder, name, NULL);
    char *words = g_strdup(name);
    struct qs_demo_name_request request;
    bool late;

    notify_starting("completing unfinished recordings");
    if (read_name(words, &request)) {
        late = strcmp(request.extension, UNFINISHED_LATE) == 0;
        if (late || strcmp(request.extension, UNFINISHED_CAPTURE) == 0)
            complete_capture(search, path, &request, late);
        else
            complete_demo(search, path, &request);
    }
    g_free(words);
    g_free(path);
}

/* The files of the folder that are of runs, new; each as its name. */
static GPtrArray *files_of_runs(const char *folder)
{
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
    GDir *directory = g_dir_open(folder, 0, NULL);
    const char *name;

    while (directory && (name = g_dir_read_name(directory)))
        if (g_str_has_prefix(name, RUN_PREFIX))
            g_ptr_array_add(files, g_strdup(name));
    if (directory)
        g_dir_close(directory);
    return files;
}

static void complete_run(struct search *search, const GPtrArray *files, const char *run)
{
    struct run_lock *lock = run_lock_take_over(search->folder, run);

    if (!lock)
        return;
    for (guint i = 0; i < files->len; i++)
        if (g_str_has_prefix(g_ptr_array_index(files, i), run_lock_prefix(lock)))
            complete_file(search, g_ptr_array_index(files, i));
    run_lock_free(lock);
}

/* Each run once. */
static void complete_runs(struct search *search, const GPtrArray *files)
{
    GHashTable *runs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    for (guint i = 0; i < files->len; i++) {
        char *run = run_of_file(g_ptr_array_index(files, i));

        if (run && g_hash_table_add(runs, run))
            complete_run(search, files, run);
    }
    g_hash_table_destroy(runs);
}

unsigned unfinished_find(const char *folder, const struct qs_sessions_options *options)
{
    struct search search = {
        .folder = folder, .options = options, .naming = qs_demo_names_new(NULL)};
    GPtrArray *files = files_of_runs(folder);

    complete_runs(&search, files);
    g_ptr_array_free(files, TRUE);
    qs_demo_names_free(search.naming);
    return search.found;
}
