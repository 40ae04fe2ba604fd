/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/signals.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t interrupted;
static struct input *volatile waiting;

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
    if (waiting)
        input_break(waiting);
}

/* Reads are not restarted, so that waiting for standard input ends at once. */
void signals_catch(void)
{
    struct sigaction action = {.sa_handler = on_interrupt};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    /* So that demos at work are tidied up. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* then writing fails, which is reported */
}

bool signals_interrupted(void)
{
    return interrupted;
}

void signals_set_input(struct input *input)
{
    waiting = input;
}

void signals_die_of_pipe(void)
{
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
}
