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

enum { BLOCK = 512 /* stat(2) */ };

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
    char *path;
    int64_t changed; /* seconds since the epoch */
    uint64_t size;   /* on disk */
};

static void free_recording(gpointer data)
{
    struct old_recording *recording = data;

    g_free(recording->path);
    g_free(recording);
}

/* Adds the recordings of the folder. Returns the size of those that are being written. */
static uint64_t find_recordings(const char *folder, GPtrArray *recordings)
{
    GDir *directory = folder ? g_dir_open(folder, 0, NULL) : NULL;
    uint64_t writing = 0;
    const char *name;
    struct stat about;

    while (directory && (name = g_dir_read_name(directory))) {
        char *path = g_build_filename(folder, name, NULL);
        const bool is_file = lstat(path, &about) == 0 && S_ISREG(about.st_mode);
        const uint64_t size = (uint64_t)about.st_blocks * BLOCK;

        if (is_file && is_recording(name)) {
            struct old_recording *recording = g_new(struct old_recording, 1);

            *recording = (struct old_recording){g_steal_pointer(&path), about.st_mtime, size};
            g_ptr_array_add(recordings, recording);
        } else if (is_file && g_str_has_prefix(name, UNFINISHED_PREFIX)) {
            writing += size;
        }
        g_free(path);
    }
    if (directory)
        g_dir_close(directory);
    return writing;
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
    recordings = g_ptr_array_new_with_free_func(free_recording);
    for (int i = 0; i < QUOTA_FOLDERS; i++)
        total += find_recordings(quota->folders[i], recordings);
    g_ptr_array_sort(recordings, compare_age);
    for (guint i = 0; i < recordings->len; i++) {
        const struct old_recording *recording = g_ptr_array_index(recordings, i);

        total += recording->size;
        if (i == recordings->len - 1)
            now = MIN(now, recording->changed);
    }
    for (guint i = 0; i < recordings->len; i++) {
        const struct old_recording *recording = g_ptr_array_index(recordings, i);
        const bool too_old = quota->keep && now - recording->changed > quota->keep;
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

/* Errors of writing are reported where it is done. */
static void sync_descriptor(int file)
{
    if (file < 0)
        return;
    fdatasync(file);
    close(file);
}

struct job {
    char *path;
    bool remove;
};

struct syncer {
    GThreadPool *thread;
    gint left;    /* jobs; atomic */
    char *folder; /* of the last file, if it is not synced yet; or NULL */
};

static void sync_last_folder(struct syncer *syncer)
{
    if (syncer->folder)
        sync_descriptor(open(syncer->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    g_clear_pointer(&syncer->folder, g_free);
}

/* Many files that are finished at once share a sync of their folder. */
static void run_job(gpointer data, gpointer user)
{
    struct syncer *syncer = user;
    struct job *job = data;
    char *folder = g_path_get_dirname(job->path);

    if (job->remove || g_strcmp0(folder, syncer->folder) != 0)
        sync_last_folder(syncer);
    if (job->remove)
        unlink(job->path);
    else
        sync_descriptor(open_own_file(job->path));
    g_free(syncer->folder);
    syncer->folder = folder;
    if (g_atomic_int_dec_and_test(&syncer->left))
        sync_last_folder(syncer);
    g_free(job->path);
    g_free(job);
}

static void push(struct syncer *syncer, const char *path, bool remove)
{
    struct job *job = g_new(struct job, 1);

    *job = (struct job){g_strdup(path), remove};
    g_atomic_int_inc(&syncer->left);
    g_thread_pool_push(syncer->thread, job, NULL);
}

void syncer_add(struct syncer *syncer, const char *path)
{
    push(syncer, path, false);
}

void syncer_remove(struct syncer *syncer, const char *path)
{
    push(syncer, path, true);
}

bool syncer_is_idle(struct syncer *syncer)
{
    return g_atomic_int_get(&syncer->left) == 0;
}

struct syncer *syncer_new(void)
{
    struct syncer *syncer = g_new0(struct syncer, 1);

    syncer->thread = g_thread_pool_new(run_job, syncer, 1, TRUE, NULL);
    return syncer;
}

void syncer_free(struct syncer *syncer)
{
    g_thread_pool_free(syncer->thread, FALSE, TRUE);
    g_free(syncer);
}
