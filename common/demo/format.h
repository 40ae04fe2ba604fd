/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Demo formats: the record with all that the plugin and the tool know about a format, and the
 * reader of a demo's blocks. To add a format, write NAME/NAME.c, which reads and writes its blocks,
 * rebuilds demos (or rebuild.c) and makes packets of blocks (or packets.c); add rows for the fields
 * of the framing to the game's fields.def, and a record to common/demo_formats.c.
 */
#ifndef QS_DEMO_FORMAT_H
#define QS_DEMO_FORMAT_H

#include "common/core/decode.h"
#include "common/core/protocol.h"
#include "common/core/writer.h"
#include "common/demo/late_join/late_join.h"
#include "common/demo/writer.h"

/* --- Reading --- */

/* The demo is in memory. If it is cut or damaged, the blocks before the damage are read. */

/* Result of reading the next block. */
enum qs_demo_status {
    QS_DEMO_BLOCK,
    QS_DEMO_LINE,     /* the line before the blocks */
    QS_DEMO_END,      /* no further block */
    QS_DEMO_UNMARKED, /* the demo ends without the end mark that the format requires */
    QS_DEMO_CUT,      /* the demo ends within a block */
    QS_DEMO_BAD       /* no block begins here */
};

struct qs_demo_format;

/* State of a demo's reader. */
struct qs_demo_reader {
    const struct qs_demo_format *format;
    struct qs_reader in;
    struct qs_view block; /* latest block */
    uint64_t number;      /* number of the latest block */
    double time;          /* time of the latest block (s) */
    bool begun;           /* a block was read */
    bool ended;           /* the end mark was read */
    unsigned variant;     /* format variant of the blocks so far, if it has several */
    bool unmarked;        /* demos of this kind have no end mark */
    uint64_t shown;       /* duration of the game's frames so far (ns) */
    bool timed;           /* a block with the level's clock was read */
    double level_time;    /* latest value of the level's clock (s) */
};

struct qs_demo_block {
    uint64_t number;      /* from 1; 0 for the line at the start of a DEM */
    uint32_t offset;      /* offset in the demo */
    struct qs_view bytes; /* bytes of the block with its framing */
};

/* Returns the block as a packet to decode. */
static inline struct qs_packet qs_demo_block_packet(const struct qs_demo_block *block)
{
    return (struct qs_packet){.data = block->bytes.data,
                              .size = block->bytes.size,
                              .wire_size = block->bytes.size,
                              .number = block->number,
                              .from = QS_END_UNKNOWN};
}

void qs_demo_reader_init(struct qs_demo_reader *reader, const struct qs_demo_format *format,
                         struct qs_view demo);

/* Reads the next block, or the line before the blocks; both return QS_DEMO_BLOCK. On any other
 * status the reader does not move. */
enum qs_demo_status qs_demo_next(struct qs_demo_reader *reader, struct qs_demo_block *block);

/* Framing of a block: a length, then that many bytes. The length `end` is the end mark. */
struct qs_demo_framing {
    uint32_t header; /* size of the length in bytes: 2 or 4, little-endian */
    uint32_t max;
    uint32_t end;
};

/*
 * Reads the next block of `in`, without its length; it may be empty. Returns QS_DEMO_END for the
 * length that ends the demo, QS_DEMO_UNMARKED if the file ends without it. `in` moves only on
 * QS_DEMO_BLOCK.
 */
enum qs_demo_status qs_demo_read_framed(struct qs_reader *in, const struct qs_demo_framing *framing,
                                        struct qs_view *block);

/* Implements qs_demo_file.next for such a format; the end mark counts as the last block. */
enum qs_demo_status qs_demo_next_framed(struct qs_demo_reader *reader,
                                        const struct qs_demo_framing *framing);

/* Returns the text of an error for a message to the user; NULL if the status is no error. */
const char *qs_demo_status_text(const struct qs_demo_reader *reader, enum qs_demo_status status);

/*
 * Returns the time of the block that was just decoded, in nanoseconds on the demo's clock, which
 * may begin at any time. QWD stores it in each block; MVD stores the time since the previous block,
 * from 0. DM2 has frames of 100 ms, q2repro's of other lengths; blocks between frames have the time
 * of the frame before. DEM has svc_time; only the time that passes within levels counts, from 0.
 */
int64_t qs_demo_time(struct qs_demo_reader *reader, const struct qs_decoder *decoder);

/* --- Format record --- */

/* Functions that rebuild the demo of one session: create, packet for each packet, finish, free. */
struct qs_demo_rebuilder {
    void *(*create)(struct qs_demo_writer *out);
    /*
     * Begins or continues the demo with a donor's sign-on. The next packets are decoded with
     * `session`, which has the sign-on, too. NULL if the format has no `late_join`.
     */
    void (*join_late)(void *state, const struct qs_donor_match *match, struct qs_session *session);
    /*
     * Handles a packet of either direction, in the order of the capture. `decoder` holds the result
     * of qs_decode(), and decoder->session the session after the packet.
     */
    void (*packet)(void *state, const struct qs_decoder *decoder, const struct qs_packet *packet);
    /* Completes the demo when the session has ended. Not called if the user interrupts. */
    void (*finish)(void *state);
    void (*free)(void *state);
    bool by_level; /* the rebuilder begins a demo for each level */
};

/* Functions that make packets from which the demo could have been recorded. */
struct qs_demo_packet_maker {
    uint16_t port;     /* port of the server */
    size_t state_size; /* size of the state: a pointer to the sender, then zeros at first */
    /* Sends a block that was just decoded. */
    void (*block)(void *state, const struct qs_decoder *decoder, const struct qs_packet *block);
    void (*finish)(void *state); /* called after the last block; or NULL */
};

/* Functions that read and write the blocks of a demo file. */
struct qs_demo_file {
    /* True if a file with these bytes can be of no other format. */
    bool (*recognize)(struct qs_view file);
    /* Moves `reader->in` past the next block, or past the line. */
    enum qs_demo_status (*next)(struct qs_demo_reader *reader);
    /*
     * Returns the time of the block that was just decoded, in seconds. QWD stores it, and it can be
     * any number. reader->time is the time of the previous block.
     */
    double (*seconds)(struct qs_demo_reader *reader, const struct qs_decoder *decoder);
    /*
     * Decodes a block with its framing, for qs_decode_block(). The packet's number is the block's,
     * from 1, or 0 for the line before the blocks.
     */
    void (*decode_block)(struct qs_decoder *decoder);

    /* Appends the end mark of a demo whose last block, with its framing, is `last`. */
    void (*append_end)(GByteArray *out, struct qs_view last);
};

struct qs_demo_format {
    const char *extension; /* "qwd" */
    const struct qs_protocol *protocol;
    bool of_stream; /* true if rebuilt from the protocol's streams, false if from datagrams */
    const struct qs_demo_file *file;
    const struct qs_demo_rebuilder *rebuilder;
    const struct qs_late_join *late_join; /* NULL if late sessions have no donors */
    const struct qs_demo_format
        *donor_for; /* format whose late sessions use its demos; NULL: its own */
    const struct qs_demo_packet_maker *packets; /* NULL if captures cannot be made of them */
};

/* --- Packets of a block ----------------------------------------------------------------------- */

/*
 * Functions with which a format sends the packets of a demo. A handshake comes first, so that
 * readers of the packets recognize the game.
 */

enum {
    QS_DEMO_SEGMENT_MAX = 1460, /* maximum payload of a TCP segment over Ethernet */

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

/* Sends packets at the time of the current block. An implementation begins with this struct. */
struct qs_demo_sender {
    /* Sends a datagram; QS_C2S is to the server. */
    void (*datagram)(struct qs_demo_sender *sender, enum qs_direction direction,
                     struct qs_view datagram);
    void (*segment)(struct qs_demo_sender *sender, enum qs_direction direction,
                    const struct qs_demo_segment *segment);
    GByteArray *packet; /* scratch buffer of the format for the datagram */
};

/* Sends a connectionless packet: four bytes 255 and the text, without its NUL. */
void qs_demo_send_text(struct qs_demo_sender *sender, enum qs_direction direction,
                       const char *text);

/* --- Streams --- */

/* Segments of a TCP connection in which a server streams a demo to a client. Source: RFC 9293. */

/* State of a stream, with which a packet maker's state begins; all but `out` is zeroed. */
struct qs_demo_stream {
    struct qs_demo_sender *out;
    bool open;
    uint32_t client, server; /* next sequence number of each end */
    uint32_t acknowledged;   /* sequence number that the client has acknowledged */
};

/* Opens the connection with the TCP handshake. */
void qs_demo_stream_open(struct qs_demo_stream *stream);

/* Sends the bytes in one segment, from either end. */
void qs_demo_stream_send(struct qs_demo_stream *stream, enum qs_direction direction,
                         struct qs_view bytes);

/* Sends a PDU from the server, in as many segments as needed. */
void qs_demo_stream_pdu(struct qs_demo_stream *stream, struct qs_view pdu);

/* Closes the connection of a struct qs_demo_stream from both ends, if it is open. */
void qs_demo_stream_close(void *data);

#endif
