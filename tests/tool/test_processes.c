/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Work in child processes: what pieces give comes in order, and those that die harm no others. */
#include "tests/tool/frames.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "pcap2demo/jobs.h"

enum { PIECES = 12, LAST_SIZE = 1 << 20 };

struct expected {
    unsigned dies; /* which piece; PIECES: none */
    int signal;    /* by which it dies; 0: it ends with a status */
    unsigned over, well;
};

/* Earlier pieces take longer; the last one is large. */
static GVariant *work(void *user, unsigned index)
{
    const struct expected *expected = user;

    if (index == expected->dies && expected->signal) {
        signal(expected->signal, SIG_DFL);
        raise(expected->signal);
    } else if (index == expected->dies) {
        _exit(7);
    }
    g_usleep((PIECES - index) * 1000);
    return g_variant_new("(ut)", index, (guint64)index * LAST_SIZE);
}

static void count(void *user, unsigned index, pid_t process, bool well)
{
    struct expected *expected = user;

    assert_true(index < PIECES);
    assert_true(process > 0);
    expected->over++;
    expected->well += well;
}

static void assert_piece(struct jobs *jobs, unsigned index)
{
    char *problem;
    GVariant *given = jobs_wait(jobs, index, &problem);
    guint64 product;
    guint32 number;

    assert_null(problem);
    assert_non_null(given);
    g_variant_get(given, "(ut)", &number, &product);
    assert_int_equal(number, index);
    assert_int_equal(product, (guint64)index * LAST_SIZE);
    g_variant_unref(given);
}

static void assert_death(struct jobs *jobs, unsigned index, const char *how)
{
    char *problem;

    assert_null(jobs_wait(jobs, index, &problem));
    assert_non_null(problem);
    assert_non_null(strstr(problem, how));
    g_free(problem);
}

static void run(struct expected *expected, unsigned at_once, const char *how)
{
    const struct jobs_setup setup = {.count = PIECES,
                                     .at_once = at_once,
                                     .type = G_VARIANT_TYPE("(ut)"),
                                     .work = work,
                                     .over = count,
                                     .user = expected};
    struct jobs *jobs = jobs_new(&setup);

    for (unsigned i = 0; i < PIECES; i++) {
        if (i == expected->dies)
            assert_death(jobs, i, how);
        else
            assert_piece(jobs, i);
    }
    assert_piece(jobs, 0); /* once more */
    assert_int_equal(expected->over, PIECES);
    assert_int_equal(expected->well, PIECES - (expected->dies < PIECES));
    jobs_free(jobs);
}

static void gives_in_order(void **state)
{
    (void)state;
    for (unsigned at_once = 1; at_once <= PIECES + 1; at_once += 4)
        run(&(struct expected){.dies = PIECES}, at_once, "");
}

static void goes_on_without_the_dead(void **state)
{
    (void)state;
    run(&(struct expected){.dies = 3, .signal = SIGKILL}, 4, "ended by signal 9");
    run(&(struct expected){.dies = 5, .signal = SIGTERM}, 2, "ended by signal 15");
    run(&(struct expected){.dies = 11}, 1, "ended with status 7");
}

/* What is still at work ends with the jobs. */
static void ends_the_rest(void **state)
{
    struct expected expected = {.dies = PIECES};
    const struct jobs_setup setup = {.count = PIECES,
                                     .at_once = 3,
                                     .type = G_VARIANT_TYPE("(ut)"),
                                     .work = work,
                                     .over = count,
                                     .user = &expected};
    struct jobs *jobs = jobs_new(&setup);

    (void)state;
    assert_piece(jobs, 0);
    jobs_free(jobs);
    assert_true(expected.over >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_in_order),
        cmocka_unit_test(goes_on_without_the_dead),
        cmocka_unit_test(ends_the_rest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
