/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/recovery.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/sessions/demo_input.h"
#include "pcap2demo/capture/pipeline.h"
#include "pcap2demo/capture/source.h"
#include "pcap2demo/output/demo_files.h"
#include "pcap2demo/output/writer.h"
#include "pcap2demo/recorder/log.h"
#include "pcap2demo/recorder/sync.h"

/* An unfinished file. */
struct unfinished {
    struct qs_sessions_handler handler; /* reads it */
    const struct recovery *recovery;
    struct qs_demo_names *naming;
    char *path;
    struct qs_demo_name_request request; /* with `player` and `map`, as far as they are known */
    char *player, *map;
    bool capture, late;
    uint64_t size;
    uint64_t whole;  /* bytes of whole blocks */
    uint64_t blocks; /* of a demo; packets of a capture */
    GByteArray *end; /* what the demo lacks */
    unsigned demos;  /* made of a capture */
};

/* --- Names ----------------------------------------------------------------------------------- */

char *recovery_suffix(const struct qs_demo_name_request *request)
{
    return g_strdup_printf(".%s@%" G_GINT64_FORMAT ".%s", request->capture, request->start,
                           request->extension);
}

/* The reverse of recovery_suffix(). The texts stand in `name`, which is changed. */
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

    if (!file->player)
        file->player = g_strdup(session->player);
    if (!file->map && session->maps->len)
        file->map = g_strdup(g_ptr_array_index(session->maps, 0));
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

    if (!input)
        return error;
    pipeline_init(&pipeline);
    qs_sessions_set_source(sessions, input->name, file->request.capture);
    pipeline_read(&pipeline, input, sessions, false);
    file->blocks = input->frames;
    file->whole = input->position;
    qs_sessions_end_source(sessions);
    pipeline_end(&pipeline);
    pipeline_clear(&pipeline);
    input_close(input);
    return NULL;
}

/* The complete levels of a late session become demos. NULL, or why it cannot be read. */
static char *scan(struct unfinished *file, struct qs_demo_store *demos)
{
    struct qs_sessions_options options = *file->recovery->sessions;
    const int descriptor = open_own_file(file->path);
    FILE *stream = descriptor >= 0 ? fdopen(descriptor, "rb") : NULL;
    struct qs_sessions *sessions;
    char *error;

    if (!stream)
        return g_strdup(g_strerror(errno));
    fseeko(stream, 0, SEEK_END);
    file->size = (uint64_t)ftello(stream);
    rewind(stream);
    options.store = demos;
    options.prompt = false;
    if (!file->capture)
        options.sign_ons = NULL;
    sessions = qs_sessions_new(&options, &file->handler);
    error = (file->capture ? scan_capture : scan_demo)(file, stream, sessions);
    qs_sessions_free(sessions, true);
    return error;
}

/* --- Completing it --------------------------------------------------------------------------- */

static void log_completed(const char *path, uint64_t size, uint64_t blocks, const char *remark)
{
    log_warning("unfinished",
                json_pack("{s:s, s:I, s:I}", "file", path, "bytes", (json_int_t)size, "blocks",
                          (json_int_t)blocks),
                "%s: an unfinished recording, completed: %" G_GUINT64_FORMAT " bytes%s", path, size,
                remark);
}

static void on_demo_file(struct qs_sessions_handler *handler,
                         const struct qs_client_session *session,
                         const struct qs_session_demo_file *demo)
{
    struct unfinished *file = (struct unfinished *)handler;
    char *path;

    if (demo->error)
        return;
    file->demos++;
    path = g_build_filename(file->recovery->demos, demo->name, NULL);
    sync_file(path);
    log_completed(path, demo->size, session->packets, ", made of its packets");
    g_free(path);
}

/* NULL, or why the start of the file cannot be copied. */
static char *copy_start(const struct unfinished *file, struct writer *writer)
{
    uint8_t buffer[WRITER_BUFFER];
    uint64_t left = file->whole;
    const int descriptor = open_own_file(file->path);
    ssize_t size = 1;

    while (descriptor >= 0 && left && size > 0) {
        size = read(descriptor, buffer, MIN(left, sizeof buffer));
        writer_add(writer, buffer, (size_t)MAX(size, 0));
        left -= (uint64_t)MAX(size, 0);
    }
    if (descriptor >= 0)
        close(descriptor);
    return left ? g_strdup(g_strerror(errno)) : NULL;
}

/* Gives the writer's file a name with this extension. */
static char *name_file(const struct unfinished *file, struct writer *writer, const char *extension,
                       const char *remark)
{
    struct qs_demo_name_request request = file->request;
    char *name, *error;

    request.player = file->player;
    request.map = file->map;
    request.extension = extension;
    error = demo_files_name(file->naming, false, writer, &request, &name);
    if (!error) {
        char *path = g_build_filename(file->recovery->folder, name, NULL);

        sync_file(path);
        log_completed(path, writer_size(writer), file->blocks, remark);
        g_free(path);
    }
    g_free(name);
    return error;
}

/* The file as it is gets a name. */
static char *name_original(const struct unfinished *file, const char *extension, const char *remark)
{
    struct writer *writer = writer_adopt(file->recovery->folder, file->path, file->size);
    char *error;

    writer_set_waiting(writer); /* if it cannot be named, it stays */
    writer_add(writer, file->end->data, file->end->len);
    error = name_file(file, writer, extension, remark);
    writer_forget(writer);
    writer_free(writer);
    return error;
}

static char *complete_damaged(struct unfinished *file, const char *extension, const char *remark)
{
    struct writer *writer = writer_new(file->recovery->folder);
    char *damaged = g_strconcat(extension, DAMAGED_EXTENSION, NULL);
    char *error = file->blocks ? copy_start(file, writer) : NULL;

    writer_add(writer, file->end->data, file->end->len);
    if (file->blocks && !error)
        error = name_file(file, writer, extension, remark);
    g_byte_array_set_size(file->end, 0);
    if (!error)
        error = name_original(file, damaged, ", kept because it is damaged");
    writer_free(writer);
    g_free(damaged);
    return error;
}

static char *complete(struct unfinished *file)
{
    const char *extension = file->capture ? CAPTURE_EXTENSION : file->request.extension;
    const char *remark = "";

    if (file->late && !file->demos)
        remark = ", the packets of a session that began before the recording: pcap2demo --sign-on "
                 "makes a demo of them";
    if (!file->size || (file->demos && strcmp(file->recovery->demos, file->recovery->folder) == 0 &&
                        file->whole == file->size)) {
        unlink(file->path);
        return NULL;
    }
    if (!file->blocks || file->whole != file->size)
        return complete_damaged(file, extension, remark);
    return name_original(file, extension, remark);
}

static bool recover(struct unfinished *file)
{
    const struct recovery *recovery = file->recovery;
    struct demo_files *demos = file->late ? demo_files_new(recovery->demos, false) : NULL;
    char *error;

    file->handler = (struct qs_sessions_handler){.want_rebuild = file->late,
                                                 .write_demos = file->late,
                                                 .demo_file = on_demo_file,
                                                 .session_end = on_session_end};
    error = scan(file, demos ? demo_files_store(demos) : NULL);
    if (!error)
        error = complete(file);
    if (error && !recovery->again)
        log_warning("unfinished", NULL, "%s: an unfinished recording cannot be completed: %s",
                    file->path, error);
    if (demos)
        demo_files_free(demos);
    g_free(error);
    return !error;
}

/* --- A folder -------------------------------------------------------------------------------- */

static bool recover_file(const struct recovery *recovery, struct qs_demo_names *naming,
                         const char *name)
{
    struct unfinished file = {.recovery = recovery, .naming = naming};
    char *parts = g_strdup(name);
    bool done = true;

    file.path = g_build_filename(recovery->folder, name, NULL);
    file.end = g_byte_array_new();
    if (parse_name(parts, &file.request)) {
        file.late = strcmp(file.request.extension, LATE_CAPTURE_EXTENSION) == 0;
        file.capture = file.late || strcmp(file.request.extension, CAPTURE_EXTENSION) == 0;
        done = recover(&file);
    }
    g_byte_array_free(file.end, TRUE);
    g_free(file.player);
    g_free(file.map);
    g_free(file.path);
    g_free(parts);
    return done;
}

GPtrArray *recovery_find(const char *folder)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    GDir *directory = g_dir_open(folder, 0, NULL);
    const char *name;

    while (directory && (name = g_dir_read_name(directory)))
        if (g_str_has_prefix(name, UNFINISHED_PREFIX))
            g_ptr_array_add(names, g_strdup(name));
    if (directory)
        g_dir_close(directory);
    return names;
}

void recovery_run(const struct recovery *recovery, GPtrArray *names)
{
    struct qs_demo_names *naming = qs_demo_names_new(NULL);

    for (guint i = names->len; i--;)
        if (recover_file(recovery, naming, g_ptr_array_index(names, i)))
            g_ptr_array_remove_index(names, i);
    qs_demo_names_free(naming);
}
