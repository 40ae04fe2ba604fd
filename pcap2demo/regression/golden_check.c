/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/regression/golden.h"

#include <string.h>

#include "pcap2demo/output/writer.h"

struct golden_check {
    const struct golden_options *options;
    struct qs_dump *dump; /* without ignored fields */

    /* Of the current input. */
    struct golden_result *result;
    GPtrArray *ignored;
    struct golden *golden;    /* NULL: there is none that can be read */
    GString *text;            /* of a golden of today; longer than GOLDEN_SIZE_MAX: cut */
    uint64_t packets, number; /* in it, and the number of the last one */
};

/* --- Results --------------------------------------------------------------------------------- */

const char *golden_verdict_name(enum golden_verdict verdict)
{
    static const char *const names[] = {
        [GOLDEN_SAME] = "the same",         [GOLDEN_DIFFERENT] = "different",
        [GOLDEN_WRITTEN] = "written",       [GOLDEN_UNCHANGED] = "unchanged",
        [GOLDEN_UNUSABLE] = "not compared",
    };

    return names[verdict];
}

void golden_result_free(struct golden_result *result)
{
    g_free(result->path);
    g_free(result->error);
    if (result->differences)
        g_ptr_array_unref(result->differences);
    g_free(result);
}

/* Takes ownership of `error`; NULL: none. Keeps the first one. */
static void set_error(struct golden_result *result, char *error)
{
    if (!error)
        return;
    result->verdict = GOLDEN_UNUSABLE;
    if (result->error)
        g_free(error);
    else
        result->error = error;
}

/* --- Comparing ------------------------------------------------------------------------------- */

/* Items that follow one another. */
struct span {
    const struct golden_item *items;
    guint count;
    bool open; /* further ones are not known */
};

/* Items of one side stand where the other has its own, or none. */
typedef void span_visitor(void *user, struct span was, struct span is);

static bool is_same(const struct golden_item *a, const struct golden_item *b)
{
    return a->size == b->size && memcmp(a->text, b->text, a->size) == 0;
}

/* Cuts both to what is before the first match: the one with the smallest sum of indices. False:
 * there is none. */
static bool find_match(struct span *was, struct span *is)
{
    for (guint sum = 0; sum < was->count + is->count; sum++)
        for (guint i = sum < is->count ? 0 : sum - is->count + 1; i <= sum && i < was->count; i++)
            if (is_same(&was->items[i], &is->items[sum - i])) {
                was->count = i;
                is->count = sum - i;
                return true;
            }
    return false;
}

static void skip(struct span *span, guint count)
{
    if (count)
        span->items += count;
    span->count -= count;
}

static void compare(struct span was, struct span is, span_visitor *visit, void *user)
{
    while (was.open ? was.count && is.count : was.count || is.count) {
        struct span a = {was.items, MIN(was.count, GOLDEN_WINDOW), was.open};
        struct span b = {is.items, MIN(is.count, GOLDEN_WINDOW), false};
        const bool found = find_match(&a, &b);

        if (was.open && !found)
            b.count = MIN(b.count, a.count);
        if (a.count || b.count)
            visit(user, a, b);
        skip(&was, a.count + found);
        skip(&is, b.count + found);
    }
}

static struct span span_of(const GArray *items)
{
    return (struct span){(const struct golden_item *)items->data, items->len, false};
}

/* --- Lines --- */

static void add_lines(struct golden_difference *difference, char mark, struct span lines)
{
    for (guint i = 0; i < lines.count; i++) {
        const struct golden_item *line = &lines.items[i];
        const int size = (int)MIN(line->size, GOLDEN_LINE_SIZE_MAX);

        if (difference->lines->len < GOLDEN_LINES_MAX)
            g_ptr_array_add(difference->lines,
                            g_strdup_printf("%c%.*s%s", mark, size, line->text,
                                            line->size > GOLDEN_LINE_SIZE_MAX ? "…" : ""));
        else
            difference->more++;
    }
}

static void visit_lines(void *user, struct span was, struct span is)
{
    add_lines(user, '-', was);
    add_lines(user, '+', is);
}

/* --- Packets --- */

/* The lines of a packet; NULL: it is missing. */
static GArray *lines_of(const struct golden_item *packet)
{
    GArray *lines = g_array_new(FALSE, FALSE, sizeof(struct golden_item));
    const char *at = packet ? packet->text : NULL, *behind = at ? at + packet->size : NULL;

    while (at < behind) {
        const char *end = memchr(at, '\n', (size_t)(behind - at));
        const struct golden_item line = {.text = at, .size = (size_t)(end - at)};

        g_array_append_val(lines, line);
        at = end + 1;
    }
    return lines;
}

static void difference_free(gpointer data)
{
    struct golden_difference *difference = data;

    g_ptr_array_free(difference->lines, TRUE);
    g_free(difference);
}

/* One of the two may be NULL. */
static struct golden_difference *new_difference(const struct golden_item *was,
                                                const struct golden_item *is)
{
    struct golden_difference *difference = g_new0(struct golden_difference, 1);
    GArray *a = lines_of(was), *b = lines_of(is);

    difference->was = was ? was->number : 0;
    difference->is = is ? is->number : 0;
    difference->lines = g_ptr_array_new_with_free_func(g_free);
    compare(span_of(a), span_of(b), visit_lines, difference);
    g_array_free(a, TRUE);
    g_array_free(b, TRUE);
    return difference;
}

/* The packets differ, are missing or are new. */
static void visit_packets(void *user, struct span was, struct span is)
{
    struct golden_result *result = user;

    for (guint i = 0; i < MAX(was.count, is.count); i++) {
        result->count++;
        if (result->differences->len < GOLDEN_MAX_DIFFERENCES)
            g_ptr_array_add(result->differences,
                            new_difference(i < was.count ? &was.items[i] : NULL,
                                           i < is.count ? &is.items[i] : NULL));
    }
}

void golden_compare(struct golden_result *result, const struct golden *was, const struct golden *is)
{
    struct span golden = span_of(was->packets);

    golden.open = was->error != NULL;
    result->packets = golden.count;
    result->differences = g_ptr_array_new_with_free_func(difference_free);
    compare(golden, span_of(is->packets), visit_packets, result);
    result->verdict = result->count ? GOLDEN_DIFFERENT : GOLDEN_SAME;
    set_error(result, g_strdup(was->error));
}

/* --- An input -------------------------------------------------------------------------------- */

/* Reads the golden, if it is there and its first line is good. */
static void read_golden(struct golden_check *check)
{
    const char *path = check->result->path;
    char *problem, *text = golden_read_text(path, &problem);

    check->golden = text ? golden_parse(text) : NULL;
    if (!text && !g_file_test(path, G_FILE_TEST_EXISTS)) {
        g_free(problem);
        problem = g_strdup("there is no such golden; --update writes it");
    }
    if (check->golden && !check->golden->ignored) {
        problem = g_strdup(check->golden->error);
        g_clear_pointer(&check->golden, golden_free);
    }
    if (check->options->update)
        g_free(problem);
    else
        set_error(check->result, problem);
}

void golden_check_begin(struct golden_check *check, const char *file)
{
    char *name = golden_name(file), *head;

    check->result = g_new0(struct golden_result, 1);
    check->result->path = g_build_filename(check->options->folder, name, NULL);
    read_golden(check);
    if (check->options->ignored)
        check->ignored = g_ptr_array_ref(check->options->ignored);
    else
        check->ignored =
            check->golden ? g_ptr_array_ref(check->golden->ignored) : golden_varying_fields();
    qs_dump_text_leave_out(check->dump, golden_is_ignored, check->ignored);
    head = golden_head(check->ignored);
    check->text = g_string_new(head);
    check->packets = 0;
    check->number = UINT64_MAX;
    g_free(head);
    g_free(name);
}

/* A packet may complete several units of a stream. */
void golden_check_packet(struct golden_check *check, const struct qs_dump_packet *about)
{
    const GString *text = check->dump->packet(check->dump, about);

    check->packets += about->packet->number != check->number;
    check->number = about->packet->number;
    if (check->text->len <= GOLDEN_SIZE_MAX)
        g_string_append_len(check->text, text->str, (gssize)text->len);
}

void golden_check_discard(struct golden_check *check)
{
    check->dump->discard(check->dump);
}

/* Writes what was decoded, unless the file has it already. */
static void update(struct golden_result *result, const char *text)
{
    char *problem, *before = golden_read_text(result->path, &problem);

    result->verdict = g_strcmp0(before, text) == 0 ? GOLDEN_UNCHANGED : GOLDEN_WRITTEN;
    if (result->verdict == GOLDEN_WRITTEN)
        set_error(result, writer_replace(result->path, text));
    g_free(problem);
    g_free(before);
}

/* All packets of the input are in `text`. */
static void finish(struct golden_check *check)
{
    struct golden *today;
    char *foot = golden_foot(check->packets);

    g_string_append(check->text, foot);
    g_free(foot);
    if (check->options->update) {
        check->result->packets = check->packets;
        update(check->result, check->text->str);
    } else if (check->golden) {
        today = golden_parse(g_string_free(g_steal_pointer(&check->text), FALSE));
        golden_compare(check->result, check->golden, today);
        golden_free(today);
    }
}

struct golden_result *golden_check_end(struct golden_check *check, bool whole)
{
    const char *not_done = check->options->update ? "not written" : "not compared to its end";

    if (!whole || check->text->len > GOLDEN_SIZE_MAX)
        set_error(check->result,
                  g_strdup_printf("%s: %s", not_done, whole ? "is too large" : "interrupted"));
    else
        finish(check);
    g_clear_pointer(&check->golden, golden_free);
    g_clear_pointer(&check->ignored, g_ptr_array_unref);
    if (check->text)
        g_string_free(check->text, TRUE);
    check->text = NULL;
    return g_steal_pointer(&check->result);
}

struct golden_check *golden_check_new(const struct golden_options *options)
{
    struct golden_check *check = g_new0(struct golden_check, 1);

    check->options = options;
    check->dump = qs_dump_compact.create();
    return check;
}

struct qs_sink *golden_check_sink(struct golden_check *check)
{
    return &check->dump->sink;
}

void golden_check_free(struct golden_check *check)
{
    check->dump->free(check->dump);
    g_free(check);
}
