/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Demo formats: the record with all that the plugin and the tool know about one, and the reader of
 * a demo's blocks. To add a format, write NAME/NAME.c, which reads, writes, rebuilds and sends its
 * blocks (longer rebuilders have a rebuild.c), rows of the framing's fields in the game's
 * fields.def, and a record in common/demo_formats.c, which names the parts.
 */
#ifndef QS_DEMO_FORMAT_H
#define QS_DEMO_FORMAT_H

#include "common/core/decode.h"
#include "common/core/protocol.h"
#include "common/core/writer.h"
#include "common/demo/late_join/late_join.h"
#include "common/demo/writer.h"

/* --- Reading. The demo is in memory. If it is cut or damaged, the blocks before that are read. */

/* The result of reading the next block. */
enum qs_demo_status {
    QS_DEMO_BLOCK,
    QS_DEMO_LINE,     /* what stands before the blocks */
    QS_DEMO_END,      /* there is no further block */
    QS_DEMO_UNMARKED, /* the demo ends where the format wants a mark */
    QS_DEMO_CUT,      /* the demo ends within a block */
    QS_DEMO_BAD       /* no block is there */
};

struct qs_demo_format;

/* The state of a demo's reader. */
struct qs_demo_reader {
    const struct qs_demo_format *format;
    struct qs_reader in;
    struct qs_view block; /* the last */
    uint64_t number;      /* of it */
    double time;          /* of it, in seconds */
    bool begun;           /* something was read */
    bool ended;           /* the end mark was */
    unsigned variant;     /* of the format, if it has several: which the blocks so far were */
    bool unmarked;        /* demos of this kind have no end mark */
    uint64_t frames;      /* of the game, so far */
    bool timed;           /* the level's clock was seen */
    double level_time;    /* its last value, in seconds */
};

struct qs_demo_block {
    uint64_t number;      /* from 1; 0: the line that a DEM begins with */
    uint32_t offset;      /* in the demo */
    struct qs_view bytes; /* with its framing */
};

void qs_demo_reader_init(struct qs_demo_reader *reader, const struct qs_demo_format *format,
                         struct qs_view demo);

/* The next block; QS_DEMO_BLOCK also for the line. On any other status the reader stays. */
enum qs_demo_status qs_demo_next(struct qs_demo_reader *reader, struct qs_demo_block *block);

/* How a demo frames its blocks: a length, then as many bytes. A length alone ends the demo. */
struct qs_demo_framing {
    uint32_t header; /* bytes of the length: 2 or 4, little-endian */
    uint32_t max;
    uint32_t end;
};

/*
 * The next block of `in`, without its length; it may be empty. QS_DEMO_END: the length that ends
 * the demo; QS_DEMO_UNMARKED: the file ends without it. `in` only moves on QS_DEMO_BLOCK.
 */
enum qs_demo_status qs_demo_read_framed(struct qs_reader *in, const struct qs_demo_framing *framing,
                                        struct qs_view *block);

/* For `next` of such a format: the length that ends the demo is a block, the last. */
enum qs_demo_status qs_demo_next_framed(struct qs_demo_reader *reader,
                                        const struct qs_demo_framing *framing);

/* What is wrong, for a message; NULL for a status that is none of the bad ones. */
const char *qs_demo_status_text(const struct qs_demo_reader *reader, enum qs_demo_status status);

/*
 * The time of the block that was just read and decoded, in nanoseconds on the demo's clock, which
 * begins anywhere. QWD has it in each block, MVD what passed since the block before, from 0. DM2
 * has frames of 100 ms; what comes between them has the time of the frame before. DEM has svc_time,
 * of which what passes within levels is counted, from 0.
 */
int64_t qs_demo_time(struct qs_demo_reader *reader, const struct qs_decoder *decoder);

/* --- The record */

/* Rebuilds the demo of one session: create, a call for each packet, finish, free. */
struct qs_demo_rebuilder {
    void *(*create)(struct qs_demo_writer *out);
    /*
     * Begins or continues the demo with a donor's sign-on. The next packets are decoded with
     * `session`, which has it, too. NULL where the format has no `late_join`.
     */
    void (*join_late)(void *state, const struct qs_donor_match *match, struct qs_session *session);
    /*
     * A packet of either direction, in the capture's order; `decoder` holds what qs_decode() made
     * of it, and decoder->session the session behind it.
     */
    void (*packet)(void *state, const struct qs_decoder *decoder, const struct qs_packet *packet);
    /* The session is over. Not called where the user broke off. */
    void (*finish)(void *state);
    void (*free)(void *state);
    bool by_level; /* it begins a demo for each level by itself */
};

/* Makes packets from which the demo could have been recorded. */
struct qs_demo_packet_maker {
    uint16_t port;     /* of the server */
    size_t state_size; /* of its state, which begins with a pointer to the sender; the rest is 0 */
    /* A block, after its decode. */
    void (*block)(void *state, const struct qs_decoder *decoder, const struct qs_packet *block);
    void (*finish)(void *state); /* behind the last block; or NULL */
};

/* How a demo file stores its blocks. */
struct qs_demo_file {
    /* Whether a file with these bytes can be nothing else. */
    bool (*recognize)(struct qs_view file);
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
};

struct qs_demo_format {
    const char *extension; /* "qwd" */
    const struct qs_protocol *protocol;
    bool of_stream; /* it is rebuilt of the protocol's streams, not of its datagrams */
    const struct qs_demo_file *file;
    const struct qs_demo_rebuilder *rebuilder;
    const struct qs_late_join *late_join; /* NULL: sessions that begin late have no donors */
    const struct qs_demo_format
        *donor_for; /* for whose sessions its demos are donors; NULL: its own */
    const struct qs_demo_packet_maker *packets; /* NULL: no capture can be made of its demos */
};

/* --- Packets of a block ----------------------------------------------------------------------- */

/*
 * Makes packets of demos: the functions with which a format sends. A handshake comes first, so that
 * readers of the packets recognize the game.
 */

enum {
    QS_DEMO_SEGMENT_MAX = 1460, /* what TCP sends at once over Ethernet */

    /* Flags of TCP. Source: RFC 9293, section 3.1. */
    QS_DEMO_FIN = 0x01,
    QS_DEMO_SYN = 0x02,
    QS_DEMO_ACK = 0x10
};

struct qs_demo_segment {
    uint32_t sequence, acknowledged;
    uint8_t flags;
    struct qs_view payload;
};

/* An implementation begins with this struct. It sends at the time of the block at hand. */
struct qs_demo_sender {
    /* QS_C2S: to the server. */
    void (*datagram)(struct qs_demo_sender *sender, enum qs_direction direction,
                     struct qs_view datagram);
    void (*segment)(struct qs_demo_sender *sender, enum qs_direction direction,
                    const struct qs_demo_segment *segment);
    GByteArray *packet; /* scratch: the datagram that the format makes */
};

/* A connectionless packet: four bytes 255 and the text, without its NUL. */
void qs_demo_send_text(struct qs_demo_sender *sender, enum qs_direction direction,
                       const char *text);

/*
 * --- Streams: the segments of a TCP connection in which a server streams a demo to a client.
 * Source: RFC 9293.
 */

/* The state of a stream format's packet maker begins with it; zeroed except for `out`. */
struct qs_demo_stream {
    struct qs_demo_sender *out;
    bool open;
    uint32_t client, server; /* numbers of the bytes that either sends next */
    uint32_t acknowledged;   /* by the client */
};

/* The handshake. */
void qs_demo_stream_open(struct qs_demo_stream *stream);

/* What either end sends, in one segment. */
void qs_demo_stream_send(struct qs_demo_stream *stream, enum qs_direction direction,
                         struct qs_view bytes);

/* A unit that the server sends, in as many segments as it needs. */
void qs_demo_stream_unit(struct qs_demo_stream *stream, struct qs_view unit);

/* Both ends close the connection of a struct qs_demo_stream, where it is open. */
void qs_demo_stream_close(void *data);

#endif
