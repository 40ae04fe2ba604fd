/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The output of a rebuilder: it calls these functions and never sees a file or a name. The caller
 * of the rebuilder implements them.
 */
#ifndef QS_DEMO_WRITER_H
#define QS_DEMO_WRITER_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/packet.h"
#include "common/core/reader.h"
#include "common/core/session.h"

/* What the demo holds and lacks. */
struct qs_demo_counts {
    uint64_t blocks;   /* written */
    uint64_t stripped; /* messages left out, because players stop at them or the user wants so */
    uint64_t repaired; /* frames made whole in spite of missing packets */
    uint64_t missing;  /* frames or messages that are not in the demo but were in the game */
};

struct qs_decoder;
struct qs_donor_match;
struct qs_protocol;
struct qs_session;

/* The client that a QWD is for: ezQuake from 3.7 on has dem_cmd blocks of its own. */
enum qs_qwd_format { QS_QWD_OF_CLIENT, QS_QWD_CLASSIC, QS_QWD_EZQUAKE_37 };

/* An implementation begins with this struct, fills in the functions and the options. */
struct qs_demo_writer {
    void (*begin)(struct qs_demo_writer *writer);
    void (*write)(struct qs_demo_writer *writer, const void *data, size_t size);
    void (*discard)(struct qs_demo_writer *writer);
    void (*start_missing)(struct qs_demo_writer *writer, const char *what);
    void (*left_out)(struct qs_demo_writer *writer, const char *command);
    void (*problem)(struct qs_demo_writer *writer, const struct qs_packet *packet, uint64_t amount,
                    const char *text);
    /* Server packets are missing in the session's hole, since its beginning or further ones. */
    void (*hole)(struct qs_demo_writer *writer, const struct qs_packet *packet,
                 const struct qs_hole *hole);
    /* With --sanitize, `write` decodes the bytes, and writes what may stay of them by `append`. */
    void (*append)(struct qs_demo_writer *writer, const void *data, size_t size);
    bool sanitized;
    bool no_bytes; /* nobody keeps them: `write` may be called with NULL */
    enum qs_qwd_format qwd_format;
    bool is_continuation; /* the session had a demo before this one, which begins with another level
                           */
    bool begun;           /* a demo has begun and was not discarded */
    bool late;            /* the capture lacks its start: that was reported */
    struct qs_hole reported; /* the last one */
    int64_t duration;        /* of the demo by its own clock, nanoseconds; 0: the capture's */
    struct qs_demo_counts counts;
};

/*
 * Begins a demo, and ends the one before it: a format that needs one for each level begins
 * several.
 */
void qs_demo_begin(struct qs_demo_writer *writer);

/* Adds bytes to the demo that was begun last. */
void qs_demo_write(struct qs_demo_writer *writer, struct qs_view bytes);

/* Drops the demo that was begun last: it would not play. */
void qs_demo_discard(struct qs_demo_writer *writer);

/* The session is over before its client was shown anything: the demo that was begun last is
 * dropped, and the reason is reported. */
void qs_demo_nothing_shown(struct qs_demo_writer *writer);

/* Reports that the capture has no move, of which the view needs the angles. */
void qs_demo_never_moved(struct qs_demo_writer *writer);

/*
 * The capture lacks what the demo must begin with; `what` says so in a sentence; NULL: "the capture
 * lacks the beginning of a level". A player would stop at what comes before the next start: nothing
 * is to be written of it. Only the first call reports it.
 */
void qs_demo_start_missing(struct qs_demo_writer *writer, const char *what);

/* A message or console command was left out at the user's request; `command` is its name, UTF-8. */
void qs_demo_left_out(struct qs_demo_writer *writer, const char *command);

/* The packet was not decoded to its end. What is left of it is in the demo as it came, or is left
 * out, as always with --sanitize. */
void qs_demo_not_decoded(struct qs_demo_writer *writer, const struct qs_packet *packet,
                         bool left_out);

/*
 * A demo that is rebuilt of a stream ends with this packet: bytes before it were not captured, the
 * stream ends within it, or no unit begins there. `unit`: "block", "message".
 */
void qs_demo_stream_broken(struct qs_demo_writer *writer, const struct qs_packet *packet,
                           const char *unit);

/*
 * Reports that the capture lacks part of a level's sign-on, and that there is no donor: whether
 * players can show the level, and how far. `map`: the level's, which is freed, or NULL.
 */
void qs_demo_level_lost(struct qs_demo_writer *writer, char *map,
                        const struct qs_sign_on_loss *loss);

/* A donor provides what the capture lacks of the session's level. */
void qs_demo_join_late(struct qs_demo_writer *writer, const struct qs_donor_match *match,
                       const struct qs_protocol *protocol, const struct qs_session *session);

/* Reports server packets that the capture lacks, as the packet, just decoded, shows. */
void qs_demo_count_losses(struct qs_demo_writer *writer, const struct qs_decoder *decoder,
                          const struct qs_packet *packet);

/*
 * A warning: the demo differs from what the client would have recorded. `packet` is where, or NULL.
 * The user sees one line of all problems whose texts differ only in their numbers, with the times
 * of the demo and the packets behind; so the text is what a player understands: what is wrong for
 * him, and what he can do.
 */
void qs_demo_problem(struct qs_demo_writer *writer, const struct qs_packet *packet,
                     const char *format, ...) G_GNUC_PRINTF(3, 4);

/* So many things are missing before the packet: the line ends with the number of all, as in "server
 * packets missing from the capture: 12". */
void qs_demo_missing(struct qs_demo_writer *writer, const struct qs_packet *packet, uint64_t amount,
                     const char *text);

#endif
