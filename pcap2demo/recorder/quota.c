/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/quota.h"

#include <glib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/demo/format.h"
#include "pcap2demo/recorder/log.h"
#include "pcap2demo/recorder/lockfile.h"

enum { DATE_DIGITS = 8, TIME_DIGITS = 6, SECONDS_A_DAY = 24 * 60 * 60 };

struct old_recording {
    char *path;
    int64_t changed; /* seconds since the epoch */
    uint64_t size;
};

/* --- Names ----------------------------------------------------------------------------------- */

static bool are_digits(const char *text, int count)
{
    for (int i = 0; i < count; i++)
        if (!g_ascii_isdigit(text[i]))
            return false;
    return true;
}

/* "20261120-155401" */
static bool has_start(const char *name)
{
    for (; *name; name++)
        if (are_digits(name, DATE_DIGITS) && name[DATE_DIGITS] == '-' &&
            are_digits(name + DATE_DIGITS + 1, TIME_DIGITS))
            return true;
    return false;
}

static bool is_recording(const char *name)
{
    const char *dot = strrchr(name, '.');

    if (!dot || *name == '.' || !has_start(name))
        return false;
    if (strcmp(dot, ".pcapng") == 0)
        return true;
    for (int i = 0; qs_demo_formats[i]; i++)
        if (strcmp(dot + 1, qs_demo_formats[i]->extension) == 0)
            return true;
    return false;
}

/* --- Files ----------------------------------------------------------------------------------- */

static void free_recording(gpointer data)
{
    struct old_recording *recording = data;

    g_free(recording->path);
    g_free(recording);
}

static bool is_file(const char *path, struct stat *about)
{
    return lstat(path, about) == 0 && S_ISREG(about->st_mode);
}

/* The recordings of the folder, new; `*open`: bytes of those that are being written. */
static GPtrArray *find_recordings(const char *folder, uint64_t *open)
{
    GPtrArray *recordings = g_ptr_array_new_with_free_func(free_recording);
    GDir *directory = g_dir_open(folder, 0, NULL);
    const char *name;
    struct stat about;

    *open = 0;
    while (directory && (name = g_dir_read_name(directory))) {
        const bool writing = g_str_has_prefix(name, RUN_PREFIX);
        char *path = writing || is_recording(name) ? g_build_filename(folder, name, NULL) : NULL;
        const bool counts = path && is_file(path, &about);

        if (counts && !writing) {
            struct old_recording *recording = g_new(struct old_recording, 1);

            *recording = (struct old_recording){g_steal_pointer(&path), about.st_mtime,
                                                (uint64_t)about.st_size};
            g_ptr_array_add(recordings, recording);
        } else if (counts) {
            *open += (uint64_t)about.st_size;
        }
        g_free(path);
    }
    if (directory)
        g_dir_close(directory);
    return recordings;
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
    const int64_t oldest = now - (int64_t)quota->keep_days * SECONDS_A_DAY;
    uint64_t total;
    GPtrArray *recordings;

    if (!quota->max_disk && !quota->keep_days)
        return true;
    recordings = find_recordings(quota->folder, &total);
    g_ptr_array_sort(recordings, compare_age);
    for (guint i = 0; i < recordings->len; i++)
        total += ((const struct old_recording *)g_ptr_array_index(recordings, i))->size;
    for (guint i = 0; i < recordings->len; i++) {
        const struct old_recording *recording = g_ptr_array_index(recordings, i);
        const bool too_old = quota->keep_days && recording->changed < oldest;
        const bool too_much = quota->max_disk && total > quota->max_disk;

        if ((too_old || too_much) && remove_recording(recording, too_old ? "--keep" : "--max-disk"))
            total -= recording->size;
    }
    g_ptr_array_free(recordings, TRUE);
    return !quota->max_disk || total <= quota->max_disk;
}
