/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/regression/test_report.h"

#include <inttypes.h>
#include <string.h>

struct cases {
    bool wanted[CASE_KINDS];
    GPtrArray *inputs;  /* struct input_cases */
    GHashTable *places; /* by the file's name as given: where in `inputs`, plus 1 */
    gint64 started;     /* the input at hand, in microseconds */
    char *about;        /* or NULL */
    enum case_kind kind;
};

const char *const case_kind_names[CASE_KINDS] = {
    [CASE_DECODE] = "decode", [CASE_GOLDEN] = "golden", [CASE_REBUILD] = "rebuild"};

static void input_free(gpointer data)
{
    struct input_cases *input = data;

    for (int i = 0; i < CASE_KINDS; i++)
        g_string_free(input->kinds[i].text, TRUE);
    g_free(input->file);
    g_free(input);
}

/* The worst outcome stays. */
static void say(struct test_case *test, enum case_outcome outcome, const char *line)
{
    char *clean = printable(line);

    test->outcome = MAX(test->outcome, outcome);
    if (++test->lines < CASE_LINES_MAX)
        g_string_append_printf(test->text, "%s\n", clean);
    else if (test->lines == CASE_LINES_MAX)
        g_string_append(test->text, "and more\n");
    g_free(clean);
}

/* Until an input begins there is nothing that could be good or bad about it but its reading. */
static void await(struct input_cases *input)
{
    for (int i = 0; i < CASE_KINDS; i++) {
        input->kinds[i].text = g_string_new(NULL);
        if (i != CASE_DECODE)
            say(&input->kinds[i], CASE_SKIPPED, "the input was not read");
    }
}

static struct input_cases *input_named(struct cases *cases, const char *file)
{
    const guint place = GPOINTER_TO_UINT(g_hash_table_lookup(cases->places, file));
    struct input_cases *input;

    if (place)
        return g_ptr_array_index(cases->inputs, place - 1);
    input = g_new0(struct input_cases, 1);
    input->file = printable(file);
    await(input);
    g_ptr_array_add(cases->inputs, input);
    g_hash_table_insert(cases->places, g_strdup(file), GUINT_TO_POINTER(cases->inputs->len));
    return input;
}

/* The place of a failure in `input`, or in another file. */
static char *with_place(struct place place, const char *input, const char *text)
{
    GString *line = g_string_new(NULL);

    if (place.file && strcmp(place.file, input) != 0)
        g_string_append_printf(line, "%s: ", place.file);
    if (place.packet)
        g_string_append_printf(line, "%s %" PRIu64 ": ", place.block ? "block" : "packet",
                               place.packet);
    g_string_append(line, text);
    return g_string_free(line, FALSE);
}

static void hear_failure(enum exit_status status, struct place place, const char *text, void *user)
{
    struct cases *cases = user;
    const char *file = cases->about ? cases->about : place.file;
    struct test_case *test;
    char *line;

    if (!file)
        return;
    test = &input_named(cases, file)->kinds[cases->about ? cases->kind : CASE_DECODE];
    line = with_place(place, file, text);
    say(test, status == EXIT_UNUSABLE ? CASE_ERROR : CASE_FAILED, line);
    g_free(line);
}

struct cases *cases_new(const bool wanted[CASE_KINDS])
{
    struct cases *cases = g_new0(struct cases, 1);

    memcpy(cases->wanted, wanted, sizeof cases->wanted);
    cases->inputs = g_ptr_array_new_with_free_func(input_free);
    cases->places = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    failures_to(hear_failure, cases);
    return cases;
}

void cases_free(struct cases *cases)
{
    failures_to(NULL, NULL);
    g_ptr_array_free(cases->inputs, TRUE);
    g_hash_table_destroy(cases->places);
    g_free(cases->about);
    g_free(cases);
}

void cases_begin(struct cases *cases, const char *file)
{
    struct input_cases *input = input_named(cases, file);

    for (int i = 0; i < CASE_KINDS; i++) {
        if (input->kinds[i].outcome == CASE_SKIPPED) {
            input->kinds[i].outcome = CASE_PASSED;
            input->kinds[i].lines = 0;
            g_string_truncate(input->kinds[i].text, 0);
        }
    }
    cases->started = g_get_monotonic_time();
}

void cases_end(struct cases *cases, const char *file)
{
    input_named(cases, file)->time = (double)(g_get_monotonic_time() - cases->started) / 1e6;
}

void cases_about(struct cases *cases, const char *file, enum case_kind kind)
{
    g_free(cases->about);
    cases->about = g_strdup(file);
    cases->kind = kind;
}

void cases_say(struct cases *cases, const char *file, enum case_kind kind,
               enum case_outcome outcome, const char *text)
{
    say(&input_named(cases, file)->kinds[kind], outcome, text);
}

bool cases_want(const struct cases *cases, enum case_kind kind)
{
    return cases->wanted[kind];
}

const GPtrArray *cases_inputs(const struct cases *cases)
{
    return cases->inputs;
}

static guint count_of(const struct cases *cases, const struct input_cases *input,
                      enum case_outcome outcome)
{
    guint count = 0;

    for (int i = 0; i < CASE_KINDS; i++)
        count += cases->wanted[i] && input->kinds[i].outcome == outcome;
    return count;
}

guint cases_count(const struct cases *cases, const struct input_cases *input,
                  enum case_outcome outcome)
{
    guint count = 0;

    if (input)
        return count_of(cases, input, outcome);
    for (guint i = 0; i < cases->inputs->len; i++)
        count += count_of(cases, g_ptr_array_index(cases->inputs, i), outcome);
    return count;
}
