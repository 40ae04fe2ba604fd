/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recording/ring.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "pcap2demo/capture/source.h"
#include "pcap2demo/recording/log.h"

/* HEAD: bytes by which a file is recognized. GROWING_MAX: files that stay open at their end.
 * UNREAD_MAX: files that are open before they are read, in case that they are removed. */
enum { HEAD = 512, GROWING_MAX = 16, UNREAD_MAX = 128, OLD_S = 60 };

struct file {
    const struct ring *ring;
    char *name, *path;
    struct stat about;  /* as of the last look */
    int descriptor;     /* -1: it is not open */
    int64_t first;      /* time of its first frame; 0: it has none, or is no capture */
    uint8_t head[HEAD]; /* its first bytes */
    size_t head_size;
    struct input *input; /* NULL: it is not being read */
    struct input_frame frame;
    bool has_frame; /* that was read, and not yet returned */
    bool at_end;    /* nothing more can be read before the next look */
    bool cut;       /* it ends within a record */
    bool damaged;   /* nothing more of it is read */
    bool seen;      /* at this look */
    uint64_t done;  /* bytes that were read */
    gint64 used;    /* when a frame of it was read last: monotonic */
};

struct ring {
    const char *folder, *filter;
    GHashTable *files;  /* struct file, by name */
    GPtrArray *waiting; /* struct file that are to be read, the first one last */
    GPtrArray *reading; /* struct file that are being read, the first one first */
    unsigned open;      /* files of `waiting` with a descriptor */
    struct file *last;  /* whose frame was returned; or NULL */
};

G_GNUC_PRINTF(2, 3)
static void report(const struct file *file, const char *format, ...)
{
    va_list arguments;
    char *text;

    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    log_event(LOG_WARNING, "ring", json_pack("{s:s}", "file", file->name), "%s: %s", file->path,
              text);
    g_free(text);
}

/* --- One file -------------------------------------------------------------------------------- */

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Returns whether the file that is known is open. */
static bool open_file(struct file *file)
{
    struct stat about;

    if (file->descriptor >= 0)
        return true;
    file->descriptor = open(file->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file->descriptor < 0)
        return false;
    if (fstat(file->descriptor, &about) == 0 && is_same(&about, &file->about))
        return true;
    close(file->descriptor);
    file->descriptor = -1;
    return false;
}

static void close_file(struct file *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    file->descriptor = -1;
    g_clear_pointer(&file->input, input_close);
    file->has_frame = false;
}

static void free_file(gpointer data)
{
    struct file *file = data;

    close_file(file);
    g_free(file->name);
    g_free(file->path);
    g_free(file);
}

/* NULL: it is no capture, or its header is not whole yet. */
static struct input *open_input(struct file *file, const char *filter)
{
    const int copy = open_file(file) ? dup(file->descriptor) : -1;
    FILE *stream = copy >= 0 ? fdopen(copy, "rb") : NULL;
    g_autofree char *error = NULL;

    if (!stream)
        return NULL;
    rewind(stream);
    if (source_is_capture(stream))
        return input_open_capture(stream, file->path, filter, &error);
    fclose(stream);
    return NULL;
}

/* Whether it still begins as it did when it was found. */
static bool has_same_head(struct file *file)
{
    uint8_t head[HEAD];

    return open_file(file) &&
           pread(file->descriptor, head, file->head_size, 0) == (ssize_t)file->head_size &&
           memcmp(head, file->head, file->head_size) == 0;
}

/* Finds its first frame. */
static void identify(struct file *file)
{
    struct input *input = open_input(file, NULL);
    struct input_frame frame;
    ssize_t size;

    if (input && input_next(input, &frame) == INPUT_FRAME) {
        size = pread(file->descriptor, file->head, HEAD, 0);
        file->head_size = (size_t)MAX(size, 0);
        file->first = MAX(frame.packet.time, 1);
    }
    if (input)
        input_close(input);
}

/* Reads its next frame, unless it has one. */
static void fill(struct file *file)
{
    enum input_status status;

    if (file->has_frame || file->at_end)
        return;
    status = input_next(file->input, &file->frame);
    file->done = file->input->reader->position;
    file->has_frame = status == INPUT_FRAME;
    file->at_end = !file->has_frame;
    file->cut = status == INPUT_CUT;
    if (status == INPUT_BROKEN && has_same_head(file)) {
        file->damaged = true;
        report(file, "%s", file->input->error);
    }
}

/* --- Files that are read --------------------------------------------------------------------- */

static gint compare_files(gconstpointer a, gconstpointer b)
{
    const struct file *one = *(struct file *const *)a, *two = *(struct file *const *)b;

    if (one->first != two->first)
        return one->first < two->first ? 1 : -1;
    return strcmp(two->name, one->name);
}

static void wait_for_turn(struct ring *ring, struct file *file)
{
    if (file->descriptor >= 0 && ring->open < UNREAD_MAX)
        ring->open++;
    else
        close_file(file);
    g_ptr_array_add(ring->waiting, file);
    g_ptr_array_sort(ring->waiting, compare_files);
}

/* Returns whether the file was one of those that wait. */
static bool stop_waiting(struct ring *ring, struct file *file)
{
    ring->open -= g_ptr_array_find(ring->waiting, file, NULL) && file->descriptor >= 0;
    return g_ptr_array_remove(ring->waiting, file);
}

/* A file that was read before goes on where it was. */
static void begin_to_read(struct ring *ring, struct file *file)
{
    const uint64_t done = file->done;

    stop_waiting(ring, file);
    file->input = open_input(file, ring->filter);
    if (!file->input) {
        report(file, "cannot be read: %s", g_strerror(errno));
        return;
    }
    if (!input_has_known_links(file->input)) {
        report(file, "its link type cannot be read");
        close_file(file);
        return;
    }
    file->at_end = false;
    do {
        file->has_frame = false;
        fill(file);
    } while (file->has_frame && file->done <= done);
    file->used = g_get_monotonic_time();
    g_ptr_array_add(ring->reading, file);
}

static void stop_reading(struct ring *ring, struct file *file)
{
    g_ptr_array_remove(ring->reading, file);
    if (ring->last == file)
        ring->last = NULL;
    close_file(file);
}

/* Closes the file that was used longest ago, if too many are at their ends. */
static void close_oldest(struct ring *ring)
{
    struct file *oldest = NULL;
    unsigned count = 0;

    for (guint i = 0; i < ring->reading->len; i++) {
        struct file *file = g_ptr_array_index(ring->reading, i);

        count += file->at_end;
        if (file->at_end && (!oldest || file->used < oldest->used))
            oldest = file;
    }
    if (count > GROWING_MAX)
        stop_reading(ring, oldest);
}

/* --- Looking --------------------------------------------------------------------------------- */

static void add_file(struct ring *ring, const char *name, const struct stat *about)
{
    struct file *file = g_new0(struct file, 1);

    file->ring = ring;
    file->name = g_strdup(name);
    file->path = g_build_filename(ring->folder, name, NULL);
    file->about = *about;
    file->descriptor = -1;
    file->seen = true;
    g_hash_table_insert(ring->files, file->name, file);
    identify(file);
    if (file->first)
        wait_for_turn(ring, file);
    else
        close_file(file);
}

/* The file is gone, or another one has its name. */
static void remove_file(struct ring *ring, struct file *file, const char *why)
{
    const bool waits = stop_waiting(ring, file);

    if (file->first && !file->damaged &&
        (waits || file->cut || file->has_frame || (file->input && !file->at_end)))
        report(file, "%s before it was read to its end", why);
    stop_reading(ring, file);
    g_hash_table_remove(ring->files, file->name);
}

/* A file that has changed. */
static void update_file(struct ring *ring, struct file *file, const struct stat *about)
{
    const bool anew = !is_same(about, &file->about) || !file->first ||
                      about->st_size < (off_t)file->done || !has_same_head(file);

    if (anew) {
        g_autofree char *name = g_strdup(file->name);

        remove_file(ring, file, "was overwritten");
        add_file(ring, name, about);
        return;
    }
    file->about = *about;
    if (file->damaged)
        return;
    if (file->input && file->at_end) {
        frame_reader_resume(file->input->reader);
        file->at_end = false;
    } else if (!file->input && !g_ptr_array_find(ring->waiting, file, NULL)) {
        wait_for_turn(ring, file);
    }
}

static void look_at(struct ring *ring, const char *name, const struct stat *about)
{
    struct file *file = g_hash_table_lookup(ring->files, name);

    if (!file) {
        add_file(ring, name, about);
        return;
    }
    file->seen = true;
    if (!is_same(about, &file->about) || about->st_size != file->about.st_size ||
        about->st_mtim.tv_sec != file->about.st_mtim.tv_sec ||
        about->st_mtim.tv_nsec != file->about.st_mtim.tv_nsec)
        update_file(ring, file, about);
}

/* A file that is open is read to its end. */
static void find_removed(struct ring *ring)
{
    GList *files = g_hash_table_get_values(ring->files);

    for (GList *link = files; link; link = link->next) {
        struct file *file = link->data;

        if (!file->seen && (file->descriptor < 0 || (file->input && file->at_end)))
            remove_file(ring, file, "was removed");
    }
    g_list_free(files);
}

static void forget_seen(gpointer name, gpointer file, gpointer user)
{
    (void)name, (void)user;
    ((struct file *)file)->seen = false;
}

bool ring_look(struct ring *ring)
{
    DIR *folder = opendir(ring->folder);
    const struct dirent *entry;
    struct stat about;

    if (!folder)
        return false;
    g_hash_table_foreach(ring->files, forget_seen, NULL);
    while ((entry = readdir(folder)))
        if (*entry->d_name != '.' &&
            fstatat(dirfd(folder), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(about.st_mode))
            look_at(ring, entry->d_name, &about);
    closedir(folder);
    find_removed(ring);
    close_oldest(ring);
    return true;
}

/* --- Frames ---------------------------------------------------------------------------------- */

/* The file with the earliest frame of those that are read; NULL: none has one. */
static struct file *earliest(const struct ring *ring)
{
    struct file *first = NULL;

    for (guint i = 0; i < ring->reading->len; i++) {
        struct file *file = g_ptr_array_index(ring->reading, i);

        fill(file);
        if (file->has_frame && (!first || file->frame.packet.time < first->frame.packet.time))
            first = file;
    }
    return first;
}

struct input_frame *ring_next(struct ring *ring, int64_t now, const struct input **input)
{
    struct file *first;
    int64_t age;

    if (ring->last)
        ring->last->has_frame = false;
    ring->last = NULL;
    first = earliest(ring);
    while (ring->waiting->len) {
        struct file *next = g_ptr_array_index(ring->waiting, ring->waiting->len - 1);

        if (first && next->first > first->frame.packet.time)
            break;
        begin_to_read(ring, next);
        first = earliest(ring);
    }
    age = first ? now - first->frame.packet.time : 0;
    if (!first || (age >= 0 && age < RING_PATIENCE))
        return NULL;
    first->used = g_get_monotonic_time();
    ring->last = first;
    *input = first->input;
    return &first->frame;
}

bool ring_is_read(const struct ring *ring)
{
    for (guint i = 0; i < ring->reading->len; i++) {
        const struct file *file = g_ptr_array_index(ring->reading, i);

        if (file->has_frame || !file->at_end)
            return false;
    }
    return !ring->waiting->len;
}

/* --- All of it ------------------------------------------------------------------------------- */

/* The file with the oldest first frame, of those that may be removed or of all; and the bytes of
 * all. NULL: there is none. */
static struct file *find_oldest(const struct ring *ring, bool removable, uint64_t *bytes)
{
    const time_t now = time(NULL);
    GHashTableIter files;
    struct file *oldest = NULL;
    gpointer value;

    *bytes = 0;
    g_hash_table_iter_init(&files, ring->files);
    while (g_hash_table_iter_next(&files, NULL, &value)) {
        struct file *file = value;

        *bytes += file->first ? (uint64_t)file->about.st_size : 0;
        if (!file->first || (oldest && file->first >= oldest->first))
            continue;
        if (!removable || (file->done && !file->has_frame && (!file->input || file->at_end) &&
                           now - file->about.st_mtim.tv_sec > OLD_S))
            oldest = file;
    }
    return oldest;
}

int64_t ring_oldest(const struct ring *ring)
{
    uint64_t bytes;
    const struct file *oldest = find_oldest(ring, false, &bytes);

    return oldest ? oldest->first : 0;
}

void ring_remove_oldest(struct ring *ring, uint64_t max)
{
    uint64_t bytes;
    struct file *oldest;

    while ((oldest = find_oldest(ring, true, &bytes)) && bytes > max) {
        if (unlink(oldest->path) != 0)
            return;
        remove_file(ring, oldest, "was removed");
    }
}

struct ring *ring_new(const char *folder, const char *filter)
{
    struct ring *ring = g_new0(struct ring, 1);

    ring->folder = folder;
    ring->filter = filter;
    ring->files = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, free_file);
    ring->waiting = g_ptr_array_new();
    ring->reading = g_ptr_array_new();
    return ring;
}

void ring_free(struct ring *ring)
{
    g_ptr_array_free(ring->waiting, TRUE);
    g_ptr_array_free(ring->reading, TRUE);
    g_hash_table_destroy(ring->files);
    g_free(ring);
}
