/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/jobs.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "pcap2demo/signals.h"

struct job {
    pid_t process; /* 0: none is at work */
    bool over;
    FILE *given;   /* as long as it is at work */
    off_t offset;  /* of what it gave, among all results */
    size_t size;   /* 0: nothing */
    char *problem; /* or NULL */
};

struct jobs {
    const struct jobs_setup *setup;
    struct job *jobs;
    unsigned started, at_work;
    FILE *results;
    off_t end; /* of the results */
};

/* --- The child ------------------------------------------------------------------------------- */

static bool write_all(FILE *file, gconstpointer bytes, gsize size)
{
    return fwrite(bytes, 1, size, file) == size && fflush(file) == 0;
}

/* What the parent has buffered is not to be written a second time: there is no exit(). */
G_NORETURN static void be_child(const struct jobs_setup *setup, unsigned index, FILE *given)
{
    GVariant *result;
    bool done;

#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    result = g_variant_ref_sink(setup->work(setup->user, index));
    done = write_all(given, g_variant_get_data(result), g_variant_get_size(result));
    _exit(done ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* --- The parent ------------------------------------------------------------------------------ */

static void fail(struct job *job, const char *what)
{
    job->problem = g_strdup_printf("%s: %s", what, g_strerror(errno));
    job->over = true;
}

static void start(struct jobs *jobs)
{
    const unsigned index = jobs->started++;
    struct job *job = &jobs->jobs[index];

    job->given = tmpfile();
    if (!job->given) {
        fail(job, "no temporary file can be made");
        return;
    }
    job->process = fork();
    if (job->process == 0)
        be_child(jobs->setup, index, job->given);
    if (job->process > 0) {
        jobs->at_work++;
        return;
    }
    job->process = 0;
    fail(job, "no process can be started");
    fclose(job->given);
}

static struct job *job_of(const struct jobs *jobs, pid_t process)
{
    for (unsigned i = 0; i < jobs->started; i++)
        if (jobs->jobs[i].process == process)
            return &jobs->jobs[i];
    return NULL;
}

/* How the process ended without giving anything. New. */
static char *problem_of(int status)
{
    if (WIFSIGNALED(status))
        return g_strdup_printf("the process that read it was ended by signal %d (%s)",
                               WTERMSIG(status), g_strsignal(WTERMSIG(status)));
    return g_strdup_printf("the process that read it ended with status %d", WEXITSTATUS(status));
}

/* Moves what the process gave behind the other results. */
static bool keep_result(struct jobs *jobs, struct job *job)
{
    char buffer[65536];
    size_t size;

    rewind(job->given);
    job->offset = jobs->end;
    while ((size = fread(buffer, 1, sizeof buffer, job->given)) > 0) {
        if (fwrite(buffer, 1, size, jobs->results) != size)
            return false;
        job->size += size;
    }
    jobs->end += (off_t)job->size;
    return !ferror(job->given) && fflush(jobs->results) == 0;
}

static void end_job(struct jobs *jobs, struct job *job, int status)
{
    const struct jobs_setup *setup = jobs->setup;
    const pid_t process = job->process;

    if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS)
        job->problem = problem_of(status);
    else if (!keep_result(jobs, job))
        job->problem = g_strdup_printf("its results cannot be kept in a temporary file: %s",
                                       g_strerror(errno));
    fclose(job->given);
    job->process = 0;
    job->over = true;
    jobs->at_work--;
    setup->over(setup->user, (unsigned)(job - jobs->jobs), process, !job->problem);
}

/* False: a signal came. */
static bool wait_for_one(struct jobs *jobs)
{
    int status;
    const pid_t process = waitpid(-1, &status, 0);
    struct job *job = process > 0 ? job_of(jobs, process) : NULL;

    if (job)
        end_job(jobs, job, status);
    return job || process > 0;
}

static GVariant *read_result(struct jobs *jobs, struct job *job)
{
    void *bytes = g_malloc(job->size);

    if (fseeko(jobs->results, job->offset, SEEK_SET) != 0 ||
        fread(bytes, 1, job->size, jobs->results) != job->size ||
        fseeko(jobs->results, jobs->end, SEEK_SET) != 0) {
        g_free(bytes);
        fail(job, "its results cannot be read from a temporary file");
        return NULL;
    }
    return g_variant_ref_sink(
        g_variant_new_from_data(jobs->setup->type, bytes, job->size, FALSE, g_free, bytes));
}

GVariant *jobs_wait(struct jobs *jobs, unsigned index, char **problem)
{
    struct job *job = &jobs->jobs[index];
    GVariant *result = NULL;

    *problem = NULL;
    while (!job->over && !signals_interrupted()) {
        while (jobs->started < jobs->setup->count && jobs->at_work < jobs->setup->at_once)
            start(jobs);
        if (!job->over && !wait_for_one(jobs) && errno != EINTR)
            fail(job, "waiting for its process");
    }
    if (!job->over)
        return NULL;
    if (!job->problem)
        result = read_result(jobs, job);
    *problem = g_strdup(job->problem);
    return result;
}

struct jobs *jobs_new(const struct jobs_setup *setup)
{
    struct jobs *jobs = g_new0(struct jobs, 1);

    jobs->setup = setup;
    jobs->jobs = g_new0(struct job, setup->count);
    jobs->results = tmpfile();
    if (jobs->results)
        return jobs;
    g_free(jobs->jobs);
    g_free(jobs);
    return NULL;
}

static void end_all(struct jobs *jobs)
{
    for (unsigned i = 0; i < jobs->started; i++)
        if (jobs->jobs[i].process)
            kill(jobs->jobs[i].process, SIGTERM);
    while (jobs->at_work && (wait_for_one(jobs) || errno == EINTR))
        ;
}

void jobs_free(struct jobs *jobs)
{
    end_all(jobs);
    for (unsigned i = 0; i < jobs->started; i++)
        g_free(jobs->jobs[i].problem);
    fclose(jobs->results);
    g_free(jobs->jobs);
    g_free(jobs);
}
