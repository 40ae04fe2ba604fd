/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/lockfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct lockfile {
    char *path;
    char *prefix;
    int file;
};

static char *lock_path(const char *folder, const char *run)
{
    return g_strconcat(folder, "/" RUN_PREFIX, run, RUN_LOCK_SUFFIX, NULL);
}

/* A program that takes over a run unlinks its file: then the lock is on a file without a name. */
static bool is_own_file(int file)
{
    struct stat about;

    return fstat(file, &about) == 0 && about.st_nlink > 0 && S_ISREG(about.st_mode) &&
           about.st_uid == geteuid();
}

/* Open and locked, or -1. */
static int open_locked(const char *path, int flags)
{
    const int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags, 0666);

    if (file < 0)
        return -1;
    if (flock(file, LOCK_EX | LOCK_NB) == 0 && is_own_file(file))
        return file;
    close(file);
    return -1;
}

static struct lockfile *new_lock(char *path, const char *run, int file)
{
    struct lockfile *lock = g_new0(struct lockfile, 1);

    lock->path = path;
    lock->prefix = g_strconcat(RUN_PREFIX, run, "-", NULL);
    lock->file = file;
    return lock;
}

struct lockfile *lockfile_new(const char *folder, char **error)
{
    enum { TRIES = 8 };

    for (int i = 0; i < TRIES; i++) {
        char *run = g_strdup_printf("%ld_%08x", (long)getpid(), g_random_int());
        char *path = lock_path(folder, run);
        const int file = open_locked(path, O_CREAT | O_EXCL);
        struct lockfile *lock = file >= 0 ? new_lock(path, run, file) : NULL;

        if (!lock)
            g_free(path);
        g_free(run);
        if (lock)
            return lock;
    }
    *error = g_strdup_printf("%s: no file can be locked: %s", folder, g_strerror(errno));
    return NULL;
}

struct lockfile *lockfile_take_over(const char *folder, const char *run)
{
    char *path = lock_path(folder, run);
    const int file = open_locked(path, O_CREAT);

    if (file >= 0)
        return new_lock(path, run, file);
    g_free(path);
    return NULL;
}

bool lockfile_renew(struct lockfile *lock)
{
    int file;

    if (is_own_file(lock->file))
        return false;
    file = open_locked(lock->path, O_CREAT);
    if (file < 0)
        return false;
    close(lock->file);
    lock->file = file;
    return true;
}

void lockfile_free(struct lockfile *lock)
{
    unlink(lock->path);
    close(lock->file);
    g_free(lock->path);
    g_free(lock->prefix);
    g_free(lock);
}

const char *lockfile_prefix(const struct lockfile *lock)
{
    return lock->prefix;
}

/* Runs have no "-" and no "." in their names. */
char *lockfile_run_of(const char *name)
{
    const char *run = name + strlen(RUN_PREFIX);

    if (!g_str_has_prefix(name, RUN_PREFIX) || !*run)
        return NULL;
    return g_strndup(run, strcspn(run, "-."));
}
