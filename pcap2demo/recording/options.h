/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recording: what others capture is followed, and the options that only it has. */
#ifndef PCAP2DEMO_RECORDING_OPTIONS_H
#define PCAP2DEMO_RECORDING_OPTIONS_H

#include "pcap2demo/options.h"

/* Bytes of the ring of --interface, and of the disk that stay free, if no option says other ones.
 */
enum { RECORDER_SIZE = 1 << 30 };

extern const struct option_row recorder_rows[];

/* Whether --follow or --interface was given. */
bool recorder_is_wanted(const struct options *options);

/* False: the options do not go together; that was reported. */
bool recorder_options_check(struct options *options);

/*
 * Follows a folder, and captures to it if that is wanted, until stopped. Calls `prepare` when it is
 * no longer root. Failures are reported; the exit status is EXIT_OK after a stop that was asked
 * for.
 */
void recorder_run(const struct options *options, void (*prepare)(const struct options *options));

#endif
