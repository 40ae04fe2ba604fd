/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

struct job {
    char *path;
    bool remove;
};

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

/* Errors of writing are reported where it is done. */
void sync_file(const char *path)
{
    char *folder = g_path_get_dirname(path);

    sync_descriptor(open_own_file(path));
    sync_descriptor(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    g_free(folder);
}

static void run_job(gpointer data, gpointer user)
{
    struct job *job = data;

    (void)user;
    if (job->remove)
        unlink(job->path);
    else
        sync_file(job->path);
    g_free(job->path);
    g_free(job);
}

static void push(GThreadPool *syncer, const char *path, bool remove)
{
    struct job *job = g_new(struct job, 1);

    *job = (struct job){g_strdup(path), remove};
    g_thread_pool_push(syncer, job, NULL);
}

void syncer_add(GThreadPool *syncer, const char *path)
{
    push(syncer, path, false);
}

void syncer_remove(GThreadPool *syncer, const char *path)
{
    push(syncer, path, true);
}

GThreadPool *syncer_new(void)
{
    return g_thread_pool_new(run_job, NULL, 1, TRUE, NULL);
}

void syncer_free(GThreadPool *syncer)
{
    g_thread_pool_free(syncer, FALSE, TRUE);
}
