/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/room.h"

#include <glib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/demo/format.h"
#include "pcap2demo/recorder/log.h"
#include "pcap2demo/recorder/run_lock.h"

enum { DATE_DIGITS = 8, TIME_DIGITS = 6, SECONDS_A_DAY = 24 * 60 * 60 };

struct entry {
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

bool room_is_recording(const char *name)
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

static void free_entry(gpointer data)
{
    struct entry *entry = data;

    g_free(entry->path);
    g_free(entry);
}

static bool is_file(const char *path, struct stat *about)
{
    return lstat(path, about) == 0 && S_ISREG(about->st_mode);
}

/* The recordings of the folder, new; `*open`: bytes of those that are being written. */
static GPtrArray *find_recordings(const char *folder, uint64_t *open)
{
    GPtrArray *entries = g_ptr_array_new_with_free_func(free_entry);
    GDir *directory = g_dir_open(folder, 0, NULL);
    const char *name;
    struct stat about;

    *open = 0;
    while (directory && (name = g_dir_read_name(directory))) {
        const bool writing = g_str_has_prefix(name, RUN_PREFIX);
        char *path =
            writing || room_is_recording(name) ? g_build_filename(folder, name, NULL) : NULL;
        const bool counts = path && is_file(path, &about);

        if (counts && !writing) {
            struct entry *entry = g_new(struct entry, 1);

            *entry =
                (struct entry){g_steal_pointer(&path), about.st_mtime, (uint64_t)about.st_size};
            g_ptr_array_add(entries, entry);
        } else if (counts) {
            *open += (uint64_t)about.st_size;
        }
        g_free(path);
    }
    if (directory)
        g_dir_close(directory);
    return entries;
}

static gint compare_age(gconstpointer a, gconstpointer b)
{
    const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;

    if (x->changed != y->changed)
        return x->changed < y->changed ? -1 : 1;
    return strcmp(x->path, y->path);
}

static bool remove_recording(const struct entry *entry, const char *why)
{
    if (unlink(entry->path) != 0)
        return false;
    log_event("removed",
              json_pack("{s:s, s:I, s:s}", "file", entry->path, "bytes", (json_int_t)entry->size,
                        "why", why),
              "%s: removed (%s)", entry->path, why);
    return true;
}

bool room_make(const struct room_limits *limits, int64_t now)
{
    const int64_t oldest = now - (int64_t)limits->keep_days * SECONDS_A_DAY;
    uint64_t total;
    GPtrArray *entries;

    if (!limits->max_disk && !limits->keep_days)
        return true;
    entries = find_recordings(limits->folder, &total);
    g_ptr_array_sort(entries, compare_age);
    for (guint i = 0; i < entries->len; i++)
        total += ((const struct entry *)g_ptr_array_index(entries, i))->size;
    for (guint i = 0; i < entries->len; i++) {
        const struct entry *entry = g_ptr_array_index(entries, i);
        const bool too_old = limits->keep_days && entry->changed < oldest;
        const bool too_much = limits->max_disk && total > limits->max_disk;

        if ((too_old || too_much) && remove_recording(entry, too_old ? "--keep" : "--max-disk"))
            total -= entry->size;
    }
    g_ptr_array_free(entries, TRUE);
    return !limits->max_disk || total <= limits->max_disk;
}
