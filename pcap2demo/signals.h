/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interruption by signals: reading ends, and what was read is still put to use. */
#ifndef PCAP2DEMO_SIGNALS_H
#define PCAP2DEMO_SIGNALS_H

#include <stdbool.h>

#include "pcap2demo/capture/input.h"

void signals_catch(void);

/*
 * For a program that runs for long: SIGUSR1 asks for its status, and SIGHUP, unless a terminal is
 * gone with it, to begin anew with files and interfaces. Neither interrupts it.
 */
void signals_catch_requests(void);

/* Whether there was such a signal since the last call. */
bool signals_asked_for_status(void);
bool signals_asked_to_reopen(void);

bool signals_interrupted(void);

/* The name of the signal that interrupted it, "SIGTERM"; NULL: none did. */
const char *signals_interruption(void);

/* The input that waits for packets, which a signal breaks off; NULL: none. */
void signals_set_input(struct input *input);

/* Ends the program as a pipe that nobody reads ends it without signals_catch(). */
void signals_die_of_pipe(void);

#endif
