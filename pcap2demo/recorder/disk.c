/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pcap2demo/capture/source.h"
#include "pcap2demo/recorder/log.h"
#include "pcap2demo/recorder/options.h"

enum { BLOCK = 512 /* stat(2) */, SYNCED_EACH_MAX = 32 /* files */ };

/* --- Which files they are -------------------------------------------------------------------- */

#define TWO_DIGITS "[0-9][0-9]"
static const char with_start[] =
    "*" TWO_DIGITS TWO_DIGITS TWO_DIGITS TWO_DIGITS "-" TWO_DIGITS TWO_DIGITS TWO_DIGITS "*";

static bool is_finished(const char *name)
{
    const bool damaged = g_str_has_suffix(name, DAMAGED_EXTENSION);
    char *stem = g_strndup(name, strlen(name) - (damaged ? strlen(DAMAGED_EXTENSION) : 0));
    const bool found =
        fnmatch(with_start, name, FNM_PERIOD) == 0 && source_is_input_name(stem, true);

    g_free(stem);
    return found;
}

static void add_file(GPtrArray *files, const char *folder, const char *name, unsigned number)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    const size_t size = strlen(path) + 1;
    const bool unfinished = g_str_has_prefix(name, UNFINISHED_PREFIX);
    struct disk_file *file;
    struct stat about;

    if (lstat(path, &about) == 0 && (unfinished || (S_ISREG(about.st_mode) && is_finished(name)))) {
        file = g_malloc(sizeof *file + size);
        *file = (struct disk_file){number, unfinished, about.st_mtime,
                                   (uint64_t)about.st_blocks * BLOCK};
        memcpy(file->path, path, size);
        g_ptr_array_add(files, file);
    }
}

static gint compare_age(gconstpointer a, gconstpointer b)
{
    const struct disk_file *x = *(struct disk_file *const *)a, *y = *(struct disk_file *const *)b;

    if (x->changed != y->changed)
        return x->changed < y->changed ? -1 : 1;
    return strcmp(x->path, y->path);
}

GPtrArray *disk_files(const char *const folders[FOLDERS])
{
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);

    for (unsigned i = 0; i < FOLDERS; i++) {
        GDir *directory = folders[i] ? g_dir_open(folders[i], 0, NULL) : NULL;
        const char *name;

        while (directory && (name = g_dir_read_name(directory)))
            add_file(files, folders[i], name, i);
        if (directory)
            g_dir_close(directory);
    }
    g_ptr_array_sort(files, compare_age);
    return files;
}

/* --- Quota ----------------------------------------------------------------------------------- */

static bool remove_file(const struct disk_file *file, const char *why)
{
    if (unlink(file->path) != 0)
        return false;
    log_event(LOG_INFO, "removed",
              json_pack("{s:s, s:I, s:s}", "file", file->path, "bytes", (json_int_t)file->size,
                        "why", why),
              "%s: removed (%s)", file->path, why);
    return true;
}

bool quota_enforce(const char *const folders[FOLDERS], int64_t now)
{
    const int64_t keep = (int64_t)recorder_options.keep;
    const uint64_t max = recorder_options.max_disk ? recorder_options.max_disk : UINT64_MAX;
    GPtrArray *files = keep || recorder_options.max_disk ? disk_files(folders) : g_ptr_array_new();
    int64_t newest = 0;
    uint64_t total = 0;

    for (guint i = 0; i < files->len; i++) {
        const struct disk_file *file = g_ptr_array_index(files, i);

        total += file->size;
        newest = file->unfinished ? newest : file->changed;
    }
    for (guint i = 0; i < files->len; i++) {
        const struct disk_file *file = g_ptr_array_index(files, i);
        const bool too_old = keep && MIN(now, newest) - file->changed > keep;

        if (!file->unfinished && (too_old || total > max) &&
            remove_file(file, too_old ? "--keep" : "--max-disk"))
            total -= file->size;
    }
    g_ptr_array_free(files, TRUE);
    return total <= max;
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

struct syncer {
    const char *const *folders;
    GThreadPool *thread;
    GHashTable *next; /* path -> whether the file is to be removed; else it was written */
};

static GHashTable *new_batch(void)
{
    return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
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
    const struct syncer *syncer = user;
    GHashTable *batch = data;
    const bool many = g_hash_table_size(batch) > SYNCED_EACH_MAX;
    GHashTableIter iter;
    gpointer path, removed;

    g_hash_table_iter_init(&iter, batch);
    while (!many && g_hash_table_iter_next(&iter, &path, &removed))
        sync_and_close(removed ? -1 : open_own_file(path), fdatasync);
    for (int i = 0; i < FOLDERS && syncer->folders[i]; i++)
        sync_and_close(open(syncer->folders[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC),
                       many ? syncfs : fsync);
    g_hash_table_iter_init(&iter, batch);
    while (g_hash_table_iter_next(&iter, &path, &removed))
        if (removed)
            unlink(path);
    g_hash_table_destroy(batch);
}

void syncer_add(struct syncer *syncer, const char *path)
{
    g_hash_table_insert(syncer->next, g_strdup(path), NULL);
}

void syncer_remove(struct syncer *syncer, const char *path)
{
    g_hash_table_add(syncer->next, g_strdup(path));
}

void syncer_run(struct syncer *syncer)
{
    if (!g_hash_table_size(syncer->next) || g_thread_pool_unprocessed(syncer->thread))
        return;
    g_thread_pool_push(syncer->thread, syncer->next, NULL);
    syncer->next = new_batch();
}

struct syncer *syncer_new(const char *const folders[FOLDERS])
{
    struct syncer *syncer = g_new0(struct syncer, 1);

    syncer->folders = folders;
    syncer->thread = g_thread_pool_new(run_batch, syncer, 1, TRUE, NULL);
    syncer->next = new_batch();
    return syncer;
}

void syncer_free(struct syncer *syncer)
{
    g_thread_pool_free(syncer->thread, FALSE, TRUE);
    run_batch(syncer->next, syncer);
    g_free(syncer);
}
