/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/recordings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/sessions/demo_input.h"
#include "pcap2demo/capture/pipeline.h"
#include "pcap2demo/capture/source.h"
#include "pcap2demo/recorder/disk.h"
#include "pcap2demo/recorder/log.h"

enum { CHUNK = 64 * 1024 };

/* An unfinished file. */
struct unfinished {
    struct qs_sessions_handler handler; /* reads it */
    struct recordings *recordings;
    unsigned folder; /* DEMOS or CAPTURES */
    const char *path;
    struct qs_demo_name_request request; /* `player` and `map` are its own */
    bool capture;
    uint64_t size, whole; /* bytes of it, and of whole blocks */
    uint64_t blocks;      /* of a demo; packets of a capture */
    unsigned demos;       /* made of a capture */
    GByteArray *end;      /* what a demo lacks */
};

/* The parts of ".pcap2demo-rec-RANDOM.CAPTURE@START.EXTENSION". The texts stand in `name`, which is
 * changed. */
static bool parse_name(char *name, struct qs_demo_name_request *request)
{
    char *capture = strchr(name + 1, '.'), *at = strrchr(name, '@');
    char *dot = at ? strchr(at, '.') : NULL;

    if (!capture || !dot || at < capture)
        return false;
    *at = *dot = '\0';
    *request = (struct qs_demo_name_request){
        .capture = capture + 1, .start = g_ascii_strtoll(at + 1, NULL, 10), .extension = dot + 1};
    return true;
}

/* --- What it holds --------------------------------------------------------------------------- */

static void on_session_end(struct qs_sessions_handler *handler,
                           const struct qs_client_session *session)
{
    struct unfinished *file = (struct unfinished *)handler;

    if (!file->request.player)
        file->request.player = g_strdup(session->player);
    if (!file->request.map && session->maps->len)
        file->request.map = g_strdup(g_ptr_array_index(session->maps, 0));
}

/* One that waits is written later, and its packets are kept. */
static void on_demo_file(struct qs_sessions_handler *handler,
                         const struct qs_client_session *session,
                         const struct qs_session_demo_file *demo)
{
    struct unfinished *file = (struct unfinished *)handler;

    (void)session;
    file->demos += demo->name != NULL;
}

static void scan_blocks(struct unfinished *file, struct qs_sessions *sessions,
                        struct qs_demo_input *demo)
{
    struct qs_demo_block block;
    struct qs_view last = {0};

    qs_sessions_begin_demo(sessions, demo);
    while (qs_demo_input_next(demo, &block)) {
        qs_sessions_block(sessions, &block);
        last = block.bytes;
        file->whole = block.offset + last.size;
        file->blocks++;
    }
    qs_sessions_end_demo(sessions);
    demo->reader.format->append_end(file->end, last);
    if (last.data && last.size == file->end->len &&
        memcmp(last.data, file->end->data, last.size) == 0)
        g_byte_array_set_size(file->end, 0); /* it has its end */
}

static char *scan_demo(struct unfinished *file, FILE *stream, struct qs_sessions *sessions)
{
    char *problem = NULL, *error = NULL;
    GByteArray *bytes = source_load(stream, QS_DEMO_INPUT_MAX, &problem);
    struct qs_demo_input *demo;

    fclose(stream);
    demo = qs_demo_input_open(bytes, problem, file->path, &error);
    if (!demo)
        return error;
    scan_blocks(file, sessions, demo);
    qs_demo_input_close(demo);
    return NULL;
}

static char *scan_capture(struct unfinished *file, FILE *stream, struct qs_sessions *sessions)
{
    char *error = NULL;
    struct input *input = input_open_capture(stream, file->path, NULL, &error);
    struct pipeline pipeline;
    struct input_frame frame;

    if (!input)
        return error;
    pipeline_init(&pipeline);
    qs_sessions_set_source(sessions, input->name, file->request.capture);
    pipeline_start(&pipeline, sessions);
    while (!qs_sessions_have_enough(sessions) && input_next(input, &frame) == INPUT_FRAME)
        pipeline_add_frame(&pipeline, &frame);
    pipeline_flush(&pipeline);
    file->blocks = input->frames;
    file->whole = input->reader->position;
    qs_sessions_end_source(sessions);
    pipeline_end(&pipeline);
    pipeline_clear(&pipeline);
    input_close(input);
    return NULL;
}

/* NULL, or why it cannot be read. */
static char *scan(struct unfinished *file, const struct qs_sessions_options *sessions_options)
{
    struct qs_sessions_options options = *sessions_options;
    const int descriptor = open_own_file(file->path);
    FILE *stream = descriptor >= 0 ? fdopen(descriptor, "rb") : NULL;
    struct qs_sessions *sessions;
    char *error;

    if (!stream)
        return g_strdup(g_strerror(errno));
    fseeko(stream, 0, SEEK_END);
    file->size = (uint64_t)ftello(stream);
    rewind(stream);
    options.store = (struct qs_demo_store *)file->recordings;
    options.prompt = false;
    if (!file->capture)
        options.sign_ons = NULL;
    sessions = qs_sessions_new(&options, &file->handler);
    error = (file->capture ? scan_capture : scan_demo)(file, stream, sessions);
    qs_sessions_free(sessions, true);
    return error;
}

/* --- Completing it --------------------------------------------------------------------------- */

static void commit(const struct unfinished *file, void *recording)
{
    struct qs_demo_store *store = (struct qs_demo_store *)file->recordings;
    struct qs_session_demo_file result = {0};

    store->write(recording, file->end->data, file->end->len);
    store->commit(store, recording, &file->request, &result);
    g_free(result.error);
    g_free(result.name);
    store->end(recording);
}

/* The whole blocks become a recording of their own, with an end. */
static void copy_start(const struct unfinished *file)
{
    struct qs_demo_store *store = (struct qs_demo_store *)file->recordings;
    void *copy = store->begin(store, &file->request);
    GMappedFile *bytes = g_mapped_file_new(file->path, FALSE, NULL);
    const uint64_t size = bytes ? MIN(file->whole, g_mapped_file_get_length(bytes)) : 0;

    for (uint64_t at = 0; at < size; at += CHUNK)
        store->write(copy, g_mapped_file_get_contents(bytes) + at, MIN(CHUNK, size - at));
    g_clear_pointer(&bytes, g_mapped_file_unref);
    commit(file, copy);
}

static void *adopt(const struct unfinished *file)
{
    return recordings_adopt(file->recordings, file->folder, file->path, file->size, &file->request);
}

static void complete(struct unfinished *file)
{
    const bool whole = file->blocks && file->whole == file->size;
    g_autofree char *damaged = g_strconcat(file->request.extension, DAMAGED_EXTENSION, NULL);

    if (!file->size || (whole && file->demos && file->folder == DEMOS)) {
        ((struct qs_demo_store *)file->recordings)->end(adopt(file));
    } else if (whole) {
        commit(file, adopt(file));
    } else {
        if (file->blocks)
            copy_start(file);
        g_byte_array_set_size(file->end, 0);
        file->request.extension = damaged;
        commit(file, adopt(file));
    }
}

static void recover(struct recordings *recordings, const struct disk_file *found,
                    const struct qs_sessions_options *sessions)
{
    struct unfinished file = {
        .recordings = recordings, .folder = found->folder, .path = found->path};
    char *parts = g_path_get_basename(found->path), *error;
    bool late;

    if (!parse_name(parts, &file.request)) {
        g_free(parts);
        return;
    }
    late = strcmp(file.request.extension, LATE_CAPTURE_EXTENSION) == 0;
    file.capture = late || strcmp(file.request.extension, CAPTURE_EXTENSION) == 0;
    if (file.capture)
        file.request.extension = CAPTURE_EXTENSION;
    file.handler = (struct qs_sessions_handler){.session_end = on_session_end,
                                                .demo_file = on_demo_file,
                                                .want_rebuild = late,
                                                .write_demos = late};
    file.end = g_byte_array_new();
    error = scan(&file, sessions);
    if (error)
        log_event(LOG_WARNING, "unfinished", json_pack("{s:s}", "file", file.path),
                  "%s: an unfinished recording cannot be completed: %s", file.path, error);
    else
        complete(&file);
    g_byte_array_free(file.end, TRUE);
    g_free((char *)file.request.player);
    g_free((char *)file.request.map);
    g_free(parts);
    g_free(error);
}

/* Recovering makes other unfinished files, and does not find those. */
void recordings_recover(struct recordings *recordings, const struct qs_sessions_options *sessions)
{
    GPtrArray *files = disk_files(recordings_folders(recordings));

    for (guint i = 0; i < files->len; i++) {
        const struct disk_file *file = g_ptr_array_index(files, i);

        if (file->unfinished)
            recover(recordings, file, sessions);
    }
    g_ptr_array_free(files, TRUE);
    recordings_tick(recordings);
}
