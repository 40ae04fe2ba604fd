/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interruption by signals: reading ends, and what was read is still put to use. */
#ifndef PCAP2DEMO_SIGNALS_H
#define PCAP2DEMO_SIGNALS_H

#include <stdbool.h>

#include "pcap2demo/capture/input.h"

void signals_catch(void);

bool signals_interrupted(void);

/* The input that waits for packets, which a signal breaks off; NULL: none. */
void signals_set_input(struct input *input);

/* Ends the program as a pipe that nobody reads ends it without signals_catch(). */
void signals_die_of_pipe(void);

#endif
