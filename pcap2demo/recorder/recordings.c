/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/recordings.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/demo_formats.h"
#include "pcap2demo/output/message.h"
#include "pcap2demo/output/safe_path.h"
#include "pcap2demo/output/writer.h"
#include "pcap2demo/recorder/log.h"
#include "pcap2demo/recorder/quota.h"
#include "pcap2demo/recorder/recovery.h"
#include "pcap2demo/recorder/sync.h"

enum {
    WAITING_MAX = 64 * 1024 * 1024,     /* bytes of all recordings */
    WAITING_EACH_MAX = 2 * 1024 * 1024, /* of one of them */
    CHECK_EVERY_S = 10,                 /* quota, and what is left to recover */
    SYNC_EVERY_S = 2,
    NAMES_MAX = 4096 /* that are remembered */
};

enum { DEMOS, CAPTURES, FOLDERS };

struct folder {
    const char *path; /* NULL: there is none */
    struct qs_demo_names *naming;
    int lock;        /* the open folder; -1: none */
    GPtrArray *left; /* names of files that earlier runs left, and that wait for recovery */
};

struct recordings {
    struct qs_demo_store store;
    struct recordings_setup setup;
    struct folder folders[FOLDERS];
    struct syncer *syncer;
    GQueue open;    /* struct recording */
    bool no_room;   /* by --max-disk */
    char *obstacle; /* why recordings wait, as logged; or NULL */
    unsigned ticks; /* seconds */
    int64_t began;  /* seconds since the epoch */
    struct recordings_counts counts;
};

struct recording {
    struct recordings *all;
    const struct folder *folder;
    const struct qs_demo_format *format; /* NULL: a capture */
    bool late;                           /* the capture of a late session */
    struct writer *writer;
    GList link;
    const char *cut; /* why no more of it is kept; or NULL */
    uint64_t lost;   /* bytes since then */
    uint64_t synced; /* bytes */
    bool finished;   /* it waits for its name, by `request`, whose texts it owns */
    struct qs_demo_name_request request;
};

static const char no_room_text[] = "nothing can be removed to keep --max-disk";
static const char size_limit[] = "--max-demo-size";

/* --- The store of sessions ------------------------------------------------------------------- */

static void *begin(struct qs_demo_store *store, const struct qs_demo_name_request *request)
{
    struct recordings *all = (struct recordings *)store;
    struct recording *recording = g_new0(struct recording, 1);
    char *suffix = recovery_suffix(request);
    const bool capture = g_str_has_suffix(request->extension, CAPTURE_EXTENSION);

    recording->all = all;
    recording->folder = &all->folders[capture && all->folders[CAPTURES].path ? CAPTURES : DEMOS];
    recording->format = capture ? NULL : qs_demo_format_of_name(suffix);
    recording->late = capture && strcmp(request->extension, LATE_CAPTURE_EXTENSION) == 0;
    recording->writer = writer_new(recording->folder->path);
    writer_name_temporary(recording->writer, UNFINISHED_PREFIX, suffix);
    writer_set_waiting(recording->writer);
    recording->link.data = recording;
    g_queue_push_tail_link(&all->open, &recording->link);
    g_free(suffix);
    return recording;
}

/* Why no more of the recording is kept; or NULL. */
static const char *limit_of(const struct recording *recording, size_t size)
{
    const struct recordings *all = recording->all;
    const uint64_t max = recording->format ? all->setup.limits->max_demo_size : 0;
    const char *obstacle = writer_obstacle(recording->writer);

    if (max && writer_size(recording->writer) + size > max)
        return size_limit;
    if (writer_has_failed(recording->writer))
        return "its file was removed";
    if (!obstacle || (writer_waiting(recording->writer) + size <= WAITING_EACH_MAX &&
                      all->counts.waiting + size <= WAITING_MAX))
        return NULL;
    return all->no_room ? "--max-disk" : "it could not be written";
}

/* Whole blocks come, so the demo gets its end here; `next` is the first block that is left out. */
static void end_early(struct recording *recording, const char *why, struct qs_view next)
{
    GByteArray *end = g_byte_array_new();

    recording->cut = why;
    if (recording->format)
        recording->format->append_end(end, next);
    writer_add(recording->writer, end->data, end->len);
    g_byte_array_free(end, TRUE);
}

static void write_bytes(void *file, const void *data, size_t size)
{
    struct recording *recording = file;
    struct recordings *all = recording->all;
    const char *limit = recording->cut ? NULL : limit_of(recording, size);

    if (limit)
        end_early(recording, limit, (struct qs_view){data, (uint32_t)size});
    if (recording->cut) {
        recording->lost += size;
        all->counts.lost_bytes += size;
        return;
    }
    if (all->no_room)
        writer_hold(recording->writer, no_room_text);
    writer_add(recording->writer, data, size);
    if (writer_obstacle(recording->writer))
        all->counts.waiting += size;
}

static bool is_cut(const void *file)
{
    return ((const struct recording *)file)->cut != NULL;
}

static void free_recording(struct recording *recording)
{
    const char *path = writer_temporary(recording->writer);

    /* The demo of a late session must be on disk before its capture goes. */
    if (path && recording->late)
        syncer_remove(recording->all->syncer, path);
    if (recording->late)
        writer_forget(recording->writer);
    g_queue_unlink(&recording->all->open, &recording->link);
    writer_free(recording->writer);
    g_free((char *)recording->request.capture);
    g_free((char *)recording->request.player);
    g_free((char *)recording->request.map);
    g_free((char *)recording->request.extension);
    g_free(recording);
}

static void end(void *file)
{
    struct recording *recording = file;

    if (!recording->finished)
        free_recording(recording);
}

/* --- Names ----------------------------------------------------------------------------------- */

static void log_cut(const struct recording *recording, const char *name)
{
    log_warning("demo_cut",
                json_pack("{s:s, s:s, s:I}", "file", name, "why", recording->cut, "lost",
                          (json_int_t)recording->lost),
                "%s: ends early (%s); %" G_GUINT64_FORMAT " bytes are lost up to the next level",
                name, recording->cut, recording->lost);
}

/* NULL, or why it has no name yet. */
static char *name_recording(struct recording *recording, const struct qs_demo_name_request *request,
                            char **name)
{
    struct recordings *all = recording->all;
    struct qs_demo_names *naming = recording->folder->naming;
    char *path, *error = demo_files_name(naming, false, recording->writer, request, name);

    qs_demo_names_forget(naming, NAMES_MAX);
    if (error)
        return error;
    path = g_build_filename(recording->folder->path, *name, NULL);
    syncer_add(all->syncer, path);
    if (recording->format) {
        all->setup.named(all->setup.user, path, writer_size(recording->writer));
        all->counts.demos++;
        all->counts.demo_bytes += writer_size(recording->writer);
        all->counts.lost_demos += recording->cut && recording->cut != size_limit;
    }
    if (recording->cut)
        log_cut(recording, *name);
    g_free(path);
    return NULL;
}

/* Keeps it until it can have its name. */
static void wait_for_name(struct recording *recording, const struct qs_demo_name_request *request)
{
    recording->finished = true;
    recording->request = *request;
    recording->request.capture = g_strdup(request->capture);
    recording->request.player = g_strdup(request->player);
    recording->request.map = g_strdup(request->map);
    recording->request.extension = g_strdup(request->extension);
}

static void count_as_lost(struct recording *recording)
{
    struct recordings_counts *counts = &recording->all->counts;

    counts->lost_demos += recording->format != NULL;
    counts->lost_bytes += writer_size(recording->writer);
}

/* NULL and no name: it waits. */
static char *commit(struct qs_demo_store *store, void *file,
                    const struct qs_demo_name_request *request, char **name)
{
    const struct recordings *all = (const struct recordings *)store;
    struct recording *recording = file;
    char *error;

    *name = NULL;
    error = all->no_room ? g_strdup(no_room_text) : name_recording(recording, request, name);
    if (!error)
        return NULL;
    g_clear_pointer(name, g_free);
    if (writer_has_failed(recording->writer)) {
        count_as_lost(recording);
        return error;
    }
    writer_hold(recording->writer, error);
    wait_for_name(recording, request);
    g_free(error);
    return NULL;
}

/* A recording that waited; false: it still does. */
static bool name_late(struct recording *recording)
{
    char *name, *path, *error = name_recording(recording, &recording->request, &name);

    if (!error) {
        path = g_build_filename(recording->folder->path, name, NULL);
        log_event("demo",
                  json_pack("{s:s, s:I}", "file", path, "bytes",
                            (json_int_t)writer_size(recording->writer)),
                  "%s: written, after it waited in memory", path);
        g_free(path);
    } else if (writer_has_failed(recording->writer)) {
        count_as_lost(recording);
        log_warning("demo_lost", NULL, "a demo is lost: %s", error);
    }
    g_free(name);
    g_free(error);
    return !error || writer_has_failed(recording->writer);
}

/* --- Every second ---------------------------------------------------------------------------- */

/* One recorder a folder: the kernel releases the lock of a program that was killed. */
static bool open_folder(struct folder *folder, char **error)
{
    int lock;

    *error = make_folders(folder->path);
    if (*error)
        return false;
    lock = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock < 0 || access(folder->path, W_OK | X_OK) != 0)
        *error = g_strdup_printf("%s: %s", folder->path, g_strerror(errno));
    else if (flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        *error = g_strdup_printf("%s: another recorder uses this folder", folder->path);
    if (*error && lock >= 0)
        close(lock);
    if (*error)
        return false;
    if (folder->lock >= 0)
        close(folder->lock);
    folder->lock = lock;
    return true;
}

static bool is_same_folder(const struct folder *folder, const char *path)
{
    struct stat first, second;

    return fstat(folder->lock, &first) == 0 && stat(path, &second) == 0 &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

static void recover(const struct recordings *all, const struct folder *folder, bool again)
{
    const struct recovery recovery = {.folder = folder->path,
                                      .demos = all->folders[DEMOS].path,
                                      .sessions = all->setup.sessions,
                                      .again = again};

    recovery_run(&recovery, folder->left);
}

static void check_folder(const struct recordings *all, struct folder *folder)
{
    char *error = NULL;

    if (!is_same_folder(folder, folder->path) && open_folder(folder, &error))
        log_warning("folder_removed", json_pack("{s:s}", "folder", folder->path),
                    "%s: was removed; recordings that were being written are lost", folder->path);
    g_free(error);
    if (all->ticks % CHECK_EVERY_S == 0 && !all->obstacle)
        recover(all, folder, true);
}

static void enforce_quota(struct recordings *all)
{
    const struct quota quota = {.folders = {all->folders[DEMOS].path, all->folders[CAPTURES].path},
                                .max_disk = all->setup.limits->max_disk,
                                .keep = all->setup.limits->keep};

    all->no_room = !quota_enforce(&quota, all->began + all->ticks);
}

/* Writes what waits. Returns what stands against that, or NULL. */
static const char *flush_all(struct recordings *all)
{
    const char *obstacles[FOLDERS] = {0};
    GList *next;

    all->counts.waiting = 0;
    for (GList *link = all->open.head; link; link = next) {
        struct recording *recording = link->data;
        const char **obstacle = &obstacles[recording->folder - all->folders];

        next = link->next;
        if (!all->no_room && !*obstacle)
            writer_flush(recording->writer);
        if (writer_obstacle(recording->writer) && !writer_has_failed(recording->writer)) {
            *obstacle = writer_obstacle(recording->writer);
            all->counts.waiting += writer_waiting(recording->writer);
        } else if (recording->finished && name_late(recording)) {
            free_recording(recording);
        }
    }
    if (all->no_room)
        return no_room_text;
    return obstacles[DEMOS] ? obstacles[DEMOS] : obstacles[CAPTURES];
}

static void sync_all(struct recordings *all)
{
    for (GList *link = all->open.head; link; link = link->next) {
        struct recording *recording = link->data;
        const uint64_t written = writer_size(recording->writer) - writer_waiting(recording->writer);

        if (written != recording->synced && writer_temporary(recording->writer))
            syncer_add(all->syncer, writer_temporary(recording->writer));
        recording->synced = written;
    }
}

static void log_obstacle(const struct recordings *all)
{
    if (all->obstacle)
        log_warning("disk_full", json_pack("{s:s}", "why", all->obstacle),
                    "%s; what is recorded waits in memory", all->obstacle);
    else
        log_warning("disk_room", json_pack("{s:I}", "lost", (json_int_t)all->counts.lost_bytes),
                    "recordings are written again; %" G_GUINT64_FORMAT " bytes were lost so far",
                    all->counts.lost_bytes);
}

void recordings_tick(struct recordings *all)
{
    const char *obstacle;

    for (int i = 0; i < FOLDERS; i++)
        if (all->folders[i].left)
            check_folder(all, &all->folders[i]);
    if (all->ticks % CHECK_EVERY_S == 0)
        enforce_quota(all);
    all->ticks++;
    obstacle = flush_all(all);
    if (!obstacle != !all->obstacle) {
        g_free(all->obstacle);
        all->obstacle = g_strdup(obstacle);
        log_obstacle(all);
    }
    if (all->ticks % SYNC_EVERY_S == 0 && syncer_is_idle(all->syncer))
        sync_all(all);
}

const struct recordings_counts *recordings_counts(const struct recordings *all)
{
    return &all->counts;
}

struct qs_demo_store *recordings_store(struct recordings *all)
{
    return &all->store;
}

/* --- Opening and closing --------------------------------------------------------------------- */

static bool use_folder(struct recordings *all, struct folder *folder, const char *path,
                       char **error)
{
    folder->path = path;
    if (!open_folder(folder, error))
        return false;
    folder->left = recovery_find(path);
    recover(all, folder, false);
    return true;
}

struct recordings *recordings_new(const struct recordings_setup *setup, char **error)
{
    struct recordings *all = g_new0(struct recordings, 1);
    const char *demos = demo_files_folder(setup->demos);
    bool good;

    all->store = (struct qs_demo_store){
        .begin = begin, .write = write_bytes, .is_cut = is_cut, .commit = commit, .end = end};
    all->setup = *setup;
    all->began = g_get_real_time() / G_USEC_PER_SEC;
    g_queue_init(&all->open);
    all->syncer = syncer_new();
    all->folders[DEMOS].lock = all->folders[CAPTURES].lock = -1;
    all->folders[DEMOS].naming = demo_files_naming(setup->demos);
    all->folders[CAPTURES].naming = qs_demo_names_new(NULL);
    good = use_folder(all, &all->folders[DEMOS], demos, error);
    if (good && setup->captures && !is_same_folder(&all->folders[DEMOS], setup->captures))
        good = use_folder(all, &all->folders[CAPTURES], setup->captures, error);
    if (good)
        return all;
    recordings_free(all);
    return NULL;
}

/* What is on disk stays for the next run. */
static void give_up(struct recording *recording)
{
    const uint64_t waiting = writer_waiting(recording->writer);

    failure(EXIT_PROBLEMS, (struct qs_location){0},
            "a recording is not finished: %s; %" G_GUINT64_FORMAT
            " bytes are lost, and the next start completes the rest",
            writer_obstacle(recording->writer), waiting);
    recording->all->counts.lost_bytes += waiting;
    recording->all->counts.lost_demos += recording->format != NULL;
    writer_forget(recording->writer);
    recording->late = false;
    free_recording(recording);
}

void recordings_close(struct recordings *all)
{
    flush_all(all);
    while (all->open.head)
        give_up(all->open.head->data);
    if (all->counts.lost_demos)
        raise_status(EXIT_PROBLEMS);
}

void recordings_free(struct recordings *all)
{
    syncer_free(all->syncer);
    for (int i = 0; i < FOLDERS; i++) {
        if (all->folders[i].left)
            g_ptr_array_free(all->folders[i].left, TRUE);
        if (all->folders[i].lock >= 0)
            close(all->folders[i].lock);
    }
    qs_demo_names_free(all->folders[CAPTURES].naming);
    g_free(all->obstacle);
    g_free(all);
}
