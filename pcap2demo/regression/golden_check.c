/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/regression/golden_diff.h"

#include <string.h>

#include "pcap2demo/output/writer.h"

struct golden_check {
    const struct golden_options *options;
    struct qs_dump *dump; /* without ignored fields */

    /* Of the current input. */
    struct golden_result *result;
    GPtrArray *ignored;
    struct golden_reader *reader; /* NULL: there is no golden yet */
    struct golden_diff *diff;     /* NULL: nothing to compare with */
    struct writer *writer;        /* for an update, or NULL */
    const char *same;             /* what follows in the golden that an update repeats so far */
    GString *packet;              /* the current packet; empty: none */
    uint64_t number;              /* of the packet */
};

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

/* --- Begin of an input ------------------------------------------------------------------- */

static GPtrArray *ignored_fields(const struct golden_check *check)
{
    if (check->options->ignored)
        return g_ptr_array_ref(check->options->ignored);
    return check->reader ? g_ptr_array_ref(check->reader->ignored) : golden_varying_fields();
}

static void write_text(struct golden_check *check, const char *text)
{
    const size_t size = strlen(text);

    writer_add(check->writer, text, size);
    check->same = check->same && strncmp(check->same, text, size) == 0 ? check->same + size : NULL;
}

static void begin_update(struct golden_check *check)
{
    char *head = golden_head(check->ignored);

    check->same = check->reader ? check->reader->text : NULL;
    check->writer = writer_new(check->options->folder);
    write_text(check, head);
    g_free(head);
}

static bool is_ignored(void *user, const char *name)
{
    return golden_is_ignored(user, name);
}

void golden_check_begin(struct golden_check *check, const char *file)
{
    char *name = golden_name(file), *error;

    check->result = g_new0(struct golden_result, 1);
    check->result->path = g_build_filename(check->options->folder, name, NULL);
    check->reader = golden_open(check->result->path, &error);
    check->ignored = ignored_fields(check);
    if (check->options->update) {
        begin_update(check);
        g_free(error);
    } else if (error) {
        set_error(check->result, error);
    } else {
        check->diff = golden_diff_new(check->reader, GOLDEN_MAX_DIFFERENCES);
    }
    qs_dump_text_leave_out(check->dump, is_ignored, check->ignored);
    g_free(name);
}

/* --- Packets --------------------------------------------------------------------------------- */

/* The current packet is complete. */
static void end_packet(struct golden_check *check)
{
    if (!check->packet->len)
        return;
    if (check->diff)
        golden_diff_add(check->diff, check->number, check->packet);
    check->result->packets += check->diff || check->writer;
    g_string_truncate(check->packet, 0);
}

/* A packet may complete several units of a stream: it ends when another begins. */
void golden_check_packet(struct golden_check *check, const struct qs_dump_packet *about)
{
    const GString *text = check->dump->packet(check->dump, about);

    if (about->packet->number != check->number)
        end_packet(check);
    check->number = about->packet->number;
    golden_packet_append(check->packet, text->str);
    if (check->writer)
        write_text(check, text->str);
}

void golden_check_discard(struct golden_check *check)
{
    check->dump->discard(check->dump);
}

/* --- End of an input ---------------------------------------------------------------------------
 */

static void end_comparison(struct golden_check *check)
{
    struct golden_result *result = check->result;
    const bool whole = golden_diff_finish(check->diff);

    result->differences = g_ptr_array_ref(check->diff->differences);
    result->count = check->diff->total;
    result->packets = check->diff->packets;
    result->verdict = result->count ? GOLDEN_DIFFERENT : GOLDEN_SAME;
    set_error(result, whole ? NULL : g_strdup(check->reader->error));
}

static void end_update(struct golden_check *check)
{
    char *foot = golden_foot(check->result->packets);
    char *name = g_path_get_basename(check->result->path);

    write_text(check, foot);
    check->result->verdict = check->same && !*check->same ? GOLDEN_UNCHANGED : GOLDEN_WRITTEN;
    if (check->result->verdict == GOLDEN_WRITTEN)
        set_error(check->result, writer_commit(check->writer, name, true));
    g_free(name);
    g_free(foot);
}

struct golden_result *golden_check_end(struct golden_check *check, bool whole)
{
    end_packet(check);
    if (!whole)
        set_error(check->result, g_strdup(check->writer ? "not written: interrupted"
                                                        : "not compared to its end: interrupted"));
    else if (check->writer)
        end_update(check);
    else if (check->diff)
        end_comparison(check);
    g_clear_pointer(&check->diff, golden_diff_free);
    g_clear_pointer(&check->reader, golden_close);
    g_clear_pointer(&check->writer, writer_free);
    g_clear_pointer(&check->ignored, g_ptr_array_unref);
    check->number = 0;
    return g_steal_pointer(&check->result);
}

struct golden_check *golden_check_new(const struct golden_options *options)
{
    struct golden_check *check = g_new0(struct golden_check, 1);

    check->options = options;
    check->dump = qs_dump_compact.create();
    check->packet = g_string_new(NULL);
    return check;
}

struct qs_sink *golden_check_sink(struct golden_check *check)
{
    return &check->dump->sink;
}

void golden_check_free(struct golden_check *check)
{
    check->dump->free(check->dump);
    g_string_free(check->packet, TRUE);
    g_free(check);
}
