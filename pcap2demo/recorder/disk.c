/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <glib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pcap2demo/capture/source.h"
#include "pcap2demo/recorder/log.h"

enum { BLOCK = 512 /* stat(2) */, SYNCED_EACH_MAX = 32 /* files */ };

/* --- Which files they are -------------------------------------------------------------------- */

#define TWO_DIGITS "[0-9][0-9]"
static const char with_start[] =
    "*" TWO_DIGITS TWO_DIGITS TWO_DIGITS TWO_DIGITS "-" TWO_DIGITS TWO_DIGITS TWO_DIGITS "*";

static bool is_recording(const char *name)
{
    const bool damaged = g_str_has_suffix(name, DAMAGED_EXTENSION);
    char *stem = g_strndup(name, strlen(name) - (damaged ? strlen(DAMAGED_EXTENSION) : 0));
    const bool found =
        fnmatch(with_start, name, FNM_PERIOD) == 0 && source_is_input_name(stem, true);

    g_free(stem);
    return found;
}

struct old_recording {
    int64_t changed; /* seconds since the epoch */
    uint64_t size;   /* on disk */
    char path[];
};

/* Adds the recordings of the folder. Returns the size of all, also of those being written. */
static uint64_t find_recordings(const char *folder, GPtrArray *recordings)
{
    GDir *directory = folder ? g_dir_open(folder, 0, NULL) : NULL;
    uint64_t total = 0;
    const char *name;
    struct stat about;

    while (directory && (name = g_dir_read_name(directory))) {
        char *path = g_build_filename(folder, name, NULL);
        const bool is_file = lstat(path, &about) == 0 && S_ISREG(about.st_mode);
        const bool finished = is_file && is_recording(name);
        const uint64_t size = (uint64_t)about.st_blocks * BLOCK;

        if (finished) {
            const size_t length = strlen(path) + 1;
            struct old_recording *recording = g_malloc(sizeof *recording + length);

            recording->changed = about.st_mtime;
            recording->size = size;
            memcpy(recording->path, path, length);
            g_ptr_array_add(recordings, recording);
        }
        if (finished || (is_file && g_str_has_prefix(name, UNFINISHED_PREFIX)))
            total += size;
        g_free(path);
    }
    if (directory)
        g_dir_close(directory);
    return total;
}

static gint compare_age(gconstpointer a, gconstpointer b)
{
    const struct old_recording *x = *(struct old_recording *const *)a,
                               *y = *(struct old_recording *const *)b;

    if (x->changed != y->changed)
        return x->changed < y->changed ? -1 : 1;
    return strcmp(x->path, y->path);
}

static bool remove_recording(const struct old_recording *recording, const char *why)
{
    if (unlink(recording->path) != 0)
        return false;
    log_event("removed",
              json_pack("{s:s, s:I, s:s}", "file", recording->path, "bytes",
                        (json_int_t)recording->size, "why", why),
              "%s: removed (%s)", recording->path, why);
    return true;
}

bool quota_enforce(const struct quota *quota, int64_t now)
{
    GPtrArray *recordings;
    uint64_t total = 0;

    if (!quota->max_disk && !quota->keep)
        return true;
    recordings = g_ptr_array_new_with_free_func(g_free);
    for (int i = 0; i < QUOTA_FOLDERS; i++)
        total += find_recordings(quota->folders[i], recordings);
    g_ptr_array_sort(recordings, compare_age);
    for (guint i = 0; i < recordings->len; i++) {
        const struct old_recording *recording = g_ptr_array_index(recordings, i);
        const struct old_recording *newest = g_ptr_array_index(recordings, recordings->len - 1);
        const bool too_old =
            quota->keep && MIN(now, newest->changed) - recording->changed > quota->keep;
        const bool too_much = quota->max_disk && total > quota->max_disk;

        if ((too_old || too_much) && remove_recording(recording, too_old ? "--keep" : "--max-disk"))
            total -= recording->size;
    }
    g_ptr_array_free(recordings, TRUE);
    return !quota->max_disk || total <= quota->max_disk;
}

/* --- Syncing --------------------------------------------------------------------------------- */

int open_own_file(const char *path)
{
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat about;

    if (file < 0 ||
        (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid()))
        return file;
    close(file);
    errno = EPERM;
    return -1;
}

/* What is brought to disk at once: paths. */
struct batch {
    GPtrArray *written, *removed;
};

struct syncer {
    const char *folders[QUOTA_FOLDERS];
    GThreadPool *thread;
    gint busy; /* atomic */
    struct batch next;
};

static void start_batch(struct batch *batch)
{
    batch->written = g_ptr_array_new_with_free_func(g_free);
    batch->removed = g_ptr_array_new_with_free_func(g_free);
}

/* Errors of writing are reported where it is done. */
static void sync_and_close(int file, int (*sync_file)(int file))
{
    if (file < 0)
        return;
    (void)sync_file(file);
    close(file);
}

/* For many files one syncfs(2) takes a hundredth of the time. */
static void run_batch(gpointer data, gpointer user)
{
    struct syncer *syncer = user;
    struct batch *batch = data;
    const bool many = batch->written->len > SYNCED_EACH_MAX;

    for (guint i = 0; i < batch->written->len && !many; i++)
        sync_and_close(open_own_file(g_ptr_array_index(batch->written, i)), fdatasync);
    for (int i = 0; i < QUOTA_FOLDERS && syncer->folders[i]; i++)
        sync_and_close(open(syncer->folders[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC),
                       many ? syncfs : fsync);
    for (guint i = 0; i < batch->removed->len; i++)
        unlink(g_ptr_array_index(batch->removed, i));
    g_ptr_array_free(batch->written, TRUE);
    g_ptr_array_free(batch->removed, TRUE);
    g_free(batch);
    g_atomic_int_set(&syncer->busy, 0);
}

void syncer_add(struct syncer *syncer, const char *path)
{
    g_ptr_array_add(syncer->next.written, g_strdup(path));
}

void syncer_remove(struct syncer *syncer, const char *path)
{
    g_ptr_array_add(syncer->next.removed, g_strdup(path));
}

bool syncer_is_idle(struct syncer *syncer)
{
    return !g_atomic_int_get(&syncer->busy);
}

void syncer_run(struct syncer *syncer)
{
    if (!(syncer->next.written->len + syncer->next.removed->len))
        return;
    g_atomic_int_set(&syncer->busy, 1);
    g_thread_pool_push(syncer->thread, g_memdup2(&syncer->next, sizeof syncer->next), NULL);
    start_batch(&syncer->next);
}

struct syncer *syncer_new(const char *const folders[QUOTA_FOLDERS])
{
    struct syncer *syncer = g_new0(struct syncer, 1);

    memcpy(syncer->folders, folders, sizeof syncer->folders);
    syncer->thread = g_thread_pool_new(run_batch, syncer, 1, TRUE, NULL);
    start_batch(&syncer->next);
    return syncer;
}

void syncer_free(struct syncer *syncer)
{
    g_thread_pool_free(syncer->thread, FALSE, TRUE);
    run_batch(g_memdup2(&syncer->next, sizeof syncer->next), syncer);
    g_free(syncer);
}
