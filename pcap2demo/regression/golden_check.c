/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/regression/golden_check.h"

#include <string.h>

#include "common/demo/format.h"
#include "pcap2demo/output/message.h"
#include "pcap2demo/output/writer.h"
#include "pcap2demo/regression/golden_expand.h"

struct golden_check {
    const struct golden_options *options;
    struct qs_dump *dump; /* leaves out what is ignored */
    uint64_t number;      /* of the packet at hand, */
    GString *text;        /* and its lines so far */
    uint64_t written;     /* packets, for an update */

    /* Of the input at hand. */
    struct golden_result *result;
    GPtrArray *ignored;        /* by the options, and by the golden */
    GPtrArray *ignored_before; /* for an update: by the golden that is there */
    struct golden_expander *expander;
    struct writer *writer;        /* for an update, or NULL */
    struct golden_reader *reader; /* NULL where there is nothing to compare with */
    struct golden_diff *diff;
    struct golden_packet *packet; /* to be filled */
};

/* --- Names ----------------------------------------------------------------------------------- */

/* "duel.dm2.gz" is "duel", as "duel.dm2" is. */
char *golden_name(const char *file)
{
    char *base = g_path_get_basename(file);
    char *name = qs_text_printable(base);
    char *dot, *golden;

    g_free(base);
    name[qs_unpacked_name_length(name)] = '\0';
    dot = strrchr(name, '.');
    if (dot && dot != name)
        *dot = '\0';
    golden = g_strconcat(name, ".golden", NULL);
    g_free(name);
    return golden;
}

const char *golden_verdict_name(enum golden_verdict verdict)
{
    static const char *const names[] = {
        [GOLDEN_SAME] = "the same",         [GOLDEN_NEW_FIELDS] = "new fields only",
        [GOLDEN_DIFFERENT] = "different",   [GOLDEN_WRITTEN] = "written",
        [GOLDEN_UNUSABLE] = "not compared", [GOLDEN_UNCHANGED] = "unchanged",
    };

    return names[verdict];
}

/* --- Results --------------------------------------------------------------------------------- */

void golden_result_free(struct golden_result *result)
{
    g_free(result->path);
    g_free(result->error);
    if (result->differences)
        g_ptr_array_free(result->differences, TRUE);
    g_free(result);
}

/* `error` is taken over. The first one stays. */
static void cannot(struct golden_check *check, char *error)
{
    check->result->verdict = GOLDEN_UNUSABLE;
    if (check->result->error)
        g_free(error);
    else
        check->result->error = error;
}

/* --- Comparing ------------------------------------------------------------------------------- */

static enum golden_status next_of_golden(void *user, struct golden_packet *packet)
{
    struct golden_check *check = user;
    const enum golden_status status = golden_next(check->reader, packet);

    if (status == GOLDEN_DAMAGED)
        cannot(check, g_strdup(golden_error(check->reader)));
    return status;
}

/* Passwords that are hidden on one side alone would be differences. */
static bool suits(const struct golden_check *check)
{
    return golden_schema(check->reader) == GOLDEN_FULL ||
           golden_has_secrets(check->reader) == check->options->show_secrets;
}

static void compare_with_reader(struct golden_check *check)
{
    golden_expander_set_absolute(check->expander, golden_schema(check->reader) == GOLDEN_FULL);
    qs_dump_compact_file_offsets(check->dump, golden_schema(check->reader) <= GOLDEN_FILE_OFFSETS);
    check->diff = golden_diff_new(next_of_golden, check, check->options->max);
}

static void begin_comparison(struct golden_check *check)
{
    char *error = NULL;

    check->reader = golden_open(check->result->path, check->ignored, &error);
    if (!check->reader)
        cannot(check, error);
    else if (suits(check))
        compare_with_reader(check);
    else
        cannot(check,
               g_strdup(check->options->show_secrets
                            ? "passwords are hidden in it: --show-secrets does not go with it"
                            : "it shows passwords: compare with --show-secrets, too"));
}

static bool has_one_of(const struct golden_packet *packet, GHashTable *names)
{
    bool found = false;

    for (guint i = 0; i < packet->lines->len && !found; i++) {
        const struct golden_line *line = &g_array_index(packet->lines, struct golden_line, i);
        char *name = g_strndup(packet->text->str + line->start, line->name_end - line->start);

        found = g_hash_table_contains(names, name);
        g_free(name);
    }
    return found;
}

/* Whether the golden has a field of one of these names anywhere. */
static bool golden_has(const struct golden_check *check, GHashTable *names)
{
    GPtrArray *ignored = g_ptr_array_new_with_free_func(g_free);
    struct golden_packet *packet = golden_packet_new();
    char *error = NULL;
    struct golden_reader *reader = golden_open(check->result->path, ignored, &error);
    bool found = !reader;

    while (!found && golden_next(reader, packet) == GOLDEN_PACKET)
        found = has_one_of(packet, names);
    if (reader)
        golden_close(reader);
    golden_packet_free(packet);
    g_ptr_array_free(ignored, TRUE);
    g_free(error);
    return found;
}

static enum golden_verdict judge(const struct golden_check *check)
{
    GHashTable *names = golden_diff_new_names(check->diff);

    if (!check->result->count)
        return GOLDEN_SAME;
    return names && !golden_has(check, names) ? GOLDEN_NEW_FIELDS : GOLDEN_DIFFERENT;
}

static void end_comparison(struct golden_check *check, bool whole)
{
    struct golden_result *result = check->result;

    if (check->diff) {
        if (whole)
            golden_diff_finish(check->diff);
        else
            cannot(check, g_strdup("not compared to its end: interrupted"));
        result->packets = golden_diff_packets(check->diff);
        result->differences = golden_diff_take_differences(check->diff, &result->count);
        if (!result->error)
            result->verdict = judge(check);
        golden_diff_free(g_steal_pointer(&check->diff));
    }
    if (check->reader)
        golden_close(g_steal_pointer(&check->reader));
}

/* --- Updating -------------------------------------------------------------------------------- */

static bool same_names(const GPtrArray *a, const GPtrArray *b)
{
    bool same = a->len == b->len;

    for (guint i = 0; same && i < a->len; i++)
        same = strcmp(g_ptr_array_index(a, i), g_ptr_array_index(b, i)) == 0;
    return same;
}

/* The golden that is there tells what changes, where it leaves out the same. */
static void compare_with_old(struct golden_check *check)
{
    char *error = NULL;

    g_ptr_array_set_size(check->ignored_before, 0);
    check->reader = golden_open(check->result->path, check->ignored_before, &error);
    g_free(error);
    if (check->reader && suits(check) && same_names(check->ignored, check->ignored_before))
        compare_with_reader(check);
}

static void begin_update(struct golden_check *check)
{
    char *head = golden_head(check->ignored, check->options->show_secrets);

    check->writer = writer_new(check->options->folder);
    writer_add(check->writer, head, strlen(head));
    g_free(head);
    compare_with_old(check);
}

/* What came of the comparison: the golden that is there is whole, and equal, and of today's form.
 */
static bool is_up_to_date(struct golden_check *check, bool whole)
{
    struct golden_result *result = check->result;
    const bool comparable = check->diff && golden_schema(check->reader) == GOLDEN_COMPACT;

    end_comparison(check, whole);
    g_clear_pointer(&result->error, g_free); /* a damaged one is written anew */
    return comparable && result->verdict == GOLDEN_SAME;
}

static char *commit(struct golden_check *check, uint64_t packets)
{
    char *foot = golden_foot(packets);
    char *name = g_path_get_basename(check->result->path);
    char *error;

    writer_add(check->writer, foot, strlen(foot));
    error = writer_commit(check->writer, name, true);
    g_free(name);
    g_free(foot);
    return error;
}

static void end_update(struct golden_check *check, bool whole)
{
    struct golden_result *result = check->result;
    const uint64_t packets = check->written;
    const bool unchanged = is_up_to_date(check, whole);
    char *error = NULL;

    result->packets = packets;
    result->verdict = unchanged ? GOLDEN_UNCHANGED : GOLDEN_WRITTEN;
    if (!whole)
        error = g_strdup("not written: interrupted");
    else if (!unchanged)
        error = commit(check, packets);
    if (error)
        cannot(check, error);
    writer_free(g_steal_pointer(&check->writer));
}

/* --- Packets --------------------------------------------------------------------------------- */

/* Most packets are the same as in the golden, to the byte: only others are taken apart. */
static void compare(struct golden_check *check, uint64_t number, const GString *text)
{
    if (golden_diff_is_level(check->diff) && golden_skip(check->reader, number, text)) {
        golden_diff_take_same(check->diff);
        return;
    }
    golden_packet_clear(check->packet);
    check->packet->number = number;
    golden_packet_set(check->packet, check->expander, check->ignored, text);
    check->packet = golden_diff_take(check->diff, check->packet);
}

/* All lines of the packet at hand are there. */
static void end_packet(struct golden_check *check)
{
    const GString *text = check->text;

    if (!text->len)
        return;
    if (check->diff)
        compare(check, check->number, text);
    if (check->writer) {
        writer_add(check->writer, text->str, text->len);
        check->written++;
    }
    g_string_truncate(check->text, 0);
}

/* A packet may complete several units of a stream: it ends where another begins. */
void golden_check_packet(struct golden_check *check, const struct qs_dump_packet *about)
{
    const GString *text = check->dump->packet(check->dump, about);

    if (about->packet->number != check->number)
        end_packet(check);
    check->number = about->packet->number;
    g_string_append_len(check->text, text->str, (gssize)text->len);
}

void golden_check_discard(struct golden_check *check)
{
    check->dump->discard(check->dump);
}

/* --- Inputs ---------------------------------------------------------------------------------- */

static bool is_ignored(void *user, const char *name)
{
    return golden_is_ignored(user, name, strlen(name));
}

void golden_check_begin(struct golden_check *check, const char *file)
{
    char *name = golden_name(file);

    check->result = g_new0(struct golden_result, 1);
    check->result->path = g_build_filename(check->options->folder, name, NULL);
    check->written = check->number = 0;
    g_ptr_array_set_size(check->ignored, 0);
    for (guint i = 0; i < check->options->ignored->len; i++)
        g_ptr_array_add(check->ignored, g_strdup(g_ptr_array_index(check->options->ignored, i)));
    if (check->options->update)
        begin_update(check);
    else
        begin_comparison(check);
    qs_dump_text_leave_out(check->dump, is_ignored, check->ignored);
    g_free(name);
}

struct golden_result *golden_check_end(struct golden_check *check, bool whole)
{
    end_packet(check);
    if (check->writer)
        end_update(check, whole);
    else
        end_comparison(check, whole);
    return g_steal_pointer(&check->result);
}

struct golden_check *golden_check_new(const struct golden_options *options)
{
    struct golden_check *check = g_new0(struct golden_check, 1);

    check->options = options;
    check->dump = qs_dump_compact.create();
    check->text = g_string_new(NULL);
    check->ignored = g_ptr_array_new_with_free_func(g_free);
    check->ignored_before = g_ptr_array_new_with_free_func(g_free);
    check->expander = golden_expander_new();
    check->packet = golden_packet_new();
    return check;
}

struct qs_sink *golden_check_sink(struct golden_check *check)
{
    return &check->dump->sink;
}

void golden_check_free(struct golden_check *check)
{
    check->dump->free(check->dump);
    g_string_free(check->text, TRUE);
    golden_packet_free(check->packet);
    g_ptr_array_free(check->ignored, TRUE);
    g_ptr_array_free(check->ignored_before, TRUE);
    golden_expander_free(check->expander);
    g_free(check);
}
