/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/recordings.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/demo_formats.h"
#include "pcap2demo/actions/report.h"
#include "pcap2demo/output/message.h"
#include "pcap2demo/output/safe_path.h"
#include "pcap2demo/output/writer.h"
#include "pcap2demo/recorder/disk.h"
#include "pcap2demo/recorder/log.h"

enum {
    BUFFER = 64 * 1024,                 /* bytes that wait though they could be written */
    KEPT_MAX = 16 * 1024,               /* so much of each buffer is not freed */
    WAITING_MAX = 64 * 1024 * 1024,     /* bytes of all recordings */
    WAITING_EACH_MAX = 2 * 1024 * 1024, /* of one of them */
    CHECK_EVERY_S = 10,                 /* quota */
    SYNC_EVERY_S = 2,
    NAMES_MAX = 4096, /* that are remembered */
    FILE_MODE = 0640  /* they hold what clients sent */
};

struct recordings {
    struct qs_demo_store store;
    const char *folders[FOLDERS];
    int locks[FOLDERS];       /* the open folders; -1: none */
    char *obstacles[FOLDERS]; /* why nothing is written there now; or NULL */
    struct qs_demo_names *naming;
    struct status *status;
    struct syncer *syncer;
    GQueue open;      /* struct recording */
    uint64_t waiting; /* bytes in memory */
    bool no_room;     /* by --max-disk */
    bool reported;    /* that recordings wait */
    bool lacks_folder;
    unsigned ticks; /* seconds; 0: what begins is of an earlier run */
    int64_t began;  /* seconds since the epoch */
};

struct recording {
    struct recordings *all;
    unsigned folder;
    const struct qs_demo_format *format; /* NULL: a capture */
    char *pattern;                       /* of the unfinished file's name */
    char *path;                          /* of the unfinished file; NULL: there is none */
    uint64_t written;                    /* bytes of it */
    GByteArray *waiting;                 /* bytes that follow, in memory */
    GList link;
    const char *cut; /* why no more of it is kept; or NULL */
    uint64_t lost;   /* bytes since then */
    bool recovered;  /* of an earlier run */
    bool finished;   /* it only lacks its name: */
    char *name;      /* with the folder */
    char *title;     /* "session 3, anna" */
    json_t *members; /* of its event */
};

static const char size_limit[] = "--max-demo-size";
static const char file_removed[] = "its file was removed";

/* --- Files ----------------------------------------------------------------------------------- */

static void drop_waiting(struct recording *recording)
{
    recording->all->waiting -= recording->waiting->len;
    g_byte_array_set_size(recording->waiting, 0);
}

static char **obstacle_of(const struct recording *recording)
{
    return &recording->all->obstacles[recording->folder];
}

/* By errno. A file that was removed cannot be continued. */
static void fail(struct recording *recording)
{
    char **obstacle = obstacle_of(recording);

    if (errno == ENOENT && recording->path) {
        recording->cut = file_removed;
        drop_waiting(recording);
    } else if (!*obstacle) {
        *obstacle = g_strdup_printf("%s: %s", recording->all->folders[recording->folder],
                                    g_strerror(errno));
    }
}

/* Writes what waits. False: not all of it can be written. */
static bool write_waiting(struct recording *recording)
{
    GByteArray *waiting = recording->waiting;
    const int file = open_to_append(&recording->path, recording->all->folders[recording->folder],
                                    recording->pattern, FILE_MODE);
    const guint done = file < 0 ? 0 : (guint)write_whole(file, waiting->data, waiting->len);

    if (file < 0 || done < waiting->len)
        fail(recording);
    if (file >= 0 && close(file) != 0)
        fail(recording);
    if (done && recording->cut != file_removed) {
        g_byte_array_remove_range(waiting, 0, done);
        recording->all->waiting -= done;
        recording->written += done;
        syncer_add(recording->all->syncer, recording->path);
        if (!waiting->len && done > KEPT_MAX) {
            g_byte_array_unref(waiting);
            recording->waiting = g_byte_array_new();
        }
    }
    return !*obstacle_of(recording) && recording->cut != file_removed;
}

/* --- The store of sessions ------------------------------------------------------------------- */

static struct recording *recording_new(struct recordings *all, unsigned folder,
                                       const struct qs_demo_name_request *request)
{
    struct recording *recording = g_new0(struct recording, 1);

    recording->all = all;
    recording->folder = folder;
    recording->recovered = !all->ticks;
    recording->pattern = g_strdup_printf(UNFINISHED_PREFIX "XXXXXX.%s@%" G_GINT64_FORMAT ".%s",
                                         request->capture, request->start, request->extension);
    recording->format = qs_demo_format_of_name(recording->pattern);
    recording->waiting = g_byte_array_new();
    recording->link.data = recording;
    g_queue_push_tail_link(&all->open, &recording->link);
    return recording;
}

static void *begin(struct qs_demo_store *store, const struct qs_demo_name_request *request)
{
    struct recordings *all = (struct recordings *)store;
    const bool capture = g_str_has_suffix(request->extension, CAPTURE_EXTENSION);

    return recording_new(all, capture && all->folders[CAPTURES] ? CAPTURES : DEMOS, request);
}

/* Why no more of the recording is kept; or NULL. */
static const char *limit_of(const struct recording *recording, size_t size)
{
    const struct recordings *all = recording->all;
    const uint64_t max = recording->format ? recorder_options.max_demo_size : 0;

    if (max && recording->written + recording->waiting->len + size > max)
        return size_limit;
    if (!*obstacle_of(recording) ||
        (recording->waiting->len + size <= WAITING_EACH_MAX && all->waiting + size <= WAITING_MAX))
        return NULL;
    return all->no_room ? "--max-disk" : "it could not be written";
}

static void write_bytes(void *file, const void *data, size_t size)
{
    struct recording *recording = file;
    struct recordings *all = recording->all;
    const guint before = recording->waiting->len;

    if (!recording->cut) {
        recording->cut = limit_of(recording, size);
        if (!recording->cut)
            g_byte_array_append(recording->waiting, data, (guint)size);
        else if (recording->format) /* whole blocks come; this one is left out */
            recording->format->append_end(recording->waiting,
                                          (struct qs_view){data, (uint32_t)size});
        all->waiting += recording->waiting->len - before;
    }
    if (recording->cut) {
        recording->lost += size;
        all->status->all[LOST_BYTES] += size;
    } else if (recording->waiting->len >= BUFFER && !*obstacle_of(recording)) {
        write_waiting(recording);
    }
}

static bool is_cut(const void *file)
{
    return ((const struct recording *)file)->cut != NULL;
}

static void free_recording(struct recording *recording)
{
    drop_waiting(recording);
    g_queue_unlink(&recording->all->open, &recording->link);
    g_byte_array_free(recording->waiting, TRUE);
    g_free(recording->pattern);
    g_free(recording->path);
    g_free(recording->name);
    g_free(recording->title);
    json_decref(recording->members);
    g_free(recording);
}

/* The demo of a late session must be on disk before its capture goes. */
static void end(void *file)
{
    struct recording *recording = file;

    if (recording->finished)
        return;
    if (recording->path)
        syncer_remove(recording->all->syncer, recording->path);
    free_recording(recording);
}

/* --- Names ----------------------------------------------------------------------------------- */

static void report_named(struct recording *recording)
{
    struct status *status = recording->all->status;
    const char *name = recording->name + (g_str_has_prefix(recording->name, "./") ? 2 : 0);

    json_object_set_new(recording->members, "bytes", report_number(recording->written));
    if (recording->format) {
        status_add_finished(status, recording->format->protocol, recording->members);
        status->all[LOST_DEMOS] += recording->cut && recording->cut != size_limit;
    }
    if (recording->recovered)
        log_event(LOG_WARNING, "unfinished", json_incref(recording->members),
                  "%s: of an unfinished recording, %" G_GUINT64_FORMAT " bytes", name,
                  recording->written);
    else
        log_event(LOG_INFO, recording->format ? "demo" : "session_capture",
                  json_incref(recording->members), "%s: %s, %" G_GUINT64_FORMAT " bytes", name,
                  recording->title, recording->written);
    if (recording->cut)
        log_event(LOG_WARNING, "demo_cut",
                  json_pack("{s:o, s:s, s:o}", "file", report_text_json(recording->name), "why",
                            recording->cut, "lost", report_number(recording->lost)),
                  "%s: ends early (%s); %" G_GUINT64_FORMAT " bytes are lost up to the next level",
                  name, recording->cut, recording->lost);
}

/* Gives it its name, unless it is lost. False: it waits for that. */
static bool finish(struct recording *recording)
{
    struct status *status = recording->all->status;

    if (!*obstacle_of(recording) && write_waiting(recording)) {
        if (rename_to_free_name(recording->path, recording->name)) {
            syncer_add(recording->all->syncer, recording->name);
            report_named(recording);
            g_clear_pointer(&recording->path, g_free);
            return true;
        }
        fail(recording);
    }
    if (recording->cut != file_removed)
        return false;
    status->all[LOST_DEMOS] += recording->format != NULL;
    status->all[LOST_BYTES] += recording->written;
    log_event(LOG_WARNING, "demo_lost", json_incref(recording->members), "%s: the demo is lost: %s",
              recording->title, file_removed);
    return true;
}

static void choose_name(struct recording *recording, const struct qs_demo_name_request *request)
{
    struct recordings *all = recording->all;

    do {
        char *name = qs_demo_names_next(all->naming, request);

        g_free(recording->name);
        recording->name = g_build_filename(all->folders[recording->folder], name, NULL);
        g_free(name);
    } while (access(recording->name, F_OK) == 0);
    qs_demo_names_forget(all->naming, NAMES_MAX);
}

static void commit(struct qs_demo_store *store, void *file,
                   const struct qs_demo_name_request *request, struct qs_session_demo_file *result)
{
    struct recording *recording = file;
    bool lost;

    (void)store;
    choose_name(recording, request);
    recording->title = g_strdup_printf("session %u, %s", request->session,
                                       request->player ? request->player : "an unnamed player");
    recording->members =
        json_pack("{s:o, s:i, s:o, s:o}", "file", report_text_json(recording->name), "session",
                  (int)request->session, "player", report_text_json(request->player), "map",
                  report_text_json(request->map));
    recording->finished = !finish(recording);
    if (recording->finished)
        log_event(LOG_WARNING, "demo_waits", json_incref(recording->members),
                  "%s: the demo waits in memory: it cannot be written yet", recording->title);
    lost = recording->cut == file_removed;
    result->name = recording->finished || lost ? NULL : g_path_get_basename(recording->name);
    result->error = lost ? g_strdup(file_removed) : NULL;
}

/* --- Every second ---------------------------------------------------------------------------- */

static bool is_same_folder(int folder, const char *path)
{
    struct stat first, second;

    return fstat(folder, &first) == 0 && stat(path, &second) == 0 &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* One recorder a folder: the kernel releases the lock of a program that was killed. */
static bool open_folder(struct recordings *all, unsigned number, char **error)
{
    const char *path = all->folders[number];
    int lock;

    *error = make_folders(path);
    if (*error)
        return false;
    lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        *error = g_strdup_printf("%s: another recorder uses this folder", path);
    else if (lock < 0)
        *error = g_strdup_printf("%s: %s", path, g_strerror(errno));
    close(*error ? lock : all->locks[number]);
    if (!*error)
        all->locks[number] = lock;
    return !*error;
}

static void check_folder(struct recordings *all, unsigned number)
{
    const char *path = all->folders[number];
    char *error = NULL;

    if (path && !is_same_folder(all->locks[number], path)) {
        if (!all->lacks_folder)
            log_event(LOG_WARNING, "folder_removed", json_pack("{s:s}", "folder", path),
                      "%s: was removed; recordings that were being written are lost", path);
        all->lacks_folder = !open_folder(all, number, &error);
        g_free(error);
    }
    g_free(all->obstacles[number]);
    all->obstacles[number] =
        all->no_room ? g_strdup("nothing can be removed to keep --max-disk") : NULL;
}

static void report_obstacle(struct recordings *all)
{
    const char *obstacle = all->obstacles[DEMOS] ? all->obstacles[DEMOS] : all->obstacles[CAPTURES];

    if (obstacle && !all->reported)
        log_event(LOG_WARNING, "disk_full", json_pack("{s:s}", "why", obstacle),
                  "%s; what is recorded waits in memory", obstacle);
    else if (!obstacle && all->reported)
        log_event(LOG_WARNING, "disk_room", NULL,
                  "recordings are written again; %" G_GUINT64_FORMAT " bytes were lost so far",
                  all->status->all[LOST_BYTES]);
    all->reported = obstacle != NULL;
}

static void write_recordings(struct recordings *all)
{
    GList *next;

    for (unsigned i = 0; i < FOLDERS; i++)
        check_folder(all, i);
    for (GList *link = all->open.head; link; link = next) {
        struct recording *recording = link->data;

        next = link->next;
        if (recording->finished && finish(recording))
            free_recording(recording);
        else if (!recording->finished && recording->waiting->len && !*obstacle_of(recording))
            write_waiting(recording);
    }
    report_obstacle(all);
}

void recordings_tick(struct recordings *all)
{
    if (all->ticks % CHECK_EVERY_S == 0)
        all->no_room = !quota_enforce(all->folders, all->began + all->ticks);
    if (all->ticks++ % SYNC_EVERY_S)
        return;
    write_recordings(all);
    syncer_run(all->syncer);
}

/* --- What earlier runs left ------------------------------------------------------------------ */

void *recordings_adopt(struct recordings *all, unsigned folder, const char *path, uint64_t size,
                       const struct qs_demo_name_request *request)
{
    struct recording *recording = recording_new(all, folder, request);

    recording->path = g_strdup(path);
    recording->written = size;
    return recording;
}

/* --- Opening and closing --------------------------------------------------------------------- */

bool recordings_lack_folder(const struct recordings *all)
{
    return all->lacks_folder;
}

const char *const *recordings_folders(const struct recordings *all)
{
    return all->folders;
}

static void free_recordings(struct recordings *all)
{
    syncer_free(all->syncer);
    for (int i = 0; i < FOLDERS; i++) {
        if (all->locks[i] >= 0)
            close(all->locks[i]);
        g_free(all->obstacles[i]);
    }
    qs_demo_names_free(all->naming);
    g_free(all);
}

struct recordings *recordings_new(const char *demos, const char *captures, struct status *status,
                                  char **error)
{
    struct recordings *all = g_new0(struct recordings, 1);
    bool good;

    all->store = (struct qs_demo_store){
        .begin = begin, .write = write_bytes, .is_cut = is_cut, .commit = commit, .end = end};
    all->status = status;
    all->began = g_get_real_time() / G_USEC_PER_SEC;
    all->naming = qs_demo_names_new(NULL);
    all->folders[DEMOS] = demos;
    all->locks[DEMOS] = all->locks[CAPTURES] = -1;
    all->syncer = syncer_new(all->folders);
    good = open_folder(all, DEMOS, error);
    if (good && captures && !is_same_folder(all->locks[DEMOS], captures)) {
        all->folders[CAPTURES] = captures;
        good = open_folder(all, CAPTURES, error);
    }
    if (good)
        return all;
    free_recordings(all);
    return NULL;
}

/* What is on disk stays for the next run. */
static void give_up(struct recording *recording)
{
    struct status *status = recording->all->status;
    const guint waiting = recording->waiting->len;

    failure(EXIT_PROBLEMS, (struct qs_location){0},
            "a recording is not finished: %s; %u bytes are lost, and the next start completes the "
            "rest",
            *obstacle_of(recording), waiting);
    status->all[LOST_BYTES] += waiting;
    status->all[LOST_DEMOS] += recording->format != NULL;
    free_recording(recording);
}

void recordings_close(struct recordings *all)
{
    GList *next;

    write_recordings(all);
    for (GList *link = all->open.head; link; link = next) {
        next = link->next;
        give_up(link->data);
    }
    if (all->status->all[LOST_DEMOS])
        raise_status(EXIT_PROBLEMS);
    free_recordings(all);
}
