/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/quota.h"

#include <glib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pcap2demo/capture/source.h"
#include "pcap2demo/recorder/log.h"
#include "pcap2demo/recorder/recovery.h"

enum { DATE_DIGITS = 8, TIME_DIGITS = 6, BLOCK = 512 /* stat(2) */ };

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
    const bool damaged = g_str_has_suffix(name, DAMAGED_EXTENSION);
    char *stem = g_strndup(name, strlen(name) - (damaged ? strlen(DAMAGED_EXTENSION) : 0));
    const bool found = *name != '.' && has_start(name) && source_is_input_name(stem, true);

    g_free(stem);
    return found;
}

/* --- Files ----------------------------------------------------------------------------------- */

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
