/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages of Acknex: session, fields, bytecodes, readers, kinds of number. */
#ifndef ACKNEX_DECODE_H
#define ACKNEX_DECODE_H

#include "common/core/containers.h"
#include "common/core/decode.h"
#include "common/core/field.h"
#include "common/core/protocol.h"
#include "common/core/session.h"

/* --- The session ------------------------------------------------------------------------------ */

/*
 * Acknex, the engine of 3D GameStudio: the protocol record, and the state of a session. Source:
 * acknex-protocol, the manual's description. PROTOCOL.md documents what the manual leaves open.
 */

enum acknex_text {
    ACKNEX_TEXT_PLAYER = 1, /* name in CLS_JOIN */
    ACKNEX_TEXT_LEVEL       /* file name in CLS_LEVEL */
};

/* Texts are stored as on the wire. Negative indices, and those beyond a table's limit, are
 * ignored. */
struct acknex_session {
    struct qs_session base;
    struct qs_table texts;     /* by enum acknex_text */
    struct qs_table requested; /* file names by identifier, for each CLS_CREATE without an answer */
    struct qs_table files;     /* file names by entity index */
    struct qs_table players;   /* players' names, by index of the entity that they created */

    int16_t updated; /* entity of the update that is being read */
};

static inline struct acknex_session *acknex_session_of(const struct qs_decoder *d)
{
    return (struct acknex_session *)d->session;
}

/* Functions of the protocol record. */
void acknex_session_init(struct qs_session *session);
void acknex_session_copy(struct qs_session *to, const struct qs_session *from);
void acknex_session_clear(struct qs_session *session);
bool acknex_session_shares(const struct qs_session *a, const struct qs_session *b);
void acknex_session_describe(const struct qs_session *session, struct qs_description *description);

/* Registers that a client joins, and drops the state of an earlier connection. The client repeats
 * its request for the same connection until the server answers (svc_info). */
void acknex_session_join(struct acknex_session *session, struct qs_view player);

/* Registers that the client has loaded a level, and drops the entities of another level. */
void acknex_session_begin_level(struct acknex_session *session, struct qs_view level);

/* Indices of the protocol's options. */
enum acknex_option { ACKNEX_POS_RESOLUTION, ACKNEX_ANGLE_BYTE_ORDER, ACKNEX_OPTION_COUNT };

/* Format of a CPosition: the engine's variable of the same name. */
enum acknex_pos_resolution {
    ACKNEX_POS_PACKED, /* three bytes a coordinate, in units of 1/128 quant */
    ACKNEX_POS_FIXED   /* four bytes, in units of 1/1024 quant */
};

enum acknex_angle_byte_order {
    ACKNEX_ANGLE_BIG_ENDIAN, /* as in the manual's worked example */
    ACKNEX_ANGLE_INTEL       /* as in the manual's definition of a Short */
};

/* True for packets of Acknex alone: safe on any port, if the user asks for that. See protocol.c. */
bool acknex_recognize(const struct qs_protocol *protocol, const struct qs_packet *packet);

extern const struct qs_protocol acknex_protocol;

/* Fields by number: one enumerator for each row of fields.def. */
enum acknex_field {
#define QS_ROWS_ENUM
#include "common/core/field_rows.h"
#include "common/acknex/fields.def"
#include "common/core/field_rows.h"
    ACKNEX_FIELD_COUNT
};

extern const struct qs_field acknex_fields[ACKNEX_FIELD_COUNT];

/* clang-format off */
enum acknex_cls {
#define CLS(id, number, name, brief, read, blurb) CLS_##id = number,
#include "common/acknex/messages.def"
};

enum acknex_svc {
#define SVC(id, number, name, brief, read, blurb) SVC_##id = number,
#include "common/acknex/messages.def"
};
/* clang-format on */

/* Return the message of bytecode `id` that the client or the server sends, or NULL. */
const struct qs_message_type *acknex_client_message(uint32_t id);
const struct qs_message_type *acknex_server_message(uint32_t id);

/* Messages that both sides send. */
void acknex_read_var(struct qs_decoder *d);
void acknex_read_string(struct qs_decoder *d);
void acknex_read_skill(struct qs_decoder *d);
void acknex_read_skill3(struct qs_decoder *d);

/* Reads and returns an entity's index, and emits the entity as acknex_emit_entity() does. */
int16_t acknex_read_entity(struct qs_decoder *d);

/*
 * Emits the file and player of entity `index`, if known, and adds the entity to the title of the
 * message. The last `length` bytes that were read are the entity's field.
 */
void acknex_emit_entity(struct qs_decoder *d, int32_t index, uint32_t length);

/* Adds the entity to the packet's summary. */
void acknex_summarize_entity(struct qs_decoder *d, int32_t index);

/*
 * True if the message that was just read is the packet's only one. Only then the summary has room
 * for details: messages that come in dozens are counted.
 */
bool acknex_alone(const struct qs_decoder *d);

/*
 * Readers of the kinds of number (PROTOCOL.md, section 1): each emits its field. An acknex_number
 * returns the value in the unit that is shown.
 */
typedef double acknex_number(struct qs_decoder *d, unsigned row);

/* Fixed: 22.10, four bytes. */
acknex_number acknex_fixed;
/* Position: a Fixed divided by 8 in three bytes, in units of 1/128. */
acknex_number acknex_packed;
/* Component of the scale: a Fixed times 0.25 in two bytes, in units of 1/256. */
acknex_number acknex_quarter;
/* Angle: two unsigned bytes in units of 360/65535 degrees; the byte order is an option. */
void acknex_angle(struct qs_decoder *d, unsigned row);

/* Scale(range): one byte, in units of range/255. */
void acknex_scaled(struct qs_decoder *d, unsigned row, unsigned range);

/* Reads three numbers of one kind; `row` is a VEC3 row. */
void acknex_vector(struct qs_decoder *d, unsigned row, acknex_number *read);
/* Reads a CPosition: three Positions or three Fixed, which is an option. */
void acknex_cposition(struct qs_decoder *d, unsigned row);

#endif
