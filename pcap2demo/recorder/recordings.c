/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/recordings.h"

#include "pcap2demo/output/safe_path.h"
#include "pcap2demo/output/writer.h"
#include "pcap2demo/recorder/durable.h"
#include "pcap2demo/recorder/log.h"
#include "pcap2demo/recorder/room.h"
#include "pcap2demo/recorder/run_lock.h"
#include "pcap2demo/recorder/unfinished.h"
#include "pcap2demo/recorder/unfinished_capture.h"

enum {
    WAITING_MAX = 64 * 1024 * 1024, /* bytes of all recordings, while there is no room */
    WAITING_EACH = 2 * 1024 * 1024, /* of one of them */
    ROOM_EVERY = 10,                /* seconds */
    NAMES_MAX = 4096                /* that are remembered */
};

struct recordings {
    struct qs_demo_store store;
    struct recordings_setup setup;
    struct run_lock *lock;
    struct durable *durable; /* or NULL */
    GQueue open;             /* struct recording */
    bool no_room;            /* by --max-disk */
    bool full;               /* that, or the disk is; which was told */
    uint64_t lost;
    gint64 looked; /* at --max-disk and --keep, when; monotonic */
};

struct recording {
    struct recordings *all;
    struct writer *writer;
    GList link;
    const char *cut; /* why no more of it is kept; or NULL */
    uint64_t lost;   /* bytes since then */
};

/* --- What demos call ------------------------------------------------------------------------- */

static void *begin(struct qs_demo_store *store, const struct qs_demo_name_request *request)
{
    struct recordings *all = (struct recordings *)store;
    struct recording *recording = g_new0(struct recording, 1);
    char *suffix = unfinished_suffix(request);

    recording->all = all;
    recording->writer = writer_new(demo_files_folder(all->setup.files));
    writer_name_temporary(recording->writer, run_lock_prefix(all->lock), suffix);
    writer_wait_for_room(recording->writer);
    recording->link.data = recording;
    g_queue_push_tail_link(&all->open, &recording->link);
    g_free(suffix);
    return recording;
}

static size_t waiting_max(const struct recordings *all)
{
    return MIN((size_t)WAITING_EACH,
               WAITING_MAX / MAX(1, g_queue_get_length((GQueue *)&all->open)));
}

static void look_at_size(struct recording *recording, size_t size)
{
    const struct recordings *all = recording->all;
    const uint64_t max = all->setup.of_demos ? all->setup.limits->max_demo_size : 0;

    if (recording->cut)
        return;
    if (max && writer_size(recording->writer) + size > max)
        recording->cut = "--max-demo-size";
    else if (writer_is_full(recording->writer) &&
             writer_waiting(recording->writer) + size > waiting_max(all))
        recording->cut = all->no_room ? "--max-disk" : "the disk is full";
}

static void write_bytes(void *file, const void *data, size_t size)
{
    struct recording *recording = file;

    if (recording->all->no_room)
        writer_hold(recording->writer);
    look_at_size(recording, size);
    if (!recording->cut) {
        writer_add(recording->writer, data, size);
        return;
    }
    recording->lost += size;
    recording->all->lost += size;
}

static bool is_cut(const void *file)
{
    return ((const struct recording *)file)->cut != NULL;
}

/* What still has no room is lost. */
static void bring_to_disk(struct recording *recording)
{
    struct writer *writer = recording->writer;

    if (!recording->all->no_room && writer_flush(writer))
        return;
    recording->lost += writer_waiting(writer);
    recording->all->lost += writer_waiting(writer);
    writer_drop_waiting(writer);
    if (!recording->cut)
        recording->cut = recording->all->no_room ? "--max-disk" : "the disk is full";
}

/* A file that is cut gets an end. NULL, or why it cannot. */
static char *complete(const struct recording *recording)
{
    const char *path = writer_temporary(recording->writer);
    struct unfinished about = {0};
    char *error = NULL;

    if (!path)
        return g_strdup(recording->cut);
    if (!recording->all->setup.of_demos) {
        unfinished_capture_cut(path, &about.size, &about.blocks, &error);
        return error;
    }
    unfinished_complete(path, recording->all->setup.sessions, &about, &error);
    unfinished_clear(&about);
    return error;
}

static void tell_cut(const struct recording *recording, const char *name)
{
    log_warning("demo_cut",
                json_pack("{s:s, s:s, s:I}", "file", name, "why", recording->cut, "lost",
                          (json_int_t)recording->lost),
                "%s: ends early (%s); %" G_GUINT64_FORMAT " bytes are lost up to the next level",
                name, recording->cut, recording->lost);
}

static char *commit(struct qs_demo_store *store, void *file,
                    const struct qs_demo_name_request *request, char **name)
{
    const struct recordings *all = (const struct recordings *)store;
    struct qs_demo_names *naming = demo_files_naming(all->setup.files);
    struct recording *recording = file;
    char *error;

    *name = NULL;
    bring_to_disk(recording);
    error = recording->cut ? complete(recording) : NULL;
    if (error)
        return error;
    error = demo_files_name(naming, false, recording->writer, request, name);
    if (!error && recording->cut)
        tell_cut(recording, *name);
    qs_demo_names_forget(naming, NAMES_MAX);
    return error;
}

static void end(void *file)
{
    struct recording *recording = file;

    g_queue_unlink(&recording->all->open, &recording->link);
    writer_free(recording->writer);
    g_free(recording);
}

/* --- Every second ---------------------------------------------------------------------------- */

static void look_for_room(struct recordings *all)
{
    const struct room_limits limits = {.folder = demo_files_folder(all->setup.files),
                                       .max_disk = all->setup.limits->max_disk,
                                       .keep_days = all->setup.limits->keep_days};
    const gint64 now = g_get_monotonic_time();

    if (all->looked && now - all->looked < ROOM_EVERY * G_USEC_PER_SEC)
        return;
    all->looked = now;
    all->no_room = !room_make(&limits, g_get_real_time() / G_USEC_PER_SEC);
}

/* Whether all of them have room. */
static bool flush_all(struct recordings *all)
{
    bool room = true;

    for (GList *link = all->open.head; link; link = link->next) {
        const struct recording *recording = link->data;

        if (all->no_room)
            writer_hold(recording->writer);
        else
            writer_flush(recording->writer);
        room = room && !writer_is_full(recording->writer);
    }
    return room && !all->no_room;
}

static void tell_room(const struct recordings *all)
{
    const char *folder = demo_files_folder(all->setup.files);

    if (all->full)
        log_warning("disk_full", json_pack("{s:s}", "folder", folder),
                    "%s: %s; what is recorded waits in memory", folder,
                    all->no_room ? "nothing can be removed to keep --max-disk"
                                 : "the disk is full");
    else
        log_warning("disk_room",
                    json_pack("{s:s, s:I}", "folder", folder, "lost", (json_int_t)all->lost),
                    "%s: there is room again; %" G_GUINT64_FORMAT " bytes were lost so far", folder,
                    all->lost);
}

void recordings_tend(struct recordings *all)
{
    bool full;

    look_for_room(all);
    full = !flush_all(all);
    if (full == all->full)
        return;
    all->full = full;
    tell_room(all);
}

uint64_t recordings_lost(const struct recordings *all)
{
    return all->lost;
}

/* --- Opening --------------------------------------------------------------------------------- */

struct recordings *recordings_new(const struct recordings_setup *setup, char **error)
{
    const char *folder = demo_files_folder(setup->files);
    struct recordings *all = g_new0(struct recordings, 1);

    all->store = (struct qs_demo_store){
        .begin = begin, .write = write_bytes, .is_cut = is_cut, .commit = commit, .end = end};
    all->setup = *setup;
    g_queue_init(&all->open);
    *error = make_folders(folder);
    if (!*error)
        all->lock = run_lock_new(folder, error);
    if (!all->lock) {
        g_free(all);
        return NULL;
    }
    unfinished_find(folder, setup->sessions);
    all->durable = durable_new(folder);
    return all;
}

void recordings_free(struct recordings *all)
{
    durable_free(all->durable);
    run_lock_free(all->lock);
    g_free(all);
}

struct qs_demo_store *recordings_store(struct recordings *all)
{
    return &all->store;
}
