/* SPDX-License-Identifier: GPL-2.0-or-later */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pcap2demo/output/message.h"
#include "pcap2demo/output/files.h"

struct demo_files {
    struct qs_demo_store store;
    struct qs_demo_names *naming;
    char *folder;
    bool force;
};

/* --- Options --- */

const struct option_row demo_rows[] = {
    {"output", 'o', OPTION(TEXT, demo.output),
     "Write demos to this folder, or one demo to this file", "DIR|FILE"},
    {"sign-on", 0, OPTION(TEXTS, demo.sign_ons),
     "Take missing sign-ons from this demo (may be repeated)", "DEMO"},
    {"force", 'f', OPTION(FLAG, force), "Overwrite files"},
    {"sanitize", 0, OPTION(FLAG, sessions.demo.sanitize),
     "Leave out commands that players would execute"},
    {"qwd-format", 0, OPTION(TEXT, demo.qwd_format),
     "The client that .qwd demos are for: see the manual", .choices = "classic|ezquake-3.7"},
    {"split", 0, OPTION(TEXT, demo.split), "A demo for each level, or each connection",
     .choices = "level|connection"},
    OPTIONS_END};

void demo_options_apply(struct options *options)
{
    struct qs_session_demo_options *demo = &options->sessions.demo;

    demo->split = g_strcmp0(options->demo.split, "level") == 0;
    if (options->demo.qwd_format)
        demo->qwd_format =
            strcmp(options->demo.qwd_format, "classic") == 0 ? QS_QWD_CLASSIC : QS_QWD_EZQUAKE_37;
}

/* --- The demo store --- */

static void *begin(struct qs_demo_store *store, const struct qs_demo_name_request *request)
{
    (void)request;
    return writer_new(((const struct demo_files *)store)->folder);
}

static void write_bytes(void *file, const void *data, size_t size)
{
    writer_add(file, data, size);
}

/* Commits a demo. `name` NULL: the only name is taken. A user's name may have a wrong extension. */
static char *commit_as(struct writer *writer, const char *name, const char *extension,
                       bool overwrite)
{
    const char *dot = name ? strrchr(name, '.') : NULL;

    if (!name)
        return g_strdup("one file cannot hold several sessions: choose one with --session, or a "
                        "folder with --output");
    if (!dot || g_ascii_strcasecmp(dot + 1, extension) != 0)
        return g_strdup_printf("not written: the demo of this session is .%s; name it %.*s.%s, or "
                               "name a folder with \"/\" at its end",
                               extension, (int)(dot ? dot - name : (long)strlen(name)), name,
                               extension);
    return writer_commit(writer, name, overwrite);
}

static void commit(struct qs_demo_store *store, void *file,
                   const struct qs_demo_name_request *request, struct qs_session_demo_file *result)
{
    const struct demo_files *files = (const struct demo_files *)store;

    do {
        g_free(result->error);
        g_free(result->name);
        result->name = qs_demo_names_next(files->naming, request);
        result->error = commit_as(file, result->name, request->extension, files->force);
    } while (writer_name_is_taken(file) && qs_demo_names_are_generated(files->naming));
    result->unchanged = writer_is_unchanged(file);
}

static void end(void *file)
{
    writer_free(file);
}

/* --- Paths --- */

/* True for folders such as "out" and "out/", false for files such as "out.qwd". */
static bool is_folder(const char *output)
{
    char *last = g_path_get_basename(output);
    const bool folder = g_str_has_suffix(output, "/") || !strchr(last, '.') ||
                        g_file_test(output, G_FILE_TEST_IS_DIR);

    g_free(last);
    return folder;
}

struct demo_files *demo_files_new(const char *output, bool force)
{
    struct demo_files *files = g_new0(struct demo_files, 1);
    char *file = !output || is_folder(output) ? NULL : g_path_get_basename(output);

    files->store =
        (struct qs_demo_store){.begin = begin, .write = write_bytes, .commit = commit, .end = end};
    files->force = force;
    files->folder = file ? g_path_get_dirname(output) : g_strdup(output ? output : ".");
    files->naming = qs_demo_names_new(file);
    g_free(file);
    return files;
}

void demo_files_free(struct demo_files *files)
{
    qs_demo_names_free(files->naming);
    g_free(files->folder);
    g_free(files);
}

struct qs_demo_store *demo_files_store(struct demo_files *files)
{
    return &files->store;
}

const char *demo_files_folder(const struct demo_files *files)
{
    return files->folder;
}

struct qs_demo_names *demo_files_naming(const struct demo_files *files)
{
    return files->naming;
}
