/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QWD, the demo file of QuakeWorld: a plain sequence of blocks, little-endian, without a file
 * header. Source: qwd-format, section 3; common/quakeworld/PROTOCOL.md, section 7.
 *
 *     f32 time, u8 type, then
 *     type 0, dem_cmd:  36 or 40 bytes, the user command that the client sends
 *     type 1, dem_read: i32 length, as many bytes: a packet from the server with its netchan header
 *     type 2, dem_set:  i32 outgoing sequence, i32 incoming sequence
 *
 * A zip archive may follow the last block: see zip_archive.h.
 */
#ifndef QS_DEMO_QWD_QWD_H
#define QS_DEMO_QWD_QWD_H

#include "common/core/decode.h"
#include "common/demo/format.h"
#include "common/demo/writer.h"
#include "common/quakeworld/session.h"

enum qwd_type { QWD_CMD, QWD_READ, QWD_SET };

/*
 * dem_cmd is a dump of the engine's struct, which grew in ezQuake 3.7. A demo does not declare its
 * form, and engines play only their own form. PROTOCOL.md, section 7.
 */
enum qwd_cmd_form {
    QWD_CMD_CLASSIC = 36,   /* size (bytes) */
    QWD_CMD_EZQUAKE_37 = 40 /* with impulse_pred and three bytes of padding */
};

enum {
    QWD_HEADER = 5,        /* size of time and type */
    QWD_PACKET_HEADER = 9, /* size of time, type and a packet's length */
    QWD_TYPE_MASK = 7,     /* engines ignore the other bits of the type */
    QWD_PACKET_MAX = 65535 /* maximum size of a packet; engines read no larger ones */
};

extern const struct qs_demo_file qwd_file;
extern const struct qs_demo_rebuilder qwd_rebuilder;
extern const struct qs_demo_packet_maker qwd_packets;

struct qwd_block {
    float time; /* time on the recorder's clock (s) */
    enum qwd_type type;
    union {
        struct {
            enum qwd_cmd_form form;
            struct qw_usercmd cmd; /* its angles are rounded to the wire format */
            float angles[3];       /* angles of the command (degrees) */
            float viewangles[3];   /* angles of the view (degrees) */
        };
        struct qs_view packet;
        struct {
            uint32_t outgoing, incoming;
        };
    };
};

/*
 * Reads the next block of `in`, which advances only on QS_DEMO_BLOCK. Chooses the form of a dem_cmd
 * after which valid blocks follow; if both or neither fit, `preferred`: the demo's form so far, or
 * the classic one. The packet points into `in`.
 */
enum qs_demo_status qwd_read_block(struct qs_reader *in, struct qwd_block *block,
                                   enum qwd_cmd_form preferred);

/* Like qwd_read_block(), for a known form of dem_cmd. */
enum qs_demo_status qwd_read_block_as(struct qs_reader *in, struct qwd_block *block,
                                      enum qwd_cmd_form form);

/* Decodes a block, with its framing. */
void qwd_decode_block(struct qs_decoder *d);

/* Returns the form of a whole dem_cmd block, by its size. */
enum qwd_cmd_form qwd_form_of_block(struct qs_view block);

enum { QWD_SET_BLOCK = QWD_HEADER + 8 /* size of a whole block */ };

/* Write a block, or its part before a packet, to `at`, which must have room. The view angles are
 * those of the command, with pitch and roll within 180 degrees. */
void qwd_put_cmd(uint8_t *at, float time, const struct qw_usercmd *cmd, enum qwd_cmd_form form);
void qwd_put_packet_header(uint8_t *at, float time, uint32_t size);

/* Appends a dem_set. */
void qwd_append_set(GByteArray *out, float time, uint32_t outgoing, uint32_t incoming);
/* Appends the packet that ends a demo: a connectionless svc_disconnect. Without it engines wait. */
void qwd_append_end(GByteArray *out, float time);
/* True for the packet that qwd_append_end() writes. */
bool qwd_is_end(struct qs_view packet);

/* --- Filter for messages ---------------------------------------------------------------------- */

/*
 * Removes downloads from QuakeWorld's demos of any format, because engines stop at them (ezquake
 * ends with Host_Error at svc_download), and replaces messages for the rebuilder.
 */

struct qw_filter {
    struct qs_demo_writer *out;
    GArray *replacements;  /* replacements in the current packet */
    GByteArray *replacing; /* bytes of the replacements */
};

void qw_filter_init(struct qw_filter *filter, struct qs_demo_writer *out);
void qw_filter_clear(struct qw_filter *filter);

/* Replaces message `index` of the packet just decoded. The caller appends the new message to the
 * returned array, before the next call of any function here. Call it in the order of messages. */
GByteArray *qw_filter_replace(struct qw_filter *filter, guint index);

/* True if a message just decoded is removed or replaced, or if the packet was cut. */
bool qw_filter_touches(const struct qw_filter *filter, const struct qs_decoder *decoder);

/*
 * Appends the filtered messages of the packet just decoded to `out`. `content`: the bytes that
 * message offsets refer to, with the first message at `start`. Forgets the replacements.
 */
void qw_filter_append(struct qw_filter *filter, const struct qs_decoder *decoder,
                      struct qs_view content, uint32_t start, GByteArray *out);

#endif
