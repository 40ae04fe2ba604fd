/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output of a rebuilder, which calls these functions and knows neither files nor names. The caller
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

/* Contents and losses of a demo. */
struct qs_demo_counts {
    uint64_t blocks;   /* number of blocks written */
    uint64_t stripped; /* messages left out: engines stop at them, or the user excludes them */
    uint64_t repaired; /* frames rebuilt despite missing packets */
    uint64_t missing;  /* frames or messages of the game that are missing from the demo */
};

struct qs_decoder;
struct qs_donor_match;
struct qs_protocol;
struct qs_session;

/* Client that a QWD is for: ezQuake from 3.7 on has its own dem_cmd blocks. */
enum qs_qwd_format { QS_QWD_OF_CLIENT, QS_QWD_CLASSIC, QS_QWD_EZQUAKE_37 };

/* Functions and options of a writer. An implementation begins with this struct and sets both. */
struct qs_demo_writer {
    void (*begin)(struct qs_demo_writer *writer);
    void (*write)(struct qs_demo_writer *writer, const void *data, size_t size);
    void (*discard)(struct qs_demo_writer *writer);
    void (*start_missing)(struct qs_demo_writer *writer, const char *what);
    void (*left_out)(struct qs_demo_writer *writer, const char *command);
    void (*problem)(struct qs_demo_writer *writer, const struct qs_packet *packet, uint64_t amount,
                    const char *text);
    /* Reports that the session's hole has begun or grown: the capture lacks more server packets. */
    void (*hole)(struct qs_demo_writer *writer, const struct qs_packet *packet,
                 const struct qs_hole *hole);
    /* Writes the bytes that remain after --sanitize; `write` then only decodes, and calls it. */
    void (*append)(struct qs_demo_writer *writer, const void *data, size_t size);
    bool sanitized;
    bool no_bytes; /* the output is discarded: `write` may be called with NULL */
    enum qs_qwd_format qwd_format;
    bool is_continuation; /* the session had an earlier demo; this one begins with another level */
    bool begun;           /* a demo has begun and was not discarded */
    bool late;            /* the missing start was reported */
    struct qs_hole reported; /* latest hole that was reported */
    int64_t duration; /* duration of the demo by its own clock (ns); 0 to use the capture's */
    struct qs_demo_counts counts;
};

/* Begins a demo and ends the previous one. Formats with one demo per level begin several. */
void qs_demo_begin(struct qs_demo_writer *writer);

/* Appends bytes to the current demo. */
void qs_demo_write(struct qs_demo_writer *writer, struct qs_view bytes);

/* Drops the current demo, because it would not play. */
void qs_demo_discard(struct qs_demo_writer *writer);

/* Drops the current demo and reports that the session ended before the client's game began. */
void qs_demo_nothing_shown(struct qs_demo_writer *writer);

/* Reports that the capture has no move of the client, whose angles the view needs. */
void qs_demo_never_moved(struct qs_demo_writer *writer);

/*
 * Reports that the capture lacks the start of a demo, in the sentence `what`; NULL means "the
 * capture lacks the beginning of a level". Only the first call reports. Write no demo until the
 * next level starts, because engines would stop.
 */
void qs_demo_start_missing(struct qs_demo_writer *writer, const char *what);

/* Reports a message or command left out at the user's request; `command` is its name in UTF-8. */
void qs_demo_left_out(struct qs_demo_writer *writer, const char *command);

/* Reports that a packet's end was not decoded; it is left out (always if sanitized) or copied. */
void qs_demo_not_decoded(struct qs_demo_writer *writer, const struct qs_packet *packet,
                         bool left_out);

/*
 * Reports why a demo that is rebuilt from a stream ends at this packet: bytes before it were not
 * captured, the stream ends within it, or no PDU begins there. `unit` names the PDU: "block" or
 * "message".
 */
void qs_demo_stream_broken(struct qs_demo_writer *writer, const struct qs_packet *packet,
                           const char *unit);

/*
 * Reports that the capture lacks part of a level's sign-on and no donor exists: what engines can
 * show of the level. Frees `map`, the level's name, which may be NULL.
 */
void qs_demo_level_lost(struct qs_demo_writer *writer, char *map,
                        const struct qs_sign_on_loss *loss);

/* Reports that a donor provides the missing part of the session's level. */
void qs_demo_join_late(struct qs_demo_writer *writer, const struct qs_donor_match *match,
                       const struct qs_protocol *protocol, const struct qs_session *session);

/* Reports server packets that the capture lacks, according to the packet just decoded. */
void qs_demo_count_losses(struct qs_demo_writer *writer, const struct qs_decoder *decoder,
                          const struct qs_packet *packet);

/*
 * Warns that the demo differs from what the client would have recorded. `packet` is the place, or
 * NULL. Problems whose texts differ only in numbers become one line for the user, followed by the
 * demo's times and packets. The text is for players: what is wrong, and what to do.
 */
void qs_demo_problem(struct qs_demo_writer *writer, const struct qs_packet *packet,
                     const char *format, ...) G_GNUC_PRINTF(3, 4);

/* Reports `amount` missing things before the packet. The line ends with their sum: "server packets
 * missing from the capture: 12". */
void qs_demo_missing(struct qs_demo_writer *writer, const struct qs_packet *packet, uint64_t amount,
                     const char *text);

#endif
