/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/regression/golden.h"

#include <inttypes.h>
#include <string.h>

#include "common/core/hash.h"
#include "pcap2demo/output/files.h"

struct golden_check {
    const struct golden_options *options;
    struct qs_dump *dump;   /* dump without the ignored fields */
    GHashTable *file_names; /* goldens of all inputs so far */

    /* State of the current input. */
    struct golden_result *result;
    struct golden_names names;
    char *golden;             /* text of the existing golden; NULL: none that is readable */
    GString *text;            /* text of a new golden; stops growing above GOLDEN_SIZE_MAX */
    uint64_t packets, number; /* number of packets in `text`, and number of the last packet */
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

/* Sets an error, unless there is one already. Takes ownership of `error`. */
static void set_error(struct golden_result *result, char *error)
{
    result->verdict = GOLDEN_UNUSABLE;
    if (result->error)
        g_free(error);
    else
        result->error = error;
}

static void difference_free(gpointer data)
{
    struct golden_difference *difference = data;

    g_ptr_array_free(difference->lines, TRUE);
    g_free(difference);
}

/* --- Comparison ------------------------------------------------------------------------------ */

/* All lines of a packet, or one line. */
struct golden_item {
    const char *text; /* text; in a packet's first line, from behind the distance */
    size_t size;
    bool is_packet;
    uint64_t packet;
};

/* A text that is split into items. */
struct side {
    const char *rest;
    bool by_packets;
    uint64_t packet;
    GArray *ahead; /* items that were split off but not yet compared (struct golden_item) */
};

/* Receives a difference: the first `added` items of `is` replace the first `removed` items of
 * `was`. */
typedef void difference_visitor(void *user, struct side *was, guint removed, struct side *is,
                                guint added);

static const char packet_word[] = "packet ", end_word[] = "# end";

static struct golden_item next_item(struct side *side)
{
    struct golden_item item = {.text = side->rest};
    int64_t distance = 1;
    char *end;

    do {
        side->rest += strcspn(side->rest, "\n");
        side->rest += *side->rest != '\0';
    } while (side->by_packets && *side->rest && *side->rest != '#' &&
             !g_str_has_prefix(side->rest, packet_word));
    if (side->by_packets && g_str_has_prefix(item.text, packet_word)) {
        end = (char *)item.text + strlen(packet_word) - 1;
        if (end[1] == '+' || end[1] == '-')
            distance = g_ascii_strtoll(end + 1, &end, 10);
        item.text = MIN(end, side->rest);
        item.is_packet = true;
        side->packet += (uint64_t)distance;
    }
    item.size = (size_t)(side->rest - item.text);
    if (side->by_packets && g_str_has_prefix(item.text, end_word))
        item.size = strlen(end_word); /* each packet more or less is a difference already */
    item.packet = side->packet;
    return item;
}

/* Returns the item at `index` ahead, or NULL at the end. */
static const struct golden_item *peek(struct side *side, guint index)
{
    while (side->ahead->len <= index && *side->rest) {
        const struct golden_item item = next_item(side);

        g_array_append_val(side->ahead, item);
    }
    return index < side->ahead->len ? &g_array_index(side->ahead, struct golden_item, index) : NULL;
}

static bool is_same(const struct golden_item *a, const struct golden_item *b)
{
    return a && b && a->size == b->size && memcmp(a->text, b->text, a->size) == 0;
}

/* Finds the first match: the one with the smallest sum of indices. Sets the number of items before
 * it on both sides. False if there is none in the window. */
static bool find_match(struct side *was, struct side *is, guint *removed, guint *added)
{
    for (guint sum = 0; sum < 2 * GOLDEN_WINDOW; sum++)
        for (guint i = sum < GOLDEN_WINDOW ? 0 : sum - GOLDEN_WINDOW + 1;
             i < MIN(sum + 1, GOLDEN_WINDOW) && peek(was, i); i++)
            if (is_same(peek(was, i), peek(is, sum - i))) {
                *removed = i;
                *added = sum - i;
                return true;
            }
    *removed = peek(was, GOLDEN_WINDOW - 1) ? GOLDEN_WINDOW : was->ahead->len;
    *added = peek(is, GOLDEN_WINDOW - 1) ? GOLDEN_WINDOW : is->ahead->len;
    return false;
}

static void compare(const char *was_text, const char *is_text, bool by_packets,
                    difference_visitor *visit, void *user)
{
    struct side was = {was_text, by_packets, 0,
                       g_array_new(FALSE, FALSE, sizeof(struct golden_item))};
    struct side is = {is_text, by_packets, 0,
                      g_array_new(FALSE, FALSE, sizeof(struct golden_item))};

    while (peek(&was, 0) || peek(&is, 0)) {
        guint removed, added;
        const bool found = find_match(&was, &is, &removed, &added);

        if (removed || added)
            visit(user, &was, removed, &is, added);
        g_array_remove_range(was.ahead, 0, removed + found);
        g_array_remove_range(is.ahead, 0, added + found);
    }
    g_array_free(was.ahead, TRUE);
    g_array_free(is.ahead, TRUE);
}

static void add_lines(struct golden_difference *difference, char mark, struct side *side,
                      guint count)
{
    for (guint i = 0; i < count; i++) {
        const struct golden_item *line = peek(side, i);
        const int size = (int)MIN(strcspn(line->text, "\n"), GOLDEN_LINE_SIZE_MAX);

        if (difference->lines->len < GOLDEN_LINES_MAX)
            g_ptr_array_add(difference->lines,
                            g_strdup_printf("%c%.*s%s", mark, size, line->text,
                                            line->text[size] == '\n' ? "" : "…"));
        else
            difference->more++;
    }
}

static void visit_lines(void *user, struct side *was, guint removed, struct side *is, guint added)
{
    add_lines(user, '-', was, removed);
    add_lines(user, '+', is, added);
}

/* Returns a new text: the packet's lines without the distance; "" for NULL. */
static char *packet_text(const struct golden_item *packet)
{
    return packet ? g_strdup_printf("%s%.*s", packet->is_packet ? "packet" : "", (int)packet->size,
                                    packet->text)
                  : g_strdup("");
}

static void visit_packets(void *user, struct side *was, guint removed, struct side *is, guint added)
{
    struct golden_result *result = user;

    for (guint i = 0; i < MAX(removed, added); i++) {
        const struct golden_item *before = i < removed ? peek(was, i) : NULL,
                                 *now = i < added ? peek(is, i) : NULL;
        g_autofree char *a = packet_text(before), *b = packet_text(now);
        struct golden_difference *difference;

        if (result->count++ >= GOLDEN_DIFFERENCES_MAX)
            continue;
        difference = g_new0(struct golden_difference, 1);
        difference->packet = now ? now->packet : before ? before->packet : 0;
        difference->lines = g_ptr_array_new_with_free_func(g_free);
        compare(a, b, false, visit_lines, difference);
        g_ptr_array_add(result->differences, difference);
    }
}

void golden_compare(struct golden_result *result, const char *was, const char *is)
{
    result->differences = g_ptr_array_new_with_free_func(difference_free);
    compare(was, is, true, visit_packets, result);
    result->verdict = result->count ? GOLDEN_DIFFERENT : GOLDEN_SAME;
}

/* --- Check of an input ----------------------------------------------------------------------- */

/* Reads the golden. Reports an error if it is missing or invalid, unless an update replaces it. */
static void read_golden(struct golden_check *check)
{
    const char *path = check->result->path;
    const bool missing = !g_file_test(path, G_FILE_TEST_EXISTS);
    char *problem;

    check->golden = golden_read_text(path, &problem);
    if (missing) {
        g_free(problem);
        problem = g_strdup("there is no such golden; --update writes it");
    } else if (check->golden && !golden_read_head(check->golden, &check->names)) {
        g_clear_pointer(&check->golden, g_free);
        problem = g_strdup("does not begin as the goldens that this program reads; --update writes "
                           "it anew");
    }
    if (check->options->update)
        g_free(problem);
    else if (problem)
        set_error(check->result, problem);
}

/* Adds the names that are not there. */
static void add_names(GPtrArray *names, const GPtrArray *more)
{
    for (guint i = 0; i < more->len; i++) {
        const char *name = g_ptr_array_index(more, i);

        if (!g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
            g_ptr_array_add(names, g_strdup(name));
    }
}

void golden_check_begin(struct golden_check *check, const char *file)
{
    const struct golden_options *options = check->options;
    g_autofree char *name = golden_name(file), *head = NULL;

    check->result = g_new0(struct golden_result, 1);
    check->result->path = g_build_filename(options->folder, name, NULL);
    if (!g_hash_table_add(check->file_names, g_strdup(name)))
        set_error(check->result, g_strdup_printf("%s has the golden of an earlier input", file));
    read_golden(check);
    if (!check->names.ignored)
        check->names =
            (struct golden_names){golden_varying_fields(), g_ptr_array_new_with_free_func(g_free)};
    if (options->no_default_ignore)
        g_ptr_array_set_size(check->names.ignored, 0);
    add_names(check->names.ignored, options->ignored);
    add_names(check->names.expected, options->expected);
    qs_dump_text_leave_out(check->dump, golden_is_ignored, check->names.ignored);
    head = golden_head(&check->names);
    check->text = g_string_new(head);
    check->packets = 0;
    check->number = UINT64_MAX;
}

bool golden_check_expects(const struct golden_check *check, const char *problem)
{
    return g_ptr_array_find_with_equal_func(check->names.expected, problem, g_str_equal, NULL);
}

/* Appends a decoded packet. Counts a packet with several PDUs of a stream once. */
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

/* Writes the golden, unless it has the same contents. */
static void update(struct golden_check *check)
{
    struct golden_result *result = check->result;
    char *problem = NULL;

    result->verdict =
        g_strcmp0(check->golden, check->text->str) == 0 ? GOLDEN_UNCHANGED : GOLDEN_WRITTEN;
    if (result->verdict == GOLDEN_WRITTEN)
        problem = writer_replace(result->path, check->text->str);
    if (problem)
        set_error(result, problem);
}

struct golden_result *golden_check_end(struct golden_check *check, bool whole)
{
    const char *not_done = check->options->update ? "not written" : "not compared to its end";

    check->result->packets = check->packets;
    g_string_append_printf(check->text, "# end, %" PRIu64 " packets\n", check->packets);
    if (!whole || check->text->len > GOLDEN_SIZE_MAX)
        set_error(check->result,
                  g_strdup_printf("%s: %s", not_done, whole ? "is too large" : "interrupted"));
    else if (check->options->update && check->options->selected && !check->packets)
        set_error(check->result, g_strdup("not written: the input has none of the chosen packets"));
    else if (check->options->update && !check->result->error)
        update(check);
    else if (check->golden && !check->result->error)
        golden_compare(check->result, check->golden, check->text->str);
    g_clear_pointer(&check->golden, g_free);
    golden_names_clear(&check->names);
    g_string_free(g_steal_pointer(&check->text), TRUE);
    return g_steal_pointer(&check->result);
}

GPtrArray *golden_check_orphans(const struct golden_check *check, char *const *files)
{
    for (; *files; files++)
        g_hash_table_add(check->file_names, golden_name(*files));
    return golden_orphans(check->options->folder, check->file_names);
}

struct golden_check *golden_check_new(const struct golden_options *options)
{
    struct golden_check *check = g_new0(struct golden_check, 1);

    check->options = options;
    check->file_names = g_hash_table_new_full(qs_str_hash, g_str_equal, g_free, NULL);
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
    g_hash_table_destroy(check->file_names);
    g_free(check);
}
