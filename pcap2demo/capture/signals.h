/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals: an interruption ends the reading; frames that were read are still processed. */
#ifndef PCAP2DEMO_SIGNALS_H
#define PCAP2DEMO_SIGNALS_H

#include <stdbool.h>

void signals_catch(void);

/* Catches the signals of a recorder: SIGUSR1 requests the status, and an interruption ends the
 * process within two seconds, whatever it is doing. */
void signals_catch_requests(void);

/* True if SIGUSR1 came since the last call. */
bool signals_poll_request(void);

bool signals_interrupted(void);

/* Returns the name of the signal that interrupted the program, such as "SIGTERM"; or NULL. */
const char *signals_interruption(void);

/* Ends the program by SIGPIPE, as a closed pipe does without signals_catch(). */
void signals_die_of_pipe(void);

#endif
