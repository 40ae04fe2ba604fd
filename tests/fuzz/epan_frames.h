/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libwireshark within this program, with the plugin linked in: a capture in memory whose frames can
 * be dissected in any order, as often as wanted. Where Wireshark's versions differ in this is here,
 * and what the plugin meets of it in plugin/ws_compat.h.
 */
#ifndef TESTS_FUZZ_EPAN_FRAMES_H
#define TESTS_FUZZ_EPAN_FRAMES_H

#include "plugin/ws_compat.h"

#include <epan/packet.h>

#include "tests/fuzz/fuzz.h"

/* Once, before all else: takes no settings, no plugins and no configuration of the user. */
void epan_frames_start(void);

/*
 * What libwireshark never frees is its own affair: where it is known for that, what is allocated is
 * not looked for. All else counts as leaks do in the other targets.
 */
void epan_look_for_leaks(bool on);

struct epan_frames;

/* Opens a capture; it refers to `frames`. */
struct epan_frames *epan_frames_open(const GPtrArray *frames);
void epan_frames_close(struct epan_frames *capture);

enum epan_frames_how {
    EPAN_FRAMES_TREE = 1, /* of which all is visible */
    EPAN_FRAMES_TAPS = 2  /* listen */
};

/* Dissects the frame. With a tree: the quakeshark part of it as text, which the caller frees. */
char *epan_frames_dissect(struct epan_frames *capture, guint index, unsigned how);

/* plugin_taps.c listens to the plugin's taps as Wireshark and tshark do: statistics, exported
 * objects and Follow. */
struct plugin_taps;

/* `wanted`: FUZZ_PLUGIN_STATISTICS to FUZZ_PLUGIN_FOLLOW. */
struct plugin_taps *plugin_taps_new(unsigned wanted);
void plugin_taps_free(struct plugin_taps *taps);

#endif
