/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --extract-files: writes the files that servers sent to clients. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/core/hash.h"
#include "common/core/numeric_text.h"
#include "common/netchan/links.h"
#include "pcap2demo/actions/action.h"
#include "common/sessions/sessions.h"
#include "pcap2demo/output/files.h"

/* Maximum size of all incomplete files together, in bytes. */
#define ROOM_MAX (UINT64_C(512) << 20)

struct extract {
    struct action action;
    struct qs_transfer_quota quota;
    GHashTable *sessions; /* session number -> struct file_receiver */
    GHashTable *written;  /* path in lower case, as file systems may ignore case -> checksum */
    bool any;             /* a server sent a file, completely or not */
};

/* A session, and the files that its client receives. */
struct file_receiver {
    struct extract *extract;
    struct qs_transfers *transfers;
    struct qs_location location; /* location of the current packet */
};

/* --- Names ----------------------------------------------------------------------------------- */

enum { MARK_LENGTH = 8, CHECKSUM_LENGTH = 64 };

/* Returns a new path, with a part of the checksum: "maps/dm4-1f2e3d4c.bsp" for "maps/dm4.bsp". */
static char *marked(const char *path, const char *checksum, int length)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    const int stem = dot ? (int)(dot - path) : (int)strlen(path);

    return g_strdup_printf("%.*s-%.*s%s", stem, path, length, checksum, dot ? dot : "");
}

/* Reserves a path. False if a file has it; `*same` if that file has the same content. */
static bool reserve_path(struct extract *extract, const char *path, const char *checksum,
                         bool *same)
{
    char *key = g_ascii_strdown(path, -1);
    const char *there = g_hash_table_lookup(extract->written, key);

    *same = there && strcmp(there, checksum) == 0;
    if (there)
        g_free(key);
    else
        g_hash_table_insert(extract->written, key, g_strdup(checksum));
    return !there;
}

/* Returns a new, unused path for the file; NULL if the same content was already written. */
static char *path_for(struct extract *extract, const struct qs_transferred *file)
{
    char *safe = safe_path(file->name);
    char *wanted = g_strconcat(safe, file->complete ? "" : ".partial", NULL);
    char *checksum =
        g_compute_checksum_for_data(G_CHECKSUM_SHA256, file->content->data, file->content->len);
    char *path = g_strdup(wanted);
    bool same;

    for (int length = MARK_LENGTH; !reserve_path(extract, path, checksum, &same); length++) {
        g_clear_pointer(&path, g_free);
        if (same || length > CHECKSUM_LENGTH)
            break;
        path = marked(wanted, checksum, length);
    }
    g_free(checksum);
    g_free(safe);
    g_free(wanted);
    return path;
}

/* --- Writing --------------------------------------------------------------------------------- */

/* Writes a file below the folder of --extract-files. Returns NULL, or a new error text. */
static char *write_file(const struct extract *extract, const char *path, const GByteArray *content)
{
    char *error = make_folders(extract->action.options->argument);
    char *folder =
        error ? NULL : safe_path_make_folders(extract->action.options->argument, path, &error);
    struct writer *writer;

    if (!folder)
        return error;
    writer = writer_new(folder);
    for (guint at = 0; at < content->len; at += WRITER_BUFFER)
        writer_add(writer, content->data + at, MIN(content->len - at, (guint)WRITER_BUFFER));
    error = writer_commit(writer, strrchr(path, '/') ? strrchr(path, '/') + 1 : path,
                          extract->action.options->force);
    writer_free(writer);
    g_free(folder);
    return error;
}

static void report_file(const struct file_receiver *receiver, const struct qs_transferred *file,
                        const char *path)
{
    const guint size = file->content->len;

    if (file->complete && !receiver->extract->action.options->quiet)
        print_line("%s: %u byte%s", path, size, qs_plural(size));
    if (file->complete)
        return;
    if (file->total)
        failure(EXIT_PROBLEMS, receiver->location, "%s: only %u of %" PRIu64 " byte%s: %s", path,
                size, file->total, qs_plural(file->total), file->problem);
    else
        failure(EXIT_PROBLEMS, receiver->location, "%s: only %u byte%s: %s", path, size,
                qs_plural(size), file->problem);
}

static void extract_file(const struct file_receiver *receiver, const struct qs_transferred *file)
{
    char *path = path_for(receiver->extract, file);
    char *error;

    receiver->extract->any = true;
    if (!path)
        return;
    error = write_file(receiver->extract, path, file->content);
    if (error)
        failure(EXIT_PROBLEMS, receiver->location, "%s: %s", path, error);
    else
        report_file(receiver, file, path);
    g_free(error);
    g_free(path);
}

static void report_refusal(const struct file_receiver *receiver, const struct qs_transferred *file)
{
    g_autofree char *name = qs_text_printable(file->name ? file->name : "?");

    if (receiver->extract->action.options->verbose)
        message(receiver->location, "the server did not send %s", name);
}

static void receive_file(const struct qs_transferred *file, bool over, void *user)
{
    if (over && file->refused)
        report_refusal(user, file);
    else if (over)
        extract_file(user, file);
}

/* --- Sessions -------------------------------------------------------------------------------- */

static void receiver_free(gpointer data)
{
    struct file_receiver *receiver = data;

    qs_transfers_free(receiver->transfers);
    g_free(receiver);
}

static struct file_receiver *receiver_for(struct extract *extract, unsigned session)
{
    struct file_receiver *receiver =
        g_hash_table_lookup(extract->sessions, GUINT_TO_POINTER(session));

    if (receiver)
        return receiver;
    receiver = g_new0(struct file_receiver, 1);
    receiver->extract = extract;
    receiver->transfers =
        qs_transfers_new(&extract->quota, (struct qs_transfer_listener){receive_file, receiver});
    g_hash_table_insert(extract->sessions, GUINT_TO_POINTER(session), receiver);
    return receiver;
}

static void extract_packet(struct qs_sessions_handler *handler,
                           const struct qs_decoded_packet *decoded)
{
    struct extract *extract = (struct extract *)handler;
    const GArray *transfers = decoded->decoder->found.transfers;
    struct file_receiver *receiver;

    if (!transfers->len || !decoded->session || !decoded->session->chosen)
        return;
    receiver = receiver_for(extract, decoded->session->number);
    receiver->location = decoded->location;
    for (guint i = 0; i < transfers->len; i++)
        qs_transfers_add(receiver->transfers, &g_array_index(transfers, struct qs_transfer, i));
}

static void extract_session(struct qs_sessions_handler *handler,
                            const struct qs_client_session *session)
{
    struct extract *extract = (struct extract *)handler;

    g_hash_table_remove(extract->sessions, GUINT_TO_POINTER(session->number));
}

static void extract_end(struct action *action, bool report)
{
    struct extract *extract = (struct extract *)action;

    g_hash_table_destroy(extract->sessions);
    if (report && !extract->any)
        failure(EXIT_PROBLEMS, (struct qs_location){0}, "no server sent a file");
    g_hash_table_destroy(extract->written);
}

static char *problem(const char *folder)
{
    if (*folder &&
        (g_file_test(folder, G_FILE_TEST_IS_DIR) || !g_file_test(folder, G_FILE_TEST_EXISTS)))
        return NULL;
    return g_strdup_printf("--extract-files \"%s\": is not a folder; write --extract-files=DIR",
                           folder);
}

static void begin(struct action *action)
{
    struct extract *extract = (struct extract *)action;

    extract->quota.max = ROOM_MAX;
    extract->sessions = g_hash_table_new_full(NULL, NULL, NULL, receiver_free);
    extract->written = g_hash_table_new_full(qs_str_hash, g_str_equal, g_free, g_free);
}

const struct action_kind extract_action = {
    .option = {"extract-files", .type = OPTION_ACTION,
               .help = "Write the files that servers sent to clients", .value = "DIR"},
    .problem = problem,
    .size = sizeof(struct extract),
    .running = {.handler.want_transfers = true,
                .handler.packet = extract_packet,
                .handler.session_end = extract_session,
                .end = extract_end},
    .begin = begin,
};
