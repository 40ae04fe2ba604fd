/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/recovery.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/sessions/demo_input.h"
#include "pcap2demo/capture/source.h"
#include "pcap2demo/capture/frame_reader.h"
#include "pcap2demo/output/demo_files.h"
#include "pcap2demo/output/writer.h"
#include "pcap2demo/pipeline.h"
#include "pcap2demo/recorder/lockfile.h"
#include "pcap2demo/recorder/log.h"
#include "pcap2demo/recorder/notify.h"

void recovered_clear(struct recovered *recovered)
{
    g_free(recovered->player);
    g_free(recovered->map);
}

static void set_player_and_map(struct recovered *recovered, const struct qs_client_session *session)
{
    if (!recovered->player)
        recovered->player = g_strdup(session->player);
    if (!recovered->map && session->maps->len)
        recovered->map = g_strdup(g_ptr_array_index(session->maps, 0));
}

/* NULL: `*error` is a new text. */
static FILE *open_to_read(const char *path, char **error)
{
    FILE *stream = fopen(path, "rb");

    *error = stream ? NULL : g_strdup(g_strerror(errno));
    return stream;
}

static char *remove_empty(const char *path)
{
    unlink(path);
    return g_strdup("there is nothing in it");
}

/* --- Completing a demo ----------------------------------------------------------------------- */

enum { ENDS_KEPT = 16 };

/* Reads a demo as a session. */
struct demo_scan {
    struct qs_sessions_handler handler;
    struct recovered *recovered;
    uint32_t ends[ENDS_KEPT]; /* of the last whole blocks */
    struct qs_view last;
};

static void demo_session_end(struct qs_sessions_handler *handler,
                             const struct qs_client_session *session)
{
    set_player_and_map(((struct demo_scan *)handler)->recovered, session);
}

static void scan_blocks(struct demo_scan *scan, struct qs_sessions *sessions,
                        struct qs_demo_input *recording)
{
    struct qs_demo_block block;

    qs_sessions_begin_demo(sessions, recording);
    while (qs_demo_input_next(recording, &block)) {
        qs_sessions_block(sessions, &block);
        scan->ends[scan->recovered->blocks++ % ENDS_KEPT] = block.offset + block.bytes.size;
        scan->last = block.bytes;
    }
    qs_sessions_end_demo(sessions);
}

static void scan_demo(struct demo_scan *scan, const struct qs_sessions_options *options,
                      struct qs_demo_input *recording)
{
    struct qs_sessions_options plain = *options;
    struct qs_sessions *sessions;

    plain.store = NULL;
    plain.sign_ons = NULL;
    plain.prompt = false;
    scan->handler = (struct qs_sessions_handler){.session_end = demo_session_end};
    sessions = qs_sessions_new(&plain, &scan->handler);
    scan_blocks(scan, sessions, recording);
    qs_sessions_free(sessions, true);
}

static bool write_end_at(int file, uint64_t offset, const GByteArray *end)
{
    return pwrite(file, end->data, end->len, (off_t)offset) == (ssize_t)end->len &&
           ftruncate(file, (off_t)(offset + end->len)) == 0;
}

/* On a full disk the end replaces the last blocks. */
static char *write_end(const char *path, const struct demo_scan *scan, const GByteArray *end)
{
    const int file = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    struct recovered *recovered = scan->recovered;
    char *error = NULL;
    bool done = false;

    for (uint64_t i = 0; file >= 0 && !done && i < MIN(recovered->blocks, ENDS_KEPT); i++) {
        const uint32_t offset = scan->ends[(recovered->blocks - 1 - i) % ENDS_KEPT];

        done = write_end_at(file, offset, end);
        recovered->size = offset + end->len;
    }
    if (!done)
        error = g_strdup(g_strerror(errno));
    if (file >= 0)
        close(file);
    return error;
}

static char *end_demo(const char *path, const struct qs_sessions_options *options,
                      struct qs_demo_input *recording, struct recovered *recovered)
{
    struct demo_scan scan = {.recovered = recovered};
    GByteArray *end = g_byte_array_new();
    char *error;

    scan_demo(&scan, options, recording);
    recording->reader.format->append_end(end, scan.last);
    if (scan.last.size == end->len && memcmp(scan.last.data, end->data, end->len) == 0)
        g_byte_array_set_size(end, 0); /* it has its end */
    error = recovered->blocks ? write_end(path, &scan, end) : remove_empty(path);
    g_byte_array_free(end, TRUE);
    return error;
}

bool recovery_complete_demo(const char *path, const struct qs_sessions_options *options,
                            struct recovered *recovered, char **error)
{
    FILE *stream = open_to_read(path, error);
    struct qs_demo_input *recording;
    GByteArray *bytes;
    char *problem = NULL;

    *recovered = (struct recovered){0};
    if (!stream)
        return false;
    bytes = source_load(stream, QS_DEMO_INPUT_MAX, &problem);
    fclose(stream);
    recording = qs_demo_input_open(bytes, problem, path, error);
    if (!recording)
        return false;
    *error = end_demo(path, options, recording, recovered);
    qs_demo_input_close(recording);
    return !*error;
}

/* --- Completing a capture -------------------------------------------------------------------- */

bool recovery_complete_capture(const char *path, struct recovered *recovered, char **error)
{
    FILE *stream = open_to_read(path, error);
    struct frame_reader *reader;
    struct input_frame frame;
    char *problem = NULL;

    *recovered = (struct recovered){0};
    if (!stream)
        return false;
    reader = pcapng_reader_open(stream, &problem);
    while (reader && reader->next(reader, &frame) == READ_GOOD)
        recovered->blocks++;
    if (reader) {
        recovered->size = reader->position;
        reader->close(reader);
    }
    g_free(problem);
    if (!recovered->blocks)
        *error = remove_empty(path);
    else if (truncate(path, (off_t)recovered->size) != 0)
        *error = g_strdup(g_strerror(errno));
    return !*error;
}

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

/* --- Recovering a file ----------------------------------------------------------------------- */

struct recovery {
    const char *folder;
    const struct qs_sessions_options *options;
    struct qs_demo_names *naming;
};

static void log_completed(const struct recovery *recovery, const char *name,
                          const struct recovered *recovered, const char *remark)
{
    char *path = g_build_filename(recovery->folder, name, NULL);

    log_warning("unfinished",
                json_pack("{s:s, s:I, s:I}", "file", path, "bytes", (json_int_t)recovered->size,
                          "blocks", (json_int_t)recovered->blocks),
                "%s: an unfinished recording, completed: %" G_GUINT64_FORMAT " bytes%s", path,
                recovered->size, remark);
    g_free(path);
}

static void log_failure(const char *path, const char *what, const char *error)
{
    log_warning("unfinished", NULL, "%s: an unfinished recording cannot be %s: %s", path, what,
                error);
}

static void name_file(struct recovery *recovery, const char *path,
                      const struct recovered *recovered, struct qs_demo_name_request *request,
                      const char *remark)
{
    struct writer *writer = writer_adopt(recovery->folder, path, recovered->size);
    char *name, *error;

    request->player = recovered->player;
    request->map = recovered->map;
    error = demo_files_name(recovery->naming, false, writer, request, &name);
    if (error) {
        log_failure(path, "named", error);
        writer_forget(writer);
    } else {
        log_completed(recovery, name, recovered, remark);
    }
    writer_free(writer);
    g_free(name);
    g_free(error);
}

static void recover_demo(struct recovery *recovery, const char *path,
                         struct qs_demo_name_request *request)
{
    struct recovered recovered;
    char *error;

    if (recovery_complete_demo(path, recovery->options, &recovered, &error))
        name_file(recovery, path, &recovered, request, "");
    else
        log_failure(path, "completed", error);
    recovered_clear(&recovered);
    g_free(error);
}

/* --- Recovering a capture -------------------------------------------------------------------- */

/* Reads a capture's sessions. */
struct capture_scan {
    struct qs_sessions_handler handler;
    struct recovery *recovery;
    struct recovered recovered;
    unsigned demos;
};

static void capture_session_end(struct qs_sessions_handler *handler,
                                const struct qs_client_session *session)
{
    set_player_and_map(&((struct capture_scan *)handler)->recovered, session);
}

static void capture_demo_file(struct qs_sessions_handler *handler,
                              const struct qs_client_session *session,
                              const struct qs_session_demo_file *file)
{
    struct capture_scan *scan = (struct capture_scan *)handler;
    const struct recovered recovered = {.size = file->size, .blocks = session->packets};

    if (file->error)
        return;
    scan->demos++;
    log_completed(scan->recovery, file->name, &recovered, ", made of its packets");
}

static void scan_sessions(struct input *input, const char *stem,
                          const struct qs_sessions_options *options,
                          struct qs_sessions_handler *handler)
{
    struct qs_sessions *sessions = qs_sessions_new(options, handler);
    struct pipeline pipeline;

    pipeline_init(&pipeline);
    qs_sessions_set_source(sessions, input_name(input), stem);
    pipeline_read(&pipeline, input, sessions, false, 0);
    qs_sessions_end_source(sessions);
    pipeline_end(&pipeline, sessions);
    qs_sessions_free(sessions, true);
    pipeline_clear(&pipeline);
}

/* The complete levels of a late session become demos. */
static char *scan_capture(struct capture_scan *scan, const char *path, const char *stem, bool late)
{
    struct qs_sessions_options options = *scan->recovery->options;
    struct demo_files *files = late ? demo_files_new(scan->recovery->folder, false) : NULL;
    char *error = NULL;
    struct input *input = input_open_file(path, NULL, &error);

    scan->handler = (struct qs_sessions_handler){.want_rebuild = late,
                                                 .write_demos = late,
                                                 .demo_file = capture_demo_file,
                                                 .session_end = capture_session_end};
    options.store = files ? demo_files_store(files) : NULL;
    if (input) {
        scan_sessions(input, stem, &options, &scan->handler);
        input_close(input);
    }
    if (files)
        demo_files_free(files);
    return error;
}

/* Once it has given a demo, the capture of a session joined late is not needed any more. */
static void recover_capture(struct recovery *recovery, const char *path,
                            struct qs_demo_name_request *request, bool late)
{
    struct capture_scan scan = {.recovery = recovery};
    char *error;

    request->extension = CAPTURE_EXTENSION;
    if (!recovery_complete_capture(path, &scan.recovered, &error) ||
        (error = scan_capture(&scan, path, request->capture, late)))
        log_failure(path, "completed", error);
    else if (scan.demos)
        unlink(path);
    else
        name_file(recovery, path, &scan.recovered, request,
                  late ? ", the packets of a session that began before the recording: pcap2demo "
                         "--sign-on makes a demo of them"
                       : "");
    recovered_clear(&scan.recovered);
    g_free(error);
}

/* --- Recovering a folder --------------------------------------------------------------------- */

static void recover_file(struct recovery *recovery, const char *name)
{
    char *path = g_build_filename(recovery->folder, name, NULL);
    char *parts = g_strdup(name);
    struct qs_demo_name_request request;
    bool late;

    notify_starting("completing unfinished recordings");
    if (parse_name(parts, &request)) {
        late = strcmp(request.extension, LATE_CAPTURE_EXTENSION) == 0;
        if (late || strcmp(request.extension, CAPTURE_EXTENSION) == 0)
            recover_capture(recovery, path, &request, late);
        else
            recover_demo(recovery, path, &request);
    }
    g_free(parts);
    g_free(path);
}

/* The names of the folder's files that belong to runs. New. */
static GPtrArray *files_of_runs(const char *folder)
{
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
    GDir *directory = g_dir_open(folder, 0, NULL);
    const char *name;

    while (directory && (name = g_dir_read_name(directory)))
        if (g_str_has_prefix(name, RUN_PREFIX))
            g_ptr_array_add(files, g_strdup(name));
    if (directory)
        g_dir_close(directory);
    return files;
}

static void recover_files_of(struct recovery *recovery, const GPtrArray *files, const char *run)
{
    struct lockfile *lock = lockfile_take_over(recovery->folder, run);

    if (!lock)
        return;
    for (guint i = 0; i < files->len; i++)
        if (g_str_has_prefix(g_ptr_array_index(files, i), lockfile_prefix(lock)))
            recover_file(recovery, g_ptr_array_index(files, i));
    lockfile_free(lock);
}

void recovery_run(const char *folder, const struct qs_sessions_options *options)
{
    struct recovery recovery = {folder, options, qs_demo_names_new(NULL)};
    GPtrArray *files = files_of_runs(folder);
    GHashTable *runs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    for (guint i = 0; i < files->len; i++) {
        char *run = lockfile_run_of(g_ptr_array_index(files, i));

        if (run && g_hash_table_add(runs, run))
            recover_files_of(&recovery, files, run);
    }
    g_hash_table_destroy(runs);
    g_ptr_array_free(files, TRUE);
    qs_demo_names_free(recovery.naming);
}
