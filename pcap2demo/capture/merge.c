/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/inputs.h"

#include <glib.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/hash.h"
#include "pcap2demo/capture/signals.h"

enum { COUNT_EVERY = 1024 }; /* number of frames between two updates of visitor->read */

struct merged_file {
    const char *name;
    unsigned index; /* position in the command line */
    bool is_capture;
    int64_t time;          /* time of the first packet; once the file is open, of `frame` */
    struct source *source; /* NULL if the file is not open */
    struct input *input;   /* current capture, or NULL */
    struct input_frame frame;
    unsigned inputs;          /* number of inputs so far */
    off_t read, size;         /* bytes added to visitor->read; size of the file, or 0 */
    struct merged_file *next; /* open file with the next frame */
};

static bool is_over(const struct input_visitor *visitor)
{
    return visitor->is_over || signals_interrupted();
}

/* --- Order of files -------------------------------------------------------------------------- */

/* Sets `is_capture`, and the first packet's time. A capture without packets sorts first. */
static void find_time(struct merged_file *file, struct source *source)
{
    struct input_frame frame;
    struct input *input;
    char *error = NULL;

    while (!file->is_capture && source_next(source, false)) {
        file->is_capture = source_is_capture(source->stream);
        if (!file->is_capture) {
            source_close_plain(source->stream);
            continue;
        }
        input = input_open_capture(source->stream, source->title, NULL, &error);
        if (input && input_next(input, &frame) == INPUT_FRAME)
            file->time = frame.packet.time;
        if (input)
            input_close(input);
        g_free(error);
    }
}

/* Returns what compare() needs. Does not open pipes, which would lose what is read here. */
static struct merged_file describe(const char *name)
{
    struct merged_file file = {.name = name, .time = INT64_MIN};
    char *error = NULL;
    struct source *source = source_is_file(name) ? source_open(name, &error) : NULL;

    if (source) {
        find_time(&file, source);
        source_close(source);
    }
    g_free(error);
    return file;
}

static int compare(const void *a, const void *b)
{
    const struct merged_file *one = a, *other = b;

    if (one->is_capture != other->is_capture)
        return one->is_capture ? -1 : 1;
    if (one->is_capture && one->time != other->time)
        return one->time < other->time ? -1 : 1;
    return one->index < other->index ? -1 : 1;
}

/* Adds to visitor->read what was read of the file since the last call; all of it if `over`. */
static void count_read(struct merged_file *file, struct input_visitor *visitor, bool over)
{
    const off_t at =
        over || !file->source
            ? file->size
            : lseek(fileno(file->source->file ? file->source->file : file->source->stream), 0,
                    SEEK_CUR);

    visitor->read += (uint64_t)MAX(at - file->read, 0);
    file->read = MAX(at, file->read);
}

/* --- One file -------------------------------------------------------------------------------- */

static void end_capture(struct merged_file *file, struct input_visitor *visitor,
                        enum input_status status)
{
    if (visitor->capture_end)
        visitor->capture_end(visitor, file->input, status);
    input_close(file->input);
    file->input = NULL;
    visitor->inputs = file->inputs;
    if (visitor->source_end)
        visitor->source_end(visitor, file->source);
}

static void unusable(struct input_visitor *visitor, const char *name, char *error)
{
    if (visitor->unusable)
        visitor->unusable(visitor, name, error);
    else
        g_free(error);
}

static void open_capture(struct merged_file *file, struct input_visitor *visitor)
{
    struct source *source = file->source;
    char *error = NULL;

    file->input = input_open_capture(source->stream, source->title, visitor->filter, &error);
    if (!file->input)
        unusable(visitor, source->title, error);
    else if (visitor->capture_start && !visitor->capture_start(visitor, file->input))
        g_clear_pointer(&file->input, input_close);
}

/* Opens the next input. False if the file has no more. */
static bool next_input(struct merged_file *file, struct input_visitor *visitor)
{
    struct source *source = file->source;

    if (!source_next(source, visitor->demos))
        return false;
    file->inputs++;
    if (source_is_capture(source->stream))
        open_capture(file, visitor);
    else if (visitor->other)
        visitor->other(visitor, source);
    else
        source_close_plain(source->stream);
    return true;
}

static void close_file(struct merged_file *file, struct input_visitor *visitor)
{
    if (file->input)
        end_capture(file, visitor, INPUT_END);
    visitor->inputs = file->inputs;
    if (visitor->source_end)
        visitor->source_end(visitor, file->source);
    count_read(file, visitor, true);
    g_clear_pointer(&file->source, source_close);
}

/* Reads the next frame. Closes the file and returns false if there is none. */
static bool advance(struct merged_file *file, struct input_visitor *visitor)
{
    enum input_status status;
    bool more = true;

    while (more && !is_over(visitor)) {
        if (!file->input) {
            more = next_input(file, visitor);
            continue;
        }
        status = input_next(file->input, &file->frame);
        if (status == INPUT_FRAME) {
            file->time = file->frame.packet.time;
            return true;
        }
        end_capture(file, visitor, status);
    }
    close_file(file, visitor);
    return false;
}

/* --- Merging files --------------------------------------------------------------------------- */

static bool open_file(struct merged_file *file, struct input_visitor *visitor)
{
    char *error = NULL;
    bool any;

    file->source = source_open(file->name, &error);
    if (!file->source)
        unusable(visitor, source_title_of(file->name), error);
    any = file->source && advance(file, visitor);
    visitor->identity += qs_hash_number(qs_str_hash(file->name) ^ (uint64_t)(any ? file->time : 0));
    return any;
}

/* Inserts the file by time. Usually it is the first again. */
static void insert(struct merged_file **first, struct merged_file *file)
{
    while (*first && (*first)->time < file->time)
        first = &(*first)->next;
    file->next = *first;
    *first = file;
}

static void read_together(struct merged_file *files, unsigned count, struct input_visitor *visitor)
{
    struct merged_file *first = NULL, *file;
    unsigned opened = 0;

    while (!is_over(visitor)) {
        while (opened < count && (!first || files[opened].time <= first->time)) {
            file = &files[opened++];
            if (!open_file(file, visitor))
                continue;
            visitor->overlap |= first != NULL;
            insert(&first, file);
        }
        if (!first)
            break;
        file = first;
        first = file->next;
        file->frame.packet.frame = ++visitor->frames;
        if (file->input->frames % COUNT_EVERY == 0)
            count_read(file, visitor, false);
        visitor->frame(visitor, file->input, &file->frame);
        if (advance(file, visitor))
            insert(&first, file);
    }
    for (; first; first = first->next)
        close_file(first, visitor);
    if (visitor->group_end)
        visitor->group_end(visitor);
}

/* Returns 0 for a pipe or a missing file. */
static off_t size_of(const char *name)
{
    struct stat status;

    return !source_is_standard_input(name) && stat(name, &status) == 0 ? status.st_size : 0;
}

void merge_read(char *const *names, struct input_visitor *visitor)
{
    const unsigned count = g_strv_length((char **)names);
    struct merged_file *files = g_new(struct merged_file, count);
    unsigned merged = 0;

    for (unsigned i = 0; i < count; i++) {
        const bool ordered = count > 1 && !visitor->separate;

        files[i] = ordered ? describe(names[i]) : (struct merged_file){.name = names[i]};
        files[i].index = i;
        files[i].size = size_of(names[i]);
        visitor->size += (uint64_t)files[i].size;
        merged += files[i].is_capture;
    }
    if (merged)
        qsort(files, count, sizeof *files, compare);
    if (merged)
        read_together(files, merged, visitor);
    for (unsigned i = merged; i < count && !is_over(visitor); i++)
        read_together(&files[i], 1, visitor);
    g_free(files);
}
