/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/problems.h"

#include <string.h>

#include "common/core/text.h"

static void problem_free(gpointer data)
{
    struct qs_session_demo_problem *problem = data;

    g_free(problem->kind);
    g_free(problem->text);
    g_array_free(problem->packets, TRUE);
    g_free(problem);
}

void qs_session_problems_init(struct qs_session_problems *problems)
{
    *problems = (struct qs_session_problems){.kinds = g_ptr_array_new_with_free_func(problem_free)};
}

void qs_session_problems_clear(struct qs_session_problems *problems)
{
    g_ptr_array_free(problems->kinds, TRUE);
}

/* "frame 12 is left out" → "frame # is left out" */
static char *kind_of(const char *text)
{
    GString *kind = g_string_new(NULL);

    for (; *text; text++) {
        if (!g_ascii_isdigit(*text))
            g_string_append_c(kind, *text);
        else if (!g_str_has_suffix(kind->str, "#"))
            g_string_append_c(kind, '#');
    }
    return g_string_free(kind, FALSE);
}

static struct qs_session_demo_problem *find(const struct qs_session_problems *problems,
                                            const char *kind)
{
    for (guint i = 0; i < problems->kinds->len; i++) {
        struct qs_session_demo_problem *problem = g_ptr_array_index(problems->kinds, i);

        if (strcmp(problem->kind, kind) == 0)
            return problem;
    }
    return NULL;
}

static struct qs_session_demo_problem *add_kind(struct qs_session_problems *problems,
                                                struct qs_location location, const char *kind,
                                                const char *text)
{
    struct qs_session_demo_problem *problem;

    if (problems->kinds->len == QS_DEMO_PROBLEMS_MAX)
        return NULL;
    problem = g_new0(struct qs_session_demo_problem, 1);
    problem->location = location;
    problem->kind = g_strdup(kind);
    problem->text = qs_text_printable(text);
    problem->packets = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    g_ptr_array_add(problems->kinds, problem);
    return problem;
}

void qs_session_problems_add(struct qs_session_problems *problems, struct qs_location location,
                             const char *text)
{
    char *kind = kind_of(text);
    struct qs_session_demo_problem *problem = find(problems, kind);

    if (!problem)
        problem = add_kind(problems, location, kind, text);
    g_free(kind);
    problems->count++;
    if (!problem) {
        problems->others++;
        return;
    }
    problem->count++;
    if (location.packet && problem->packets->len < QS_DEMO_PROBLEM_PACKETS_MAX)
        g_array_append_val(problem->packets, location.packet);
}

char *qs_session_demo_problem_text(const struct qs_session_demo_problem *problem)
{
    GString *text = g_string_new(problem->text);
    const guint shown = problem->packets->len;

    if (problem->count == 1)
        return g_string_free(text, FALSE);
    g_string_append_printf(text, " (%" G_GUINT64_FORMAT " times", problem->count);
    for (guint i = 0; i < shown; i++)
        g_string_append_printf(text, "%s%" G_GUINT64_FORMAT, i ? ", " : ": packets ",
                               g_array_index(problem->packets, uint64_t, i));
    g_string_append(text, shown && shown < problem->count ? ", …)" : ")");
    return g_string_free(text, FALSE);
}
