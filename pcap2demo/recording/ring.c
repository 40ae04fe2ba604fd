/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recording/recording.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <pcap/pcap.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/core/hash.h"
#include "pcap2demo/actions/report.h"
#include "pcap2demo/capture/link.h"
#include "pcap2demo/capture/source.h"

/* HEAD: number of bytes that identify a file. OLD_S: age from which a file may be removed (s). */
enum { HEAD = 512, OLD_S = 60 };

struct ring_file {
    char *name, *path;
    uint64_t inode;      /* identifies the file, whatever its name */
    struct stat about;   /* status at the last ring_scan() */
    struct input *input; /* NULL: no capture, or no complete frame yet */
    FILE *stream;        /* stream of the input, which owns it */
    uint8_t head[HEAD];  /* first bytes of the file */
    size_t head_size;
    int64_t first; /* time of the first frame */
    struct input_frame frame;
    bool has_frame;     /* `frame` was read, and not yet returned */
    bool at_end;        /* nothing is left to read before the next ring_scan() */
    bool cut;           /* the file ends within a record */
    bool damaged;       /* the rest of the file is not read */
    bool reported_link; /* a link type that cannot be read was reported */
    bool seen;          /* found by the current ring_scan() */
    int error;          /* error of open(), or EINVAL: its header is wrong; 0: none */
};

struct ring {
    const char *folder, *filter;
    GHashTable *files;      /* struct ring_file, by inode */
    GPtrArray *captures;    /* files that have an input */
    struct ring_file *last; /* file of the returned frame, or NULL */
};

static void report(const struct ring_file *file, const char *what)
{
    log_event(LOG_WARNING, "ring", json_pack("{s:o}", "file", report_text_json(file->name)),
              "%s: %s", file->path, what);
}

/* --- Files ----------------------------------------------------------------------------------- */

static void free_file(gpointer data)
{
    struct ring_file *file = data;

    if (file->input)
        input_close(file->input);
    g_free(file->name);
    g_free(file->path);
    g_free(file);
}

/* Reports the link type of the next frame if it is the file's first one that cannot be read. */
static void check_link(struct ring_file *file)
{
    const int link_type = file->frame.link_type;
    g_autofree char *what = NULL;

    if (file->reported_link || link_find(link_type))
        return;
    file->reported_link = true;
    what = g_strdup_printf("link type \"%s\" cannot be read",
                           pcap_datalink_val_to_description_or_dlt(link_type));
    report(file, what);
}

/* Reads the next frame, unless one is waiting. */
static void fill(struct ring_file *file)
{
    enum input_status status;

    if (file->has_frame || file->at_end)
        return;
    status = input_next(file->input, &file->frame);
    file->has_frame = status == INPUT_FRAME;
    if (file->has_frame && !file->first)
        file->first = file->frame.packet.time;
    if (file->has_frame)
        check_link(file);
    file->at_end = !file->has_frame;
    file->cut = status == INPUT_CUT;
    file->damaged = status == INPUT_BROKEN;
    if (file->damaged)
        report(file, file->input->error);
}

/* Sets the file's error, and reports it unless it is `known`. */
static void set_error(struct ring_file *file, int error, int known, const char *what)
{
    file->error = error;
    if (error && error != known)
        report(file, what);
}

/* Opens the file. Returns NULL and sets errno; to ENOENT if another file has its name now. */
static FILE *open_stream(const struct ring_file *file)
{
    const int descriptor = open(file->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat about;

    if (descriptor < 0)
        return NULL;
    if (fstat(descriptor, &about) == 0 && about.st_ino == file->about.st_ino &&
        S_ISREG(about.st_mode))
        return fdopen(descriptor, "rb");
    close(descriptor);
    errno = ENOENT;
    return NULL;
}

/* Opens the file if it is a capture whose first frame is complete. It stays open, and readable
 * after its removal. `known`: the error that was already reported for this file. */
static void open_file(struct ring *ring, struct ring_file *file, int known)
{
    g_autofree char *error = NULL;
    ssize_t size;

    file->stream = open_stream(file);
    if (!file->stream) {
        /* ENOENT: a new file is about to replace this one. */
        set_error(file, errno == ENOENT ? known : errno, known, g_strerror(errno));
        return;
    }
    if (!source_is_capture(file->stream)) {
        fclose(file->stream);
        return;
    }
    file->input = input_open_capture(file->stream, file->path, ring->filter, &error);
    if (!file->input) {
        /* A small file may be one whose header is not complete yet. */
        set_error(file, file->about.st_size > HEAD ? EINVAL : 0, known, error);
        return;
    }
    if (input_has_known_links(file->input)) {
        fill(file);
    } else {
        file->damaged = file->at_end = true;
        report(file, "its link type cannot be read");
    }
    if (!file->input->frames && !file->damaged) {
        g_clear_pointer(&file->input, input_close);
        file->at_end = false;
        return;
    }
    size = pread(fileno(file->stream), file->head, HEAD, 0);
    file->head_size = (size_t)MAX(size, 0);
    g_ptr_array_add(ring->captures, file);
}

/* True if the file still begins with the same bytes as when it was opened. */
static bool has_same_head(const struct ring_file *file)
{
    uint8_t head[HEAD];

    return pread(fileno(file->stream), head, file->head_size, 0) == (ssize_t)file->head_size &&
           memcmp(head, file->head, file->head_size) == 0;
}

/* --- Changes in the folder ------------------------------------------------------------------- */

static void set_name(const struct ring *ring, struct ring_file *file, const char *name)
{
    g_free(file->name);
    g_free(file->path);
    file->name = g_strdup(name);
    file->path = g_build_filename(ring->folder, name, NULL);
}

static void add_file(struct ring *ring, const char *name, const struct stat *about, int known)
{
    struct ring_file *file = g_new0(struct ring_file, 1);

    set_name(ring, file, name);
    file->inode = about->st_ino;
    file->about = *about;
    file->seen = true;
    g_hash_table_insert(ring->files, &file->inode, file);
    open_file(ring, file, known);
}

/* Forgets a file that is gone. Reports `why` if it was not completely read. */
static void remove_file(struct ring *ring, struct ring_file *file, const char *why)
{
    if (file->input && !file->damaged && (file->has_frame || !file->at_end || file->cut))
        report(file, why);
    g_ptr_array_remove(ring->captures, file);
    if (ring->last == file)
        ring->last = NULL;
    g_hash_table_remove(ring->files, &file->inode);
}

/* Resumes reading a changed file, or opens it again if it was overwritten. */
static void update_file(struct ring *ring, struct ring_file *file, const struct stat *about)
{
    if (!file->input || !has_same_head(file) ||
        about->st_size < (off_t)file->input->reader->position) {
        g_autofree char *name = g_strdup(file->name);
        const int known = file->error;

        remove_file(ring, file, "was overwritten before it was read to its end");
        add_file(ring, name, about, known);
        return;
    }
    file->about = *about;
    if (file->at_end && !file->damaged) {
        frame_reader_resume(file->input->reader);
        file->at_end = false;
    }
}

static void scan_file(struct ring *ring, const char *name, const struct stat *about)
{
    const uint64_t inode = about->st_ino;
    struct ring_file *file = g_hash_table_lookup(ring->files, &inode);

    if (!file) {
        add_file(ring, name, about, 0);
        return;
    }
    file->seen = true;
    if (strcmp(file->name, name) != 0)
        set_name(ring, file, name);
    if (about->st_size != file->about.st_size ||
        memcmp(&about->st_ctim, &file->about.st_ctim, sizeof about->st_ctim) != 0)
        update_file(ring, file, about);
}

/* Forgets removed files that were completely read. */
static void forget_removed(struct ring *ring)
{
    GList *files = g_hash_table_get_values(ring->files);

    for (GList *link = files; link; link = link->next) {
        struct ring_file *file = link->data;

        if (!file->seen && (!file->input || file->at_end))
            remove_file(ring, file, "was removed before it was read to its end");
        else
            file->seen = false;
    }
    g_list_free(files);
}

int ring_scan(struct ring *ring)
{
    DIR *folder = opendir(ring->folder);
    const struct dirent *entry;
    struct stat about;
    int error = folder ? 0 : errno;

    while (folder && (entry = readdir(folder)))
        if (*entry->d_name == '.')
            continue;
        else if (fstatat(dirfd(folder), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0)
            error = errno == ENOENT ? error : errno;
        else if (S_ISREG(about.st_mode))
            scan_file(ring, entry->d_name, &about);
    if (folder)
        closedir(folder);
    if (!error)
        forget_removed(ring);
    return error;
}

/* --- Frames ---------------------------------------------------------------------------------- */

/* True if the frame of `file` comes first: by time, or else by the start of the files. */
static bool is_before(const struct ring_file *file, const struct ring_file *other)
{
    if (file->frame.packet.time != other->frame.packet.time)
        return file->frame.packet.time < other->frame.packet.time;
    return file->first != other->first ? file->first < other->first
                                       : strcmp(file->name, other->name) < 0;
}

struct input_frame *ring_next(struct ring *ring, int64_t now)
{
    struct ring_file *first = NULL;
    int64_t age;

    if (ring->last)
        ring->last->has_frame = false;
    ring->last = NULL;
    for (guint i = 0; i < ring->captures->len; i++) {
        struct ring_file *file = g_ptr_array_index(ring->captures, i);

        fill(file);
        if (file->has_frame && (!first || is_before(file, first)))
            first = file;
    }
    age = first ? now - first->frame.packet.time : 0;
    if (!first || (age >= 0 && age < RING_PATIENCE))
        return NULL;
    ring->last = first;
    return &first->frame;
}

struct input *ring_last_input(const struct ring *ring)
{
    return ring->last->input;
}

bool ring_is_read(const struct ring *ring)
{
    for (guint i = 0; i < ring->captures->len; i++)
        if (!((const struct ring_file *)g_ptr_array_index(ring->captures, i))->at_end)
            return false;
    return true;
}

/* --- Life of a ring -------------------------------------------------------------------------- */

int64_t ring_oldest(const struct ring *ring)
{
    int64_t oldest = 0;

    for (guint i = 0; i < ring->captures->len; i++) {
        const struct ring_file *file = g_ptr_array_index(ring->captures, i);

        if (file->first && (!oldest || file->first < oldest))
            oldest = file->first;
    }
    return oldest;
}

/* True if a program has the file open for writing. Only the file's owner can find that out: the
 * kernel then refuses a lease. */
static bool is_written(const struct ring_file *file)
{
    const int descriptor = fileno(file->stream);
    const bool written = fcntl(descriptor, F_SETLEASE, F_RDLCK) != 0 && errno == EAGAIN;

    fcntl(descriptor, F_SETLEASE, F_UNLCK);
    return written;
}

/* Returns the oldest file that may be removed, or NULL. `*bytes`: size of all captures. */
static struct ring_file *find_oldest(const struct ring *ring, uint64_t *bytes)
{
    const time_t now = time(NULL);
    struct ring_file *oldest = NULL;

    *bytes = 0;
    for (guint i = 0; i < ring->captures->len; i++) {
        struct ring_file *file = g_ptr_array_index(ring->captures, i);

        *bytes += (uint64_t)file->about.st_size;
        if (file->at_end && now - file->about.st_mtim.tv_sec > OLD_S &&
            (!oldest || file->first < oldest->first) && !is_written(file))
            oldest = file;
    }
    return oldest;
}

void ring_remove_oldest(struct ring *ring, uint64_t max)
{
    uint64_t bytes;
    struct ring_file *oldest;
    struct stat about;

    while ((oldest = find_oldest(ring, &bytes)) && bytes > max) {
        /* Another file may have its name by now. */
        if (stat(oldest->path, &about) != 0 || about.st_ino != oldest->inode ||
            unlink(oldest->path) != 0)
            return;
        remove_file(ring, oldest, "was removed");
    }
}

static guint hash_inode(gconstpointer inode)
{
    return qs_hash_number(*(const uint64_t *)inode);
}

struct ring *ring_new(const char *folder, const char *filter)
{
    struct ring *ring = g_new0(struct ring, 1);

    signal(SIGIO, SIG_IGN); /* a program opens a file while is_written() has a lease */
    ring->folder = folder;
    ring->filter = filter;
    ring->files = g_hash_table_new_full(hash_inode, g_int64_equal, NULL, free_file);
    ring->captures = g_ptr_array_new();
    return ring;
}

void ring_free(struct ring *ring)
{
    g_ptr_array_free(ring->captures, TRUE);
    g_hash_table_destroy(ring->files);
    g_free(ring);
}
