/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals: an interruption ends the reading; what was read is still processed. */
#ifndef PCAP2DEMO_SIGNALS_H
#define PCAP2DEMO_SIGNALS_H

#include <stdbool.h>

void signals_catch(void);

/* For recording: SIGUSR1 requests the status, and an interruption ends the process within two
 * seconds, whatever it does. */
void signals_catch_requests(void);

/* Whether SIGUSR1 came since the last call. */
bool signals_requested(int number);

bool signals_interrupted(void);

/* The signal that interrupted the program, "SIGTERM"; NULL: none. */
const char *signals_interruption(void);

/* Ends the program by SIGPIPE, as a closed pipe does without signals_catch(). */
void signals_die_of_pipe(void);

#endif
