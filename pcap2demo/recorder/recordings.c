/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/recordings.h"

#include <fcntl.h>
#include <glib.h>
#include <stdbool.h>
#include <unistd.h>

#include "pcap2demo/output/safe_path.h"
#include "pcap2demo/output/writer.h"
#include "pcap2demo/recorder/lockfile.h"
#include "pcap2demo/recorder/log.h"
#include "pcap2demo/recorder/quota.h"
#include "pcap2demo/recorder/recovery.h"

enum {
    WAITING_MAX = 64 * 1024 * 1024, /* bytes of all recordings, while there is no room */
    WAITING_EACH = 2 * 1024 * 1024, /* of one of them */
    QUOTA_EVERY_S = 10,
    SYNC_EVERY_S = 2,
    NAMES_MAX = 4096 /* that are remembered */
};

/* --- Writing to disk in time ----------------------------------------------------------------- */

/*
 * A thread syncs the folder's file system, so that a power cut costs no more than two seconds:
 * disks are slow, packets do not wait. Systems without syncfs() do without.
 */
#ifdef __linux__
struct syncer {
    int folder;
    GThread *thread;
    GMutex mutex;
    GCond stop;
    bool stopped;
};

/* A write that fails is reported where it is done. */
static gpointer sync_repeatedly(gpointer data)
{
    struct syncer *syncer = data;

    g_mutex_lock(&syncer->mutex);
    while (!syncer->stopped) {
        const gint64 next = g_get_monotonic_time() + SYNC_EVERY_S * G_TIME_SPAN_SECOND;

        while (!syncer->stopped && g_cond_wait_until(&syncer->stop, &syncer->mutex, next))
            continue;
        g_mutex_unlock(&syncer->mutex);
        syncfs(syncer->folder);
        g_mutex_lock(&syncer->mutex);
    }
    g_mutex_unlock(&syncer->mutex);
    return NULL;
}

static struct syncer *syncer_new(const char *folder)
{
    const int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct syncer *syncer;

    if (file < 0)
        return NULL;
    syncer = g_new0(struct syncer, 1);
    syncer->folder = file;
    g_mutex_init(&syncer->mutex);
    g_cond_init(&syncer->stop);
    syncer->thread = g_thread_new("sync", sync_repeatedly, syncer);
    return syncer;
}

static void syncer_free(struct syncer *syncer)
{
    if (!syncer)
        return;
    g_mutex_lock(&syncer->mutex);
    syncer->stopped = true;
    g_cond_signal(&syncer->stop);
    g_mutex_unlock(&syncer->mutex);
    g_thread_join(syncer->thread);
    g_mutex_clear(&syncer->mutex);
    g_cond_clear(&syncer->stop);
    close(syncer->folder);
    g_free(syncer);
}
#else
static struct syncer *syncer_new(const char *folder)
{
    (void)folder;
    return NULL;
}

static void syncer_free(struct syncer *syncer)
{
    (void)syncer;
}
#endif

/* --- Recordings ------------------------------------------------------------------------------ */

struct recordings {
    struct qs_demo_store store;
    struct recordings_setup setup;
    struct lockfile *lock;
    struct syncer *syncer; /* or NULL */
    GQueue open;           /* struct recording */
    bool no_room;          /* by --max-disk */
    bool full;             /* that, or the disk is full; logged */
    uint64_t lost;
    gint64 quota_checked; /* at --max-disk and --keep, when; monotonic */
};

struct recording {
    struct recordings *all;
    struct writer *writer;
    GList link;
    const char *cut; /* why no more of it is kept; or NULL */
    uint64_t lost;   /* bytes since then */
};

/* --- The store of sessions' demos
 * ------------------------------------------------------------------------- */

static void *begin(struct qs_demo_store *store, const struct qs_demo_name_request *request)
{
    struct recordings *all = (struct recordings *)store;
    struct recording *recording = g_new0(struct recording, 1);
    char *suffix = recovery_suffix(request);

    recording->all = all;
    recording->writer = writer_new(demo_files_folder(all->setup.files));
    writer_name_temporary(recording->writer, lockfile_prefix(all->lock), suffix);
    writer_wait_for_room(recording->writer);
    recording->link.data = recording;
    g_queue_push_tail_link(&all->open, &recording->link);
    g_free(suffix);
    return recording;
}

static size_t waiting_max(const struct recordings *all)
{
    return MIN((size_t)WAITING_EACH,
               WAITING_MAX / MAX(1, g_queue_get_length((GQueue *)&all->open)));
}

static void check_limits(struct recording *recording, size_t size)
{
    const struct recordings *all = recording->all;
    const uint64_t max = all->setup.of_demos ? all->setup.limits->max_demo_size : 0;

    if (recording->cut)
        return;
    if (max && writer_size(recording->writer) + size > max)
        recording->cut = "--max-demo-size";
    else if (writer_is_full(recording->writer) &&
             writer_waiting(recording->writer) + size > waiting_max(all))
        recording->cut = all->no_room ? "--max-disk" : "the disk is full";
}

static void write_bytes(void *file, const void *data, size_t size)
{
    struct recording *recording = file;

    if (recording->all->no_room)
        writer_hold(recording->writer);
    check_limits(recording, size);
    if (!recording->cut) {
        writer_add(recording->writer, data, size);
        return;
    }
    recording->lost += size;
    recording->all->lost += size;
}

static bool is_cut(const void *file)
{
    return ((const struct recording *)file)->cut != NULL;
}

/* Drops what still has no room. */
static void flush_rest(struct recording *recording)
{
    struct writer *writer = recording->writer;

    if (!recording->all->no_room && writer_flush(writer))
        return;
    recording->lost += writer_waiting(writer);
    recording->all->lost += writer_waiting(writer);
    writer_drop_waiting(writer);
    if (!recording->cut)
        recording->cut = recording->all->no_room ? "--max-disk" : "the disk is full";
}

/* A file that is cut gets an end. NULL, or why it cannot. */
static char *complete(const struct recording *recording)
{
    const struct recordings_setup *setup = &recording->all->setup;
    const char *path = writer_temporary(recording->writer);
    struct recovered recovered;
    char *error;

    if (!path)
        return g_strdup(recording->cut);
    if (setup->of_demos)
        recovery_complete_demo(path, setup->sessions, &recovered, &error);
    else
        recovery_complete_capture(path, &recovered, &error);
    recovered_clear(&recovered);
    return error;
}

static void log_cut(const struct recording *recording, const char *name)
{
    log_warning("demo_cut",
                json_pack("{s:s, s:s, s:I}", "file", name, "why", recording->cut, "lost",
                          (json_int_t)recording->lost),
                "%s: ends early (%s); %" G_GUINT64_FORMAT " bytes are lost up to the next level",
                name, recording->cut, recording->lost);
}

static char *commit(struct qs_demo_store *store, void *file,
                    const struct qs_demo_name_request *request, char **name)
{
    const struct recordings *all = (const struct recordings *)store;
    struct qs_demo_names *naming = demo_files_naming(all->setup.files);
    struct recording *recording = file;
    char *error;

    *name = NULL;
    flush_rest(recording);
    error = recording->cut ? complete(recording) : NULL;
    if (error)
        return error;
    error = demo_files_name(naming, false, recording->writer, request, name);
    if (!error && recording->cut)
        log_cut(recording, *name);
    qs_demo_names_forget(naming, NAMES_MAX);
    return error;
}

static void end(void *file)
{
    struct recording *recording = file;

    g_queue_unlink(&recording->all->open, &recording->link);
    writer_free(recording->writer);
    g_free(recording);
}

/* --- Every second ---------------------------------------------------------------------------- */

static void enforce_quota(struct recordings *all)
{
    const struct quota quota = {.folder = demo_files_folder(all->setup.files),
                                .max_disk = all->setup.limits->max_disk,
                                .keep_days = all->setup.limits->keep_days};
    const gint64 now = g_get_monotonic_time();

    if (all->quota_checked && now - all->quota_checked < QUOTA_EVERY_S * G_USEC_PER_SEC)
        return;
    all->quota_checked = now;
    all->no_room = !quota_enforce(&quota, g_get_real_time() / G_USEC_PER_SEC);
}

/* Whether all of them have room. */
static bool flush_all(struct recordings *all)
{
    bool room = true;

    for (GList *link = all->open.head; link; link = link->next) {
        const struct recording *recording = link->data;

        if (all->no_room)
            writer_hold(recording->writer);
        else
            writer_flush(recording->writer);
        room = room && !writer_is_full(recording->writer);
    }
    return room && !all->no_room;
}

static void log_room(const struct recordings *all)
{
    const char *folder = demo_files_folder(all->setup.files);

    if (all->full)
        log_warning("disk_full", json_pack("{s:s}", "folder", folder),
                    "%s: %s; what is recorded waits in memory", folder,
                    all->no_room ? "nothing can be removed to keep --max-disk"
                                 : "the disk is full");
    else
        log_warning("disk_room",
                    json_pack("{s:s, s:I}", "folder", folder, "lost", (json_int_t)all->lost),
                    "%s: there is room again; %" G_GUINT64_FORMAT " bytes were lost so far", folder,
                    all->lost);
}

void recordings_tick(struct recordings *all)
{
    bool full;

    enforce_quota(all);
    full = !flush_all(all);
    if (full == all->full)
        return;
    all->full = full;
    log_room(all);
}

uint64_t recordings_lost(const struct recordings *all)
{
    return all->lost;
}

/* --- Opening --------------------------------------------------------------------------------- */

struct recordings *recordings_new(const struct recordings_setup *setup, char **error)
{
    const char *folder = demo_files_folder(setup->files);
    struct recordings *all = g_new0(struct recordings, 1);

    all->store = (struct qs_demo_store){
        .begin = begin, .write = write_bytes, .is_cut = is_cut, .commit = commit, .end = end};
    all->setup = *setup;
    g_queue_init(&all->open);
    *error = make_folders(folder);
    if (!*error)
        all->lock = lockfile_new(folder, error);
    if (!all->lock) {
        g_free(all);
        return NULL;
    }
    recovery_run(folder, setup->sessions);
    all->syncer = syncer_new(folder);
    return all;
}

void recordings_free(struct recordings *all)
{
    syncer_free(all->syncer);
    lockfile_free(all->lock);
    g_free(all);
}

struct qs_demo_store *recordings_store(struct recordings *all)
{
    return &all->store;
}
