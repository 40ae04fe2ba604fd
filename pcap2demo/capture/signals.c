/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/signals.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

/* Time in which a recorder ends after an interruption. */
enum { END_WITHIN_MS = 1500 };

static volatile sig_atomic_t interrupted, requested;
static bool ends_soon;

static void on_interrupt(int number)
{
    const struct itimerval timer = {.it_value.tv_sec = END_WITHIN_MS / 1000,
                                    .it_value.tv_usec = END_WITHIN_MS % 1000 * 1000};

    interrupted = number;
    if (ends_soon)
        setitimer(ITIMER_REAL, &timer, NULL);
}

static void on_request(int number)
{
    (void)number;
    requested = 1;
}

/* Reads are not restarted, so that waiting for standard input ends at once. */
void signals_catch(void)
{
    struct sigaction action = {.sa_handler = on_interrupt};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    /* Writing to a closed pipe fails instead, so that unfinished demos are cleaned up. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* writing fails instead, which is reported */
}

/* Ends the process, whatever it is decoding: the next start continues from the files. */
static void on_alarm(int number)
{
    (void)number;
    _exit(EXIT_SUCCESS);
}

void signals_catch_requests(void)
{
    struct sigaction action = {.sa_handler = on_request};

    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, NULL);
    signal(SIGALRM, on_alarm);
    ends_soon = true;
}

bool signals_poll_request(void)
{
    const bool asked = requested;

    requested = 0;
    return asked;
}

const char *signals_interruption(void)
{
    if (interrupted == SIGINT)
        return "SIGINT";
    if (interrupted == SIGTERM)
        return "SIGTERM";
    return interrupted ? "SIGHUP" : NULL;
}

bool signals_interrupted(void)
{
    return interrupted;
}

void signals_die_of_pipe(void)
{
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
}
