/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recording/recording.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/demo_formats.h"
#include "common/sessions/demo_input.h"
#include "pcap2demo/capture/source.h"
#include "pcap2demo/output/files.h"

#define UNFINISHED ".pcap2demo-"
#define UNTIL_FILE UNFINISHED "until"

enum { NAMES_MAX = 4096 /* maximum number of names to remember */ };

struct recordings {
    struct qs_demo_store store;
    const struct recorder_options *options;
    const char *folder;
    int lock; /* descriptor of the locked folder */
    struct qs_demo_names *naming;
    int64_t until; /* demos that ended at or before this time exist already */
    int64_t saved; /* time stamp in the file */
    /* First end and last start of all demos that could not be written; 0: none. */
    int64_t unwritten_end, unwritten_start;
    bool *no_room;
    bool leaves;
};

struct recording {
    struct recordings *all;
    const struct qs_demo_format *format;
    struct writer *writer; /* NULL: no disk space at its start */
    uint64_t written;
    bool cut; /* no more bytes are written */
};

/* --- Store of demos -------------------------------------------------------------------------- */

static bool has_room(const struct recordings *all)
{
    struct statvfs disk;

    return statvfs(all->folder, &disk) != 0 ||
           (uint64_t)disk.f_bavail * disk.f_frsize >= all->options->min_free;
}

static void check_room(struct recordings *all)
{
    const bool no_room = !has_room(all);

    if (no_room && !*all->no_room)
        log_event(LOG_WARNING, "disk_full", NULL,
                  "%s: less free disk space than --min-free: no new demos", all->folder);
    else if (!no_room && *all->no_room)
        log_event(LOG_WARNING, "disk_room", NULL, "%s: demos begin again", all->folder);
    *all->no_room = no_room;
}

static void *begin(struct qs_demo_store *store, const struct qs_demo_name_request *request)
{
    struct recordings *all = (struct recordings *)store;
    struct recording *recording = g_new0(struct recording, 1);
    g_autofree char *pattern = g_strdup_printf(UNFINISHED "%" G_GINT64_FORMAT "-XXXXXX.%s",
                                               request->start, request->extension);

    check_room(all);
    recording->all = all;
    recording->format = qs_demo_format_of_name(pattern);
    recording->cut = *all->no_room;
    if (!recording->cut)
        recording->writer = writer_new_named(all->folder, pattern);
    return recording;
}

/* Writes whole blocks. The end of a demo replaces the block that exceeds --max-demo-size. */
static void write_bytes(void *file, const void *data, size_t size)
{
    struct recording *recording = file;
    const uint64_t max = recording->all->options->max_demo_size;

    if (recording->cut)
        return;
    recording->cut = max && recording->written + size > max;
    if (recording->cut) {
        GByteArray *end = g_byte_array_new();

        recording->format->file->append_end(end, (struct qs_view){data, (uint32_t)size});
        writer_add(recording->writer, end->data, end->len);
        recording->written += end->len;
        g_byte_array_free(end, TRUE);
    } else {
        writer_add(recording->writer, data, size);
        recording->written += size;
    }
}

static bool is_cut(const void *file)
{
    return ((const struct recording *)file)->cut;
}

static void name_demo(struct recording *recording, const struct qs_demo_name_request *request,
                      struct qs_session_demo_file *result)
{
    struct recordings *all = recording->all;

    do {
        g_free(result->error);
        g_free(result->name);
        result->name = qs_demo_names_next(all->naming, request);
        result->error = writer_commit(recording->writer, result->name, false);
    } while (writer_name_is_taken(recording->writer));
    result->unchanged = writer_is_unchanged(recording->writer);
}

static void commit(struct qs_demo_store *store, void *file,
                   const struct qs_demo_name_request *request, struct qs_session_demo_file *result)
{
    struct recordings *all = (struct recordings *)store;
    struct recording *recording = file;

    if (request->end <= all->until) {
        result->name = qs_demo_names_next(all->naming, request);
        result->unchanged = true;
    } else if (!recording->writer) {
        result->error = g_strdup("too little free disk space (--min-free)");
    } else {
        name_demo(recording, request, result);
        result->size = recording->written;
    }
    if (result->error) {
        all->unwritten_end =
            MIN(all->unwritten_end ? all->unwritten_end : G_MAXINT64, request->end);
        all->unwritten_start = MAX(all->unwritten_start, request->start);
    }
    qs_demo_names_forget(all->naming, NAMES_MAX);
}

static void end(void *file)
{
    struct recording *recording = file;

    if (recording->writer && recording->all->leaves)
        writer_leave(recording->writer);
    else if (recording->writer)
        writer_free(recording->writer);
    g_free(recording);
}

/* --- Time stamp ------------------------------------------------------------------------------ */

/* Writes the time stamp. Returns NULL, or a new error text; also if the folder was replaced. */
static char *save_until(struct recordings *all, int64_t until)
{
    g_autofree char *path = g_build_filename(all->folder, UNTIL_FILE, NULL);
    g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT "\n", until);
    struct stat present, locked;

    if (stat(all->folder, &present) != 0 || fstat(all->lock, &locked) != 0)
        return g_strdup_printf("%s: %s", all->folder, g_strerror(errno));
    if (present.st_ino != locked.st_ino)
        return g_strdup_printf("%s: another folder has this name now", all->folder);
    all->saved = until;
    return writer_replace(path, text);
}

char *recordings_set_until(struct recordings *all, int64_t until, int64_t oldest)
{
    if (!oldest || all->unwritten_start < oldest)
        all->unwritten_end = all->unwritten_start = 0;
    if (all->unwritten_end)
        until = MIN(until, all->unwritten_end - 1);
    return until == all->saved ? NULL : save_until(all, until);
}

static void read_until(struct recordings *all)
{
    g_autofree char *path = g_build_filename(all->folder, UNTIL_FILE, NULL), *text = NULL;

    if (g_file_get_contents(path, &text, NULL, NULL))
        all->until = g_ascii_strtoll(text, NULL, 10);
    if (all->until > g_get_real_time() * 1000) /* the clock was wrong at that time */
        all->until = 0;
}

/* --- Unfinished demos of an earlier process -------------------------------------------------- */

/* Contents of an unfinished demo. */
struct contents {
    struct qs_sessions_handler handler;
    uint64_t whole;  /* size of its complete blocks, in bytes */
    GByteArray *end; /* bytes that end the demo, if missing */
    char *player, *map;
};

static void on_session_end(struct qs_sessions_handler *handler,
                           const struct qs_client_session *session)
{
    struct contents *contents = (struct contents *)handler;

    contents->player = g_strdup(session->player);
    contents->map = session->maps->len ? g_strdup(g_ptr_array_index(session->maps, 0)) : NULL;
}

static void read_blocks(struct contents *contents, const struct qs_sessions_options *options,
                        struct qs_demo_input *demo)
{
    struct qs_sessions *sessions = qs_sessions_new(options, &contents->handler);
    struct qs_demo_block block;
    struct qs_view last = {0};

    qs_sessions_set_source(sessions, demo->name, "");
    qs_sessions_begin_demo(sessions, demo);
    while (qs_demo_input_next(demo, &block)) {
        qs_sessions_block(sessions, &block);
        last = block.bytes;
        contents->whole = block.offset + last.size;
    }
    qs_sessions_end_demo(sessions);
    demo->reader.format->file->append_end(contents->end, last);
    if (last.data && last.size == contents->end->len &&
        memcmp(last.data, contents->end->data, last.size) == 0)
        g_byte_array_set_size(contents->end, 0); /* the demo has an end */
    qs_sessions_free(sessions, true);
}

/* Reads an unfinished demo. False if it has no complete block. */
static bool read_contents(struct contents *contents, const struct qs_sessions_options *options,
                          FILE *stream, const char *path)
{
    char *problem = NULL, *error = NULL;
    GByteArray *bytes = source_load(stream, QS_DEMO_INPUT_MAX, &problem);
    struct qs_demo_input *demo = qs_demo_input_open(bytes, problem, path, &error);

    if (demo) {
        read_blocks(contents, options, demo);
        qs_demo_input_close(demo);
    }
    g_free(error);
    return contents->whole != 0;
}

/* Cuts a demo behind its last whole block, ends and names it; or removes it if there is none. */
static void complete(struct recordings *all, const struct qs_sessions_options *options,
                     const char *name, int64_t start)
{
    g_autofree char *path = g_build_filename(all->folder, name, NULL);
    const int file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    FILE *stream = file >= 0 ? fdopen(file, "rb") : NULL;
    struct contents contents = {.handler.session_end = on_session_end, .end = g_byte_array_new()};
    struct qs_session_demo_file result = {0};
    const bool any = stream && read_contents(&contents, options, stream, path);
    const struct qs_demo_name_request request = {.capture = "",
                                                 .start = start,
                                                 .player = contents.player,
                                                 .map = contents.map,
                                                 .extension = strrchr(name, '.') + 1};

    /* A larger demo was not completely read, and is not cut. */
    if (any && (lseek(file, 0, SEEK_END) > QS_DEMO_INPUT_MAX ||
                ftruncate(file, (off_t)contents.whole) == 0)) {
        struct recording recording = {.all = all, .writer = writer_new_on(all->folder, name)};

        writer_add(recording.writer, contents.end->data, contents.end->len);
        name_demo(&recording, &request, &result);
        (result.error ? writer_leave : writer_free)(recording.writer);
        log_event(LOG_WARNING, "unfinished", json_pack("{s:s}", "file", result.name), "%s: %s",
                  result.name,
                  result.error ? result.error
                               : "an unfinished demo whose beginning the ring has lost");
    } else if (stream && !any) {
        unlink(path);
    }
    if (stream)
        fclose(stream);
    g_byte_array_free(contents.end, TRUE);
    g_free(contents.player);
    g_free(contents.map);
    g_free(result.name);
    g_free(result.error);
}

void recordings_complete(struct recordings *all, const struct qs_sessions_options *options,
                         int64_t oldest)
{
    DIR *folder = opendir(all->folder);
    const struct dirent *entry;

    while (folder && (entry = readdir(folder))) {
        const char *name = entry->d_name;
        char *after = NULL;
        int64_t start;

        if (!g_str_has_prefix(name, UNFINISHED))
            continue;
        start = g_ascii_strtoll(name + strlen(UNFINISHED), &after, 10);
        if (*after == '-' && qs_demo_format_of_name(name) && oldest > start)
            complete(all, options, name, start);
        else if (*after == '-' || g_str_has_suffix(name, ".tmp"))
            unlinkat(dirfd(folder), name, 0);
    }
    if (folder)
        closedir(folder);
}

/* --- Life of the recordings ------------------------------------------------------------------ */

void recordings_leave(struct recordings *all)
{
    all->leaves = true;
}

void recordings_free(struct recordings *all)
{
    if (all->lock >= 0)
        close(all->lock);
    qs_demo_names_free(all->naming);
    g_free(all);
}

struct recordings *recordings_new(const char *folder, const struct recorder_options *options,
                                  bool *no_room, char **error)
{
    struct recordings *all = g_new0(struct recordings, 1);

    all->store = (struct qs_demo_store){
        .begin = begin, .write = write_bytes, .is_cut = is_cut, .commit = commit, .end = end};
    all->options = options;
    all->folder = folder;
    all->no_room = no_room;
    all->naming = qs_demo_names_new(NULL);
    *error = make_folders(folder);
    all->lock = *error ? -1 : open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (!*error && (all->lock < 0 || flock(all->lock, LOCK_EX | LOCK_NB) != 0))
        *error = g_strdup_printf("%s: %s", folder,
                                 errno == EWOULDBLOCK ? "another pcap2demo records to this folder"
                                                      : g_strerror(errno));
    if (!*error) {
        read_until(all);
        *error = save_until(all, all->until);
    }
    if (!*error)
        return all;
    recordings_free(all);
    return NULL;
}
