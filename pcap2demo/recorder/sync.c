/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static void sync_descriptor(int file)
{
    if (file < 0)
        return;
    fdatasync(file);
    close(file);
}

static void sync_folder(const char *folder)
{
    sync_descriptor(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

/* Errors of writing are reported where it is done. */
void sync_file(const char *path)
{
    char *folder = g_path_get_dirname(path);

    sync_descriptor(open_own_file(path));
    sync_folder(folder);
    g_free(folder);
}

/* --- The thread ------------------------------------------------------------------------------ */

struct job {
    char *path;
    bool remove;
};

struct syncer {
    GThreadPool *thread;
    char *folder; /* of the last file, if it is not synced yet; or NULL */
};

/* Many files that are finished at once share a sync of their folder. */
static void run_job(gpointer data, gpointer user)
{
    struct syncer *syncer = user;
    struct job *job = data;
    char *folder = g_path_get_dirname(job->path);

    if (syncer->folder && (job->remove || strcmp(folder, syncer->folder) != 0)) {
        sync_folder(syncer->folder);
        g_clear_pointer(&syncer->folder, g_free);
    }
    if (job->remove) {
        unlink(job->path);
    } else {
        sync_descriptor(open_own_file(job->path));
        g_free(syncer->folder);
        syncer->folder = g_steal_pointer(&folder);
    }
    if (syncer->folder && syncer_is_idle(syncer)) {
        sync_folder(syncer->folder);
        g_clear_pointer(&syncer->folder, g_free);
    }
    g_free(folder);
    g_free(job->path);
    g_free(job);
}

static void push(struct syncer *syncer, const char *path, bool remove)
{
    struct job *job = g_new(struct job, 1);

    *job = (struct job){g_strdup(path), remove};
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
    return g_thread_pool_unprocessed(syncer->thread) == 0;
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
