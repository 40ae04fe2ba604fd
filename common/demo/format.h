/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The record of a demo format: all that the plugin and the tool know about it. Adding one is a
 * NAME.c that defines one of these and reads and writes blocks, a NAME_rebuild.c, a NAME_packets.c
 * (or both in NAME.c, where they are short), rows of the framing's fields in the game's fields.def,
 * and a row in formats.c.
 */
#ifndef QS_DEMO_FORMAT_H
#define QS_DEMO_FORMAT_H

#include "common/core/protocol.h"
#include "common/demo/packets.h"
#include "common/demo/reader.h"
#include "common/demo/late_join/sign_on.h"
#include "common/demo/writer.h"

/* Rebuilds the demo of one session: create, a call for each packet, finish, free. */
struct qs_demo_rebuilder {
    void *(*create)(struct qs_demo_writer *out);
    /*
     * Begins the demo with a lent sign-on, or goes on with it. The packets to come are decoded with
     * `session`, which has it, too. NULL where the format has no `late_join`.
     */
    void (*join_late)(void *state, const struct qs_donor_match *borrower,
                      struct qs_session *session);
    /*
     * A packet of either direction, in the capture's order; `decoder` holds what qs_decode() made
     * of it, and decoder->session the session behind it.
     */
    void (*packet)(void *state, const struct qs_decoder *decoder, const struct qs_packet *packet);
    /*
     * For sessions that are recorded as they go on, to be called every second or so: writes what
     * was held back at the last call already, in case that it had to be changed. NULL: nothing ever
     * is.
     */
    void (*settle)(void *state);
    /* The session is over. Not called where the user broke off. */
    void (*finish)(void *state);
    void (*free)(void *state);
    bool by_level; /* it begins a demo for each level by itself */
};

/* Makes the packets that a demo could have been recorded from. */
struct qs_demo_packet_maker {
    uint16_t port;     /* of the server */
    size_t state_size; /* of its state, which begins with a pointer to the sender; the rest is 0 */
    /* A block, after its decode. */
    void (*block)(void *state, const struct qs_decoder *decoder, const struct qs_packet *block);
    void (*finish)(void *state); /* behind the last block; or NULL */
};

struct qs_demo_format {
    const char *extension; /* "qwd" */
    const struct qs_protocol *protocol;
    bool of_stream; /* it is rebuilt of the protocol's streams, not of its datagrams */

    /* Whether a file with these bytes can be nothing else. */
    bool (*recognise)(struct qs_view file);
    /* Moves `reader->in` behind the next block, or the line. */
    enum qs_demo_status (*next)(struct qs_demo_reader *reader);
    /*
     * The time of the block that was just decoded, in seconds; QWD stores it, and it can be any
     * number. reader->time is that of the block before.
     */
    double (*seconds)(struct qs_demo_reader *reader, const struct qs_decoder *decoder);
    /*
     * Decodes a whole block, framing and all; the packet's number is the block's, from 1, or 0 for
     * what stands before the blocks. For qs_decode_block().
     */
    void (*decode_block)(struct qs_decoder *decoder);

    /* Appends what ends a demo whose last block is `last`, with its framing. */
    void (*append_end)(GByteArray *out, struct qs_view last);

    const struct qs_demo_rebuilder *rebuilder;
    const struct qs_late_join *late_join;   /* NULL: sessions that begin late are lent nothing */
    const struct qs_demo_format *donor_for; /* whose sessions its demos lend to; NULL: its own */
    const struct qs_demo_packet_maker *packets;
};

/* All formats, the strictest to recognise first, ending with NULL. Defined in formats.c. */
extern const struct qs_demo_format *const qs_demo_formats[];

/* The length of a file's name without what a compression adds to it: of "x.dm2" in "x.dm2.gz". */
size_t qs_unpacked_name_length(const char *name);

/* The format of a file with these bytes, or by its name ("x.dm2", "x.dm2.gz"); or NULL. */
const struct qs_demo_format *qs_demo_format_of_content(struct qs_view file);
const struct qs_demo_format *qs_demo_format_of_name(const char *name);

/* What sessions of the protocol are rebuilt as, those over datagrams or streams; or NULL. */
const struct qs_demo_format *qs_demo_format_of(const struct qs_protocol *protocol, bool stream);

#endif
