/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A capture in Wireshark with the plugin, both within this program: its packets are dissected in
 * order, as when a file is opened, then again with taps, as when a window is opened, then in
 * another order, as when a user looks at one and another. Each must look as before.
 *
 * What a first pass shows is compared without generated items: some tell of later packets.
 */
#include <epan/tap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/epan_frames.h"
#include "tests/fuzz/fuzz.h"
#include "common/protocols.h"

struct capture {
    unsigned options; /* FUZZ_PLUGIN_* */
    GPtrArray *frames;
    struct epan_frames *epan;
    GPtrArray *first, *second; /* texts of the frames, by pass */
};

static void enable_late_heuristics(bool enable)
{
    for (unsigned i = 0; qs_protocols[i]; i++) {
        g_autofree char *name = g_strdup_printf("%s_late_udp", qs_protocols[i]->name);
        heur_dtbl_entry_t *entry = find_heur_dissector_by_unique_short_name(name);

        if (entry)
            entry->enabled = enable;
    }
}

/* --- Comparing --- */

G_GNUC_NORETURN static void differ(guint frame, const char *was, const char *is)
{
    fprintf(stderr, "frame %u was:\n%sand is:\n%s", frame + 1, was, is);
    abort();
}

/* Without generated items, and without the line of the protocol, which sums them up. */
static char *lasting(const char *text)
{
    GString *kept = g_string_new(NULL);

    while (*text) {
        const char *end = strchr(text, '\n') + 1;
        g_autofree char *line = g_strndup(text, (gsize)(end - text));

        if (!strstr(line, " generated ") && g_str_has_prefix(line, "  "))
            g_string_append(kept, line);
        text = end;
    }
    return g_string_free(kept, FALSE);
}

/* The filter prefix of the protocol in the first line, " 28+17 nq Quake, ...". */
static struct qs_view game_of(const char *text)
{
    const char *start = text + strspn(text, " ");

    start += strcspn(start, " \n");
    start += strspn(start, " ");
    return (struct qs_view){(const uint8_t *)start, (uint32_t)strcspn(start, " \n")};
}

/* A packet before the one that shows which game a conversation is can be another game's in the
 * first pass: later passes know better. */
static bool is_of_one_game(const char *was, const char *is)
{
    const struct qs_view a = game_of(was), b = game_of(is);

    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

static void compare_lasting(guint frame, const char *was, const char *is)
{
    g_autofree char *a = lasting(was), *b = lasting(is);

    if (is_of_one_game(was, is) && strcmp(a, b) != 0)
        differ(frame, was, is);
}

/* --- Passes --- */

static void pass_first(struct capture *capture)
{
    const bool plain = capture->options & FUZZ_PLUGIN_PLAIN;
    const bool taps = capture->options & FUZZ_PLUGIN_AT_ONCE;

    for (guint i = 0; i < capture->frames->len; i++) {
        const struct fuzz_frame *frame = g_ptr_array_index(capture->frames, i);

        g_ptr_array_add(capture->first, epan_frames_dissect(capture->epan, i,
                                                            (plain ? 0u : EPAN_FRAMES_TREE) |
                                                                (taps ? EPAN_FRAMES_TAPS : 0u)));
        if (frame->again)
            g_free(epan_frames_dissect(capture->epan, i / 2, EPAN_FRAMES_TREE));
    }
}

static void pass_with_taps(struct capture *capture)
{
    reset_tap_listeners();
    for (guint i = 0; i < capture->frames->len; i++) {
        char *text = epan_frames_dissect(capture->epan, i, EPAN_FRAMES_TREE | EPAN_FRAMES_TAPS);
        const char *before = g_ptr_array_index(capture->first, i);

        if (before)
            compare_lasting(i, before, text);
        g_ptr_array_add(capture->second, text);
    }
}

/* Back and forth: each is met once. */
static void pass_in_disorder(const struct capture *capture)
{
    const guint count = capture->frames->len;

    for (guint i = 0; i < count; i++) {
        const guint index = i % 2 ? i / 2 : count - 1 - i / 2;
        g_autofree char *text = epan_frames_dissect(capture->epan, index, EPAN_FRAMES_TREE);
        const char *before = g_ptr_array_index(capture->second, index);

        if (strcmp(before, text) != 0)
            differ(index, before, text);
    }
}

static void run(struct capture *capture)
{
    struct plugin_taps *taps = plugin_taps_new(capture->options);

    enable_late_heuristics(capture->options & FUZZ_PLUGIN_LATE);
    capture->epan = epan_frames_open(capture->frames);
    capture->first = g_ptr_array_new_with_free_func(g_free);
    capture->second = g_ptr_array_new_with_free_func(g_free);
    pass_first(capture);
    pass_with_taps(capture);
    pass_in_disorder(capture);
    plugin_taps_free(taps);
    epan_frames_close(capture->epan);
    g_ptr_array_free(capture->first, TRUE);
    g_ptr_array_free(capture->second, TRUE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool started;
    struct capture capture;
    struct fuzz_cost start;

    if (size < 2)
        return 0;
    if (!started)
        epan_frames_start();
    started = true;
    start = fuzz_begin();
    capture = (struct capture){.options = data[1],
                               .frames = fuzz_frames_new(fuzz_protocol(data[0]), data, size)};
    run(&capture);
    g_ptr_array_free(capture.frames, TRUE);
    fuzz_check_cost(start, size);
    return 0;
}
