/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The decoder: reads values off a packet, tells the sink about them, keeps the session up to date.
 *
 * A parse function reads as its document does, one call a value, in wire order:
 *
 *     static void read_damage(struct qs_decoder *d)
 *     {
 *         qs_u8(d, QW_DAMAGE_ARMOR);
 *         qs_u8(d, QW_DAMAGE_HEALTH);
 *         qs_coord3(d, QW_DAMAGE_ORIGIN);
 *     }
 *
 * The name of the function says what is on the wire, the field's row how it is shown. Each returns
 * the value (0 after an overrun, see reader.h). Without a sink only reading remains.
 */
#ifndef QS_CORE_DECODER_H
#define QS_CORE_DECODER_H

#include <glib.h>

#include "common/core/packet.h"
#include "common/core/protocol.h"
#include "common/core/reader.h"
#include "common/core/session.h"
#include "common/core/sink.h"
#include "common/core/transfer.h"

/* How the session in force writes coordinates and angles. */
enum qs_coord_format {
    QS_COORD_SHORT,  /* i16, 1/8 unit */
    QS_COORD_WHOLE,  /* i16, units */
    QS_COORD_24BIT,  /* i16 units, u8 1/255 unit */
    QS_COORD_INT32,  /* i32, 1/16 unit */
    QS_COORD_FLOAT32 /* float, units */
};

enum qs_angle_format {
    QS_ANGLE_BYTE,   /* i8, 360/256 degrees */
    QS_ANGLE_SHORT,  /* i16, 360/65536 degrees */
    QS_ANGLE_FLOAT32 /* float, degrees */
};

/* A message of the packet, as rebuilders need it: where it stands and what it is. */
struct qs_message {
    uint32_t offset; /* of its id byte, in the payload (or in the innermost source) */
    uint32_t length; /* with the id */
    uint16_t id;
    uint8_t source; /* 0: the payload itself; else how deep in sources it stands */
};

enum { QS_SOURCES_MAX = 4 };

/*
 * A packet may announce that its server goes on from another port. Whoever sorts packets into
 * conversations then gives the one between these two addresses to the same protocol, whatever its
 * bytes look like: a session of its own, `server` set to the end that has the address `server` when
 * the first packet of it comes. Servers repeat themselves: a session that has begun and is not
 * disconnected stays.
 */
struct qs_announcement {
    bool valid;
    struct qs_address server, client;
};

struct qs_decoder {
    /* Set by the caller of qs_decode(); may change between packets. */
    const struct qs_protocol *protocol;
    struct qs_session *session;
    struct qs_sink *sink;    /* or NULL */
    const uint32_t *options; /* one value for each of the protocol's options; NULL: the defaults */
    bool want_summary;       /* fill `summary` */
    bool want_transfers;     /* fill `transfers` */

    /* Valid during a decode. */
    const struct qs_packet *packet;
    struct qs_reader in;
    bool fields_wanted; /* the sink has an ear for fields */
    bool stop;          /* a message asked that the message loop end, with a note given */
    bool probing;       /* a trial run: nothing is kept */
    enum qs_coord_format coord_format;
    enum qs_angle_format angle_format;
    uint8_t id_mask; /* the bits of a message's first byte that are its id; usually all */
    unsigned source_depth;
    struct qs_reader outer[QS_SOURCES_MAX];
    uint32_t origin;          /* what sinks hear as the offset of the payload's first byte */
    struct qs_packet payload; /* of a block of a demo or stream: the packet or the messages in it */

    /* What came of the packet; valid until the next qs_decode(). */
    enum qs_direction direction;
    bool connectionless;
    bool accepted; /* a netchan packet that its receiver takes: not stale, not a duplicate */
    uint32_t sequence, acknowledged; /* of its netchan header, without the reliable bit */
    GArray *messages;                /* struct qs_message */
    struct qs_announcement announced;
    GArray *transfers;             /* struct qs_transfer: what it tells of files sent */
    GString *summary;              /* one line, UTF-8: "S→C seq 7 ack 5: playerinfo×3, sound" */
    uint32_t notes[QS_NOTE_KINDS]; /* how many of each */
    uint32_t undecoded;            /* bytes that nothing decoded */
    uint32_t problems;             /* notes that fail a check, and undecoded bytes as one */

    GArray *summary_items; /* messages in `summary`, before it is put together */
};

/* `protocol` may not change later. Free what it holds with qs_decoder_clear(). */
void qs_decoder_init(struct qs_decoder *decoder, const struct qs_protocol *protocol);
void qs_decoder_clear(struct qs_decoder *decoder);

/*
 * Decodes one packet in `session`, which is updated, and tells `sink` (may be NULL). The packet's
 * bytes need to live only as long as the call.
 */
void qs_decode(struct qs_decoder *decoder, struct qs_session *session, struct qs_sink *sink,
               const struct qs_packet *packet);

/*
 * The same for one unit of a stream (packet->unit is not 0), in the stream's order. Messages in
 * `decoder->messages` count in `decoder->payload` where the unit frames them. Only for protocols
 * that have `decode_unit`.
 */
void qs_decode_unit(struct qs_decoder *decoder, struct qs_session *session, struct qs_sink *sink,
                    const struct qs_packet *unit);

/*
 * The same for server messages that stand alone, without a packet's header: a block of a demo file.
 * Only for protocols that have `decode_server_messages`.
 */
void qs_decode_server_messages(struct qs_decoder *decoder, struct qs_session *session,
                               struct qs_sink *sink, const struct qs_packet *block);

/*
 * A block of a demo file, with its framing: the packet, messages or command in it. `format` is one
 * of the protocol's. `offset` is where the block stands in its file: sinks hear all offsets as
 * offsets in the file. Messages in `decoder->messages` still count in what the framing holds,
 * `decoder->payload`.
 */
void qs_decode_demo_block(struct qs_decoder *decoder, const struct qs_demo_format *format,
                          struct qs_session *session, struct qs_sink *sink,
                          const struct qs_packet *block, uint32_t offset);

/* Problems found in the last packet: notes that fail a check, and undecoded bytes. */
uint32_t qs_decoder_problems(const struct qs_decoder *decoder);

/* The value of the protocol's option number `index`. */
uint32_t qs_option(const struct qs_decoder *d, unsigned index);

/* --- Saying things to the sink: used by the readers below and for derived or textual values. */

/*
 * Tell the sink of a value and of its parts, the rows with a mask behind it; nothing after an
 * overrun. Only where `fields_wanted`: the functions below look before they call these, so that a
 * decode without a sink does not pay for it.
 */
void qs_emit_value_uint(struct qs_decoder *d, unsigned id, uint32_t offset, uint32_t length,
                        bool generated, uint64_t value);
void qs_emit_value_int(struct qs_decoder *d, unsigned id, uint32_t offset, uint32_t length,
                       bool generated, int64_t value);
void qs_emit_value_double(struct qs_decoder *d, unsigned id, uint32_t offset, uint32_t length,
                          bool generated, double value);
void qs_emit_value_bytes(struct qs_decoder *d, unsigned id, uint32_t offset, uint32_t length,
                         bool generated, struct qs_view value);

static inline void qs_emit_uint(struct qs_decoder *d, unsigned id, uint32_t offset, uint32_t length,
                                uint64_t value)
{
    if (d->fields_wanted)
        qs_emit_value_uint(d, id, offset, length, false, value);
}

static inline void qs_emit_int(struct qs_decoder *d, unsigned id, uint32_t offset, uint32_t length,
                               int64_t value)
{
    if (d->fields_wanted)
        qs_emit_value_int(d, id, offset, length, false, value);
}

static inline void qs_emit_double(struct qs_decoder *d, unsigned id, uint32_t offset,
                                  uint32_t length, double value)
{
    if (d->fields_wanted)
        qs_emit_value_double(d, id, offset, length, false, value);
}

/* For QS_TEXT, QS_BYTES and addresses. */
static inline void qs_emit_bytes(struct qs_decoder *d, unsigned id, uint32_t offset,
                                 uint32_t length, struct qs_view value)
{
    if (d->fields_wanted)
        qs_emit_value_bytes(d, id, offset, length, false, value);
}

/* Derived values: shown as generated, pointing at the bytes that they were derived from. */
static inline void qs_emit_generated_uint(struct qs_decoder *d, unsigned id, uint32_t offset,
                                          uint32_t length, uint64_t value)
{
    if (d->fields_wanted)
        qs_emit_value_uint(d, id, offset, length, true, value);
}

static inline void qs_emit_generated_int(struct qs_decoder *d, unsigned id, uint32_t offset,
                                         uint32_t length, int64_t value)
{
    if (d->fields_wanted)
        qs_emit_value_int(d, id, offset, length, true, value);
}

static inline void qs_emit_generated_double(struct qs_decoder *d, unsigned id, uint32_t offset,
                                            uint32_t length, double value)
{
    if (d->fields_wanted)
        qs_emit_value_double(d, id, offset, length, true, value);
}

static inline void qs_emit_generated_bytes(struct qs_decoder *d, unsigned id, uint32_t offset,
                                           uint32_t length, struct qs_view value)
{
    if (d->fields_wanted)
        qs_emit_value_bytes(d, id, offset, length, true, value);
}

/* `text` is raw Quake text as kept in sessions; NULL: nothing is said. */
void qs_emit_generated_text(struct qs_decoder *d, unsigned id, uint32_t offset, uint32_t length,
                            const char *text);

/* Opens a group at the next byte; closes the innermost one behind the last byte read. */
void qs_open(struct qs_decoder *d, unsigned id);
void qs_close(struct qs_decoder *d);
/* The same with explicit borders, for texts. */
void qs_open_at(struct qs_decoder *d, unsigned id, uint32_t offset);
void qs_close_at(struct qs_decoder *d, uint32_t end);

/* Adds to the title of the innermost open group; after an overrun nothing. */
void qs_label(struct qs_decoder *d, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* The same with raw Quake text, made readable and cut to a title's length. */
void qs_label_text(struct qs_decoder *d, const char *before, struct qs_view text,
                   const char *after);

void qs_note(struct qs_decoder *d, enum qs_note kind, uint32_t offset, uint32_t length,
             const char *format, ...) G_GNUC_PRINTF(5, 6);

/* Adds to the packet's summary: to the message named last, or before any message to its beginning.
 */
void qs_summary(struct qs_decoder *d, const char *format, ...) G_GNUC_PRINTF(2, 3);
void qs_summary_text(struct qs_decoder *d, const char *before, struct qs_view text,
                     const char *after);
/* Adds a message's name. Messages of one name are counted, "playerinfo×3", but for those with text.
 */
void qs_summary_message(struct qs_decoder *d, const char *name);

/* --- Readers */

/* The next value without reading it; 0 where fewer bytes are left. */
static inline uint16_t qs_peek_u16(const struct qs_decoder *d)
{
    return qs_reader_left(&d->in) >= 2 ? qs_le16(d->in.data + d->in.pos) : 0;
}

static inline uint32_t qs_peek_u32(const struct qs_decoder *d)
{
    return qs_reader_left(&d->in) >= 4 ? qs_le32(d->in.data + d->in.pos) : 0;
}

static inline uint8_t qs_u8(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const uint8_t value = qs_reader_u8(&d->in);

    qs_emit_uint(d, id, at, 1, value);
    return value;
}

static inline uint16_t qs_u16(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const uint16_t value = qs_reader_u16(&d->in);

    qs_emit_uint(d, id, at, 2, value);
    return value;
}

static inline uint32_t qs_u32(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const uint32_t value = qs_reader_u32(&d->in);

    qs_emit_uint(d, id, at, 4, value);
    return value;
}

static inline uint16_t qs_u16be(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const uint16_t value = qs_reader_u16be(&d->in);

    qs_emit_uint(d, id, at, 2, value);
    return value;
}

static inline uint32_t qs_u32be(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const uint32_t value = qs_reader_u32be(&d->in);

    qs_emit_uint(d, id, at, 4, value);
    return value;
}

static inline int8_t qs_i8(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const int8_t value = (int8_t)qs_reader_u8(&d->in);

    qs_emit_int(d, id, at, 1, value);
    return value;
}

/* A byte without a sign, for a row of signed numbers: other messages have a sign there. */
static inline uint8_t qs_unsigned_byte(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const uint8_t value = qs_reader_u8(&d->in);

    qs_emit_int(d, id, at, 1, value);
    return value;
}

static inline int16_t qs_i16(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const int16_t value = (int16_t)qs_reader_u16(&d->in);

    qs_emit_int(d, id, at, 2, value);
    return value;
}

static inline int32_t qs_i32(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const int32_t value = (int32_t)qs_reader_u32(&d->in);

    qs_emit_int(d, id, at, 4, value);
    return value;
}

static inline float qs_f32(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const float value = qs_float_of_bits(qs_reader_u32(&d->in));

    qs_emit_double(d, id, at, 4, (double)value);
    return value;
}

/* A u8 that counts in steps of `scale` (volume: 1/255, attenuation: 1/64). Returns the raw byte. */
uint8_t qs_scaled_u8(struct qs_decoder *d, unsigned id, double scale);
/* An i8 or i16 in steps of `scale`. Returns the raw value. */
int8_t qs_scaled_i8(struct qs_decoder *d, unsigned id, double scale);
int16_t qs_scaled_i16(struct qs_decoder *d, unsigned id, double scale);

/* A coordinate or angle in the session's format; the value in units or degrees. */
double qs_coord(struct qs_decoder *d, unsigned id);
double qs_angle(struct qs_decoder *d, unsigned id);
/* Angles of a fixed width. They return the raw value. */
int8_t qs_angle8(struct qs_decoder *d, unsigned id);
int16_t qs_angle16(struct qs_decoder *d, unsigned id);
/* Three in a row; `id` is the group's row (VEC3 or ANGLES). */
void qs_coord3(struct qs_decoder *d, unsigned id);
void qs_angle3(struct qs_decoder *d, unsigned id);

/* A NUL-terminated text; the field's length includes the NUL. */
struct qs_view qs_text(struct qs_decoder *d, unsigned id);
/* `size` bytes as they are. */
struct qs_view qs_bytes(struct qs_decoder *d, unsigned id, uint32_t size);
/* `size` bytes that are text without a NUL. */
struct qs_view qs_text_sized(struct qs_decoder *d, unsigned id, uint32_t size);
/* All that is left in the packet, as bytes nothing decoded; or only up to offset `end`. */
void qs_undecoded(struct qs_decoder *d);
void qs_undecoded_to(struct qs_decoder *d, uint32_t end);

/* --- The message loop */

struct qs_message_type {
    const char *name;                   /* "svc_playerinfo" */
    const char *brief;                  /* for the summary, "playerinfo" */
    unsigned group;                     /* the row under which its fields stand */
    void (*read)(struct qs_decoder *d); /* after the id; NULL: obsolete, nobody can read it */
};

/* Finds the type of message `id`, or NULL. May look at the session. */
typedef const struct qs_message_type *qs_message_lookup(const struct qs_decoder *d, uint32_t id);

/*
 * Reads messages to the end of the current source: for each a group, in it the id (row `id_row`)
 * and what its `read` reads. Ends at the first message that is unknown, runs past the end, or sets
 * `stop`; the rest is then reported as undecoded.
 */
void qs_read_messages(struct qs_decoder *d, unsigned id_row, qs_message_lookup *lookup);

/* --- Other byte ranges */

/*
 * From here on reads come from `data`, until qs_pop_source(). Returns false, and reads on where it
 * was, when sources are nested too deep.
 */
bool qs_push_source(struct qs_decoder *d, const char *title, const uint8_t *data, uint32_t size);
void qs_pop_source(struct qs_decoder *d);

/*
 * The framing of a demo's block is read: what is left of it is the payload, which parse functions
 * shall see as a packet by itself. Its bytes stay in the sinks' eyes where they are.
 */
void qs_enter_payload(struct qs_decoder *d);

/* --- Trials */

/*
 * Whether `read` finds no problem in what is left of the source, with the knowledge of `session`
 * (the decoder's own, or one that differs from it in what is to be found out). Leaves no trace.
 */
bool qs_is_readable(const struct qs_decoder *d, const struct qs_session *session,
                    void (*read)(struct qs_decoder *));

/* --- Direction */

/*
 * Tries the packet both ways, without a trace, and returns the one that decodes without a problem;
 * unknown when that is both or neither.
 */
enum qs_direction qs_probe_direction(struct qs_decoder *d);

/* Records who is the server, from the direction of the packet at hand. */
void qs_learn_direction(struct qs_decoder *d, enum qs_direction direction);

#endif
