/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rebuilding demos: what a demo format provides (struct rebuilder), and what it is given to write
 * with (struct demo).
 *
 * A rebuilder lives in one file, rebuild_<format>.c, and is listed in rebuilders.c. It is called
 * for every packet of one session, in the capture's order and after the decode, never sees a file
 * or a name, and does not know whether its bytes are kept: the same code runs for --list and
 * --check, where they are only counted.
 *
 *     state = new(demo);
 *     for each packet: packet(state, decoder, packet);
 *     finish(state);          at the session's end; not when the user broke off a file's conversion
 *     free(state);
 */
#ifndef PCAP2DEMO_REBUILD_H
#define PCAP2DEMO_REBUILD_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/decoder.h"

struct demo;

struct rebuilder {
    const char *protocol; /* name of the protocol record whose sessions it takes, "qw" */
    const struct qs_demo_format *format; /* of its files; NULL: what the game's clients record */
    void *(*create)(struct demo *demo);
    /*
     * A packet of either direction; `decoder` holds what qs_decode() made of it, and
     * decoder->session the session behind it.
     */
    void (*packet)(void *state, const struct qs_decoder *decoder, const struct qs_packet *packet);
    void (*finish)(void *state);
    void (*free)(void *state);
};

/* All rebuilders, ending with NULL. Defined in rebuilders.c. */
extern const struct rebuilder *const rebuilders[];

/* The rebuilder for sessions of this protocol, or NULL. */
const struct rebuilder *rebuilder_find(const struct qs_protocol *protocol);

/* The rebuilder for a session that begins with this packet, which was just decoded; or NULL. */
const struct rebuilder *rebuilder_choose(const struct qs_decoder *decoder,
                                         const struct qs_packet *first);

/* What the user asked for. */
struct demo_options {
    bool force;    /* write demos whose start is missing, as well as that can be done */
    bool sanitize; /* leave out what playback does not need and would carry out: see the manual */
};

/* What became of the session; the rebuilder counts, lists and checks show. */
struct demo_counts {
    uint64_t blocks;   /* written to files */
    uint64_t stripped; /* messages left out, because players stop at them or --sanitize says so */
    uint64_t repaired; /* frames made whole in spite of missing packets */
    uint64_t missing;  /* frames or messages that are not in the demo but were in the game */
};

const struct demo_options *demo_options(const struct demo *demo);
struct demo_counts *demo_counts(struct demo *demo);

/*
 * Begins a file, and ends the one before it: a format that needs a file for each level begins
 * several. It is named after the map that the session is on. Nothing appears on disk before the
 * session's end, or the next file.
 */
void demo_begin(struct demo *demo);

/* A file has begun and was neither ended nor discarded. */
bool demo_has_begun(const struct demo *demo);

/* Adds bytes to the file that was begun last. */
void demo_write(struct demo *demo, const void *data, size_t size);

/* Drops the file that was begun last: it would not play. */
void demo_discard(struct demo *demo);

/*
 * The capture lacks what the demo must begin with; `what` says what, as the end of a sentence ("no
 * svc_serverdata seen"). Returns whether to write all the same. If not, the rebuilder writes
 * nothing until a start comes; the user is told at the session's end if none did.
 */
bool demo_start_missing(struct demo *demo, const char *what);

/*
 * A console command was left out of the demo, as the user wished; counted as stripped, and told by
 * name (printable UTF-8) at the session's end.
 */
void demo_left_out(struct demo *demo, const char *command);

/*
 * Something that the user should know: the demo is not what the client would have recorded.
 * `packet` is where, or NULL. Makes the exit status 1. Of many only the first are kept as text.
 */
void demo_problem(struct demo *demo, const struct qs_packet *packet, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

#endif
