/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What listens to the plugin's taps in Wireshark and tshark: statistics, exported objects, Follow,
 * and passwords. All that they are given is looked at.
 */
#ifndef TESTS_FUZZ_PLUGIN_TAPS_H
#define TESTS_FUZZ_PLUGIN_TAPS_H

struct plugin_taps;

/* `wanted`: FUZZ_PLUGIN_STATISTICS to FUZZ_PLUGIN_CREDENTIALS. */
struct plugin_taps *plugin_taps_new(unsigned wanted);

/* All packets will come (again), or have come. */
void plugin_taps_reset(void);
void plugin_taps_draw(void);

void plugin_taps_free(struct plugin_taps *taps);

#endif
