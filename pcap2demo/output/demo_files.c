/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/output/demo_files.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pcap2demo/output/message.h"
#include "pcap2demo/output/writer.h"

struct demo_files {
    struct qs_demo_store store;
    struct qs_demo_names *naming;
    char *folder;
    bool force;
    GPtrArray *aside; /* struct aside; NULL: files get their names */
};

/* A demo that is whole, but has no name yet. */
struct aside {
    char *path, *name;
    uint64_t size;
};

/* --- What demos call --- */

static void *begin(struct qs_demo_store *store, const struct qs_demo_name_request *request)
{
    (void)request;
    return writer_new(((const struct demo_files *)store)->folder);
}

static void write_bytes(void *file, const void *data, size_t size)
{
    writer_add(file, data, size);
}

/* `name` NULL: there is none for it. */
static char *commit_as(struct writer *writer, const char *name, bool overwrite)
{
    if (name)
        return writer_commit(writer, name, overwrite);
    return g_strdup("one file cannot hold several sessions: choose one with --session, or a folder "
                    "with --output");
}

char *demo_files_name(struct qs_demo_names *naming, bool overwrite, struct writer *writer,
                      const struct qs_demo_name_request *request, char **name)
{
    char *error = NULL;

    *name = NULL;
    do {
        g_free(error);
        g_free(*name);
        *name = qs_demo_names_next(naming, request);
        error = commit_as(writer, *name, overwrite);
    } while (writer_name_is_taken(writer) && qs_demo_names_is_free(naming));
    return error;
}

static char *set_aside(const struct demo_files *files, struct writer *writer,
                       const struct qs_demo_name_request *request, char **name)
{
    char *error = writer_set_aside(writer);
    struct aside *aside;

    *name = qs_demo_names_next(files->naming, request);
    if (error)
        return error;
    aside = g_new(struct aside, 1);
    *aside = (struct aside){.path = g_strdup(writer_temporary(writer)),
                            .name = g_strdup(*name),
                            .size = writer_size(writer)};
    g_ptr_array_add(files->aside, aside);
    writer_forget(writer);
    return NULL;
}

static char *commit(struct qs_demo_store *store, void *file,
                    const struct qs_demo_name_request *request, char **name)
{
    const struct demo_files *files = (const struct demo_files *)store;

    if (files->aside)
        return set_aside(files, file, request, name);
    return demo_files_name(files->naming, files->force, file, request, name);
}

static void end(void *file)
{
    writer_free(file);
}

/* --- Where they go --- */

/* "out" and "out/" are folders, "out.qwd" is a file. */
static bool is_folder(const char *output)
{
    char *last = g_path_get_basename(output);
    const bool folder = g_str_has_suffix(output, "/") || !strchr(last, '.') ||
                        g_file_test(output, G_FILE_TEST_IS_DIR);

    g_free(last);
    return folder;
}

static void set_output(struct demo_files *files, const char *output)
{
    char *file = is_folder(output) ? NULL : g_path_get_basename(output);

    files->folder = file ? g_path_get_dirname(output) : g_strdup(output);
    files->naming = qs_demo_names_new(file);
    g_free(file);
}

struct demo_files *demo_files_new(const char *output, bool force)
{
    struct demo_files *files = g_new0(struct demo_files, 1);

    files->store =
        (struct qs_demo_store){.begin = begin, .write = write_bytes, .commit = commit, .end = end};
    files->force = force;
    set_output(files, output ? output : ".");
    return files;
}

void demo_files_free(struct demo_files *files)
{
    if (files->aside)
        g_ptr_array_free(files->aside, TRUE);
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

/* --- Between processes ----------------------------------------------------------------------- */

static void aside_free(gpointer data)
{
    struct aside *aside = data;

    g_free(aside->path);
    g_free(aside->name);
    g_free(aside);
}

bool demo_files_is_one(const struct demo_files *files)
{
    return !qs_demo_names_is_free(files->naming);
}

void demo_files_set_aside(struct demo_files *files)
{
    files->aside = g_ptr_array_new_with_free_func(aside_free);
}

GVariant *demo_files_give(struct demo_files *files)
{
    GVariantBuilder demos;

    g_variant_builder_init(&demos, G_VARIANT_TYPE(DEMO_FILES_GIVEN));
    for (guint i = 0; files->aside && i < files->aside->len; i++) {
        const struct aside *aside = g_ptr_array_index(files->aside, i);

        g_variant_builder_add(&demos, "(^ay^ayt)", aside->path, aside->name, aside->size);
    }
    return g_variant_builder_end(&demos);
}

bool demo_files_can_take(const struct demo_files *files, GVariant *given)
{
    GVariantIter demos;
    const char *path, *name;
    guint64 size;
    bool can = true;

    g_variant_iter_init(&demos, given);
    while (can && g_variant_iter_next(&demos, "(^&ay^&ayt)", &path, &name, &size)) {
        char *target = g_build_filename(files->folder, name, NULL);

        can = !qs_demo_names_is_given(files->naming, name) &&
              !g_file_test(target, files->force ? G_FILE_TEST_IS_DIR : G_FILE_TEST_EXISTS);
        g_free(target);
    }
    return can;
}

static void take(struct demo_files *files, const char *path, const char *name, uint64_t size)
{
    struct writer *writer = writer_adopt(files->folder, path, size);
    char *error;

    qs_demo_names_reserve(files->naming, name);
    error = writer_commit(writer, name, files->force);
    if (error)
        failure(EXIT_PROBLEMS, (struct qs_location){.file = name}, "%s", error);
    g_free(error);
    writer_free(writer);
}

void demo_files_take(struct demo_files *files, GVariant *given)
{
    GVariantIter demos;
    const char *path, *name;
    guint64 size;

    g_variant_iter_init(&demos, given);
    while (g_variant_iter_next(&demos, "(^&ay^&ayt)", &path, &name, &size))
        take(files, path, name, size);
}

void demo_files_drop(GVariant *given)
{
    GVariantIter demos;
    const char *path, *name;
    guint64 size;

    g_variant_iter_init(&demos, given);
    while (g_variant_iter_next(&demos, "(^&ay^&ayt)", &path, &name, &size))
        unlink(path);
}

void demo_files_sweep(const struct demo_files *files, long process)
{
    writer_sweep(files->folder, process);
}
