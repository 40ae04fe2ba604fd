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
 * dem_cmd is a dump of the engine's struct, which grew in ezQuake 3.7: a demo does not declare its
 * form. Engines play only their own form. PROTOCOL.md, section 7.
 */
enum qwd_cmd_form {
    QWD_CMD_CLASSIC = 36,   /* bytes */
    QWD_CMD_EZQUAKE_37 = 40 /* with impulse_pred, and three bytes of padding behind it */
};

enum {
    QWD_HEADER = 5,        /* time and type */
    QWD_PACKET_HEADER = 9, /* and a packet's length */
    QWD_TYPE_MASK = 7,     /* engines look at no other bits of the type */
    QWD_PACKET_MAX = 65535 /* larger is no packet, and no engine reads it */
};

extern const struct qs_demo_file qwd_file;
extern const struct qs_demo_rebuilder qwd_rebuilder;
extern const struct qs_demo_packet_maker qwd_packets;

struct qwd_block {
    float time; /* seconds on the recorder's clock */
    enum qwd_type type;
    union {
        struct {
            enum qwd_cmd_form form;
            struct qw_usercmd cmd; /* its angles rounded to what fits the wire */
            float angles[3];       /* of the command, degrees */
            float viewangles[3];   /* of the view, degrees */
        };
        struct qs_view packet;
        struct {
            uint32_t outgoing, incoming;
        };
    };
};

/*
 * Reads the next block of `in`, which advances only on QS_DEMO_BLOCK. The form of a dem_cmd is the
 * one after which valid blocks follow; if both or neither fit, `usual`: the demo's form so far, or
 * the classic one.
 */
enum qs_demo_status qwd_read_block(struct qs_reader *in, struct qwd_block *block,
                                   enum qwd_cmd_form usual);

/* The same; a dem_cmd has this form. */
enum qs_demo_status qwd_read_block_as(struct qs_reader *in, struct qwd_block *block,
                                      enum qwd_cmd_form form);

/* Decodes a block, with its framing. */
void qwd_decode_block(struct qs_decoder *d);

/* The form of a whole block, if it is a dem_cmd, by its size. */
enum qwd_cmd_form qwd_form_of_block(struct qs_view block);

/* The sizes of whole blocks; of a packet's, without the packet. */
enum { QWD_CMD_BLOCK_MAX = QWD_HEADER + QWD_CMD_EZQUAKE_37, QWD_SET_BLOCK = QWD_HEADER + 8 };

/* Write a block, or its part before a packet, to `at`, which must have room. The view angles of a
 * command are its own, with pitch and roll within 180 degrees. */
void qwd_put_cmd(uint8_t *at, float time, const struct qw_usercmd *cmd, enum qwd_cmd_form form);
void qwd_put_packet_header(uint8_t *at, float time, uint32_t size);

/* Append a block. */
void qwd_append_set(GByteArray *out, float time, uint32_t outgoing, uint32_t incoming);
/* The packet that ends a demo: a connectionless svc_disconnect. Without it engines keep waiting. */
void qwd_append_end(GByteArray *out, float time);

/* --- Messages of the demo's player ------------------------------------------------------------ */

/*
 * What is left out of QuakeWorld's demos, whatever their format: downloads, at which players stop
 * (ezquake ends with Host_Error at svc_download). And what is put in a message's place, if who
 * rebuilds wants that.
 */

struct filter_qw {
    struct qs_demo_writer *out;
    GArray *replacements;  /* of the packet at hand */
    GByteArray *replacing; /* their bytes */
};

void filter_qw_init(struct filter_qw *filter, struct qs_demo_writer *out);
void filter_qw_clear(struct filter_qw *filter);

/* Message number `index` of what was just decoded is to be what is appended to the result from now
 * until the next call of any function here. In the order of messages. */
GByteArray *filter_qw_replace(struct filter_qw *filter, guint index);

/* Whether anything just decoded is left out or replaced. */
bool filter_qw_touches(const struct filter_qw *filter, const struct qs_decoder *decoder);

/*
 * Appends what was just decoded, as it is to be: `content`, which messages' offsets refer to, from
 * its first message at `start` on. Forgets the replacements.
 */
void filter_qw_append(struct filter_qw *filter, const struct qs_decoder *decoder,
                      struct qs_view content, uint32_t start, GByteArray *out);

#endif
