/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/regression/golden_check.h"

#include <string.h>

#include "common/demo/format.h"
#include "pcap2demo/output/message.h"
#include "pcap2demo/output/writer.h"

struct golden_check {
    const struct golden_options *options;
    struct qs_dump *dump; /* leaves out what is ignored */
    uint64_t number;      /* of the packet at hand, */
    GString *text;        /* and its lines so far */

    /* Of the input at hand. */
    struct golden_result *result;
    GPtrArray *ignored;           /* by the options, and by the golden */
    struct writer *writer;        /* for an update, or NULL */
    struct golden_reader *reader; /* else; NULL where there is nothing to compare with */
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
        [GOLDEN_UNUSABLE] = "not compared",
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

static void begin_comparison(struct golden_check *check)
{
    char *error = NULL;

    check->reader = golden_open(check->result->path, check->ignored, &error);
    if (!check->reader)
        cannot(check, error);
    else
        check->diff = golden_diff_new(next_of_golden, check, check->options->max);
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

    if (!check->diff)
        return;
    if (whole)
        golden_diff_finish(check->diff);
    else
        cannot(check, g_strdup("not compared to its end: interrupted"));
    result->packets = golden_diff_packets(check->diff);
    result->differences = golden_diff_take_differences(check->diff, &result->count);
    if (!result->error)
        result->verdict = judge(check);
    golden_diff_free(g_steal_pointer(&check->diff));
    golden_close(g_steal_pointer(&check->reader));
}

/* --- Updating -------------------------------------------------------------------------------- */

static void begin_update(struct golden_check *check)
{
    char *head = golden_head(check->ignored);

    check->writer = writer_new(check->options->folder);
    writer_add(check->writer, head, strlen(head));
    g_free(head);
}

static void end_update(struct golden_check *check, bool whole)
{
    struct golden_result *result = check->result;
    char *foot = golden_foot(result->packets);
    char *name = g_path_get_basename(result->path);
    char *error;

    writer_add(check->writer, foot, strlen(foot));
    result->verdict = GOLDEN_WRITTEN;
    error = whole ? writer_commit(check->writer, name, true) : g_strdup("not written: interrupted");
    if (error)
        cannot(check, error);
    writer_free(g_steal_pointer(&check->writer));
    g_free(name);
    g_free(foot);
}

/* --- Packets --------------------------------------------------------------------------------- */

static void take_line(struct golden_packet *packet, const char *line, gsize length)
{
    struct golden_words words;

    if (golden_parse(line, length, &words))
        golden_packet_add(packet, line, length, &words);
}

/* Takes the packet apart, as the text dump shows it. */
static void parse(struct golden_packet *packet, const GString *text)
{
    const char *line = text->str, *stop = text->str + text->len, *end;

    for (; (end = memchr(line, '\n', (size_t)(stop - line))); line = end + 1)
        take_line(packet, line, (gsize)(end - line));
}

/* Most packets are the same as in the golden, to the byte: only others are taken apart. */
static void compare(struct golden_check *check, uint64_t number, const GString *text)
{
    if (golden_diff_is_level(check->diff) && golden_skip(check->reader, number, text)) {
        golden_diff_take_same(check->diff);
        return;
    }
    parse(check->packet, text);
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
        check->result->packets++;
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
    check->dump = qs_dump_text.create();
    check->text = g_string_new(NULL);
    check->ignored = g_ptr_array_new_with_free_func(g_free);
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
    g_free(check);
}
