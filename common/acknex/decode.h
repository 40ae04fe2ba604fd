/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The messages of Acknex: fields, bytecodes, how they are found and read, kinds of number. */
#ifndef ACKNEX_DECODE_H
#define ACKNEX_DECODE_H

#include "common/core/containers.h"
#include "common/core/decode.h"
#include "common/core/field.h"
#include "common/core/protocol.h"
#include "common/core/session.h"

/* --- The session ------------------------------------------------------------------------------ */

/*
 * Acknex, the engine of 3D GameStudio: the protocol record, and what a session knows. Source:
 * acknex-protocol, the manual's description. PROTOCOL.md documents what the manual leaves
 * open.
 */

enum acknex_text {
    ACKNEX_TEXT_PLAYER = 1, /* CLS_JOIN */
    ACKNEX_TEXT_LEVEL       /* CLS_LEVEL */
};

/* All texts are as on the wire. Negative indices and those beyond a table's limit are not stored.
 */
struct acknex_session {
    struct qs_session base;
    struct qs_table texts;     /* enum acknex_text */
    struct qs_table requested; /* file names by identifier: of each CLS_CREATE without an answer */
    struct qs_table files;     /* file names by entity index */
    struct qs_table players;   /* names by index of the entity that the player's client created */

    int16_t updated; /* not knowledge: the entity that the update at hand is about */
};

static inline struct acknex_session *acknex_session_of(const struct qs_decoder *d)
{
    return (struct acknex_session *)d->session;
}

/* As the protocol record has them. */
void acknex_session_init(struct qs_session *session);
void acknex_session_copy(struct qs_session *to, const struct qs_session *from);
void acknex_session_clear(struct qs_session *session);
bool acknex_session_shares(const struct qs_session *a, const struct qs_session *b);
void acknex_session_describe(const struct qs_session *session, struct qs_description *description);

/* A client joins: what was known of an earlier connection ends. It asks again for the same
 * connection as long as the server has not answered (svc_info). */
void acknex_session_join(struct acknex_session *session, struct qs_view player);

/* The client has loaded a level: entities of another level end. */
void acknex_session_begin_level(struct acknex_session *session, struct qs_view level);

/* Numbers of the protocol's options. */
enum acknex_option { ACKNEX_POS_RESOLUTION, ACKNEX_ANGLE_BYTE_ORDER, ACKNEX_OPTION_COUNT };

/* How a CPosition is sent: the engine's variable of the same name. */
enum acknex_pos_resolution {
    ACKNEX_POS_PACKED, /* three bytes a coordinate, 1/128 quant */
    ACKNEX_POS_FIXED   /* four bytes, 1/1024 quant */
};

enum acknex_angle_byte_order {
    ACKNEX_ANGLE_BIG_ENDIAN, /* as the document's worked example has it */
    ACKNEX_ANGLE_INTEL       /* as its definition of a Short has it */
};

/* Strict enough to select the protocol on any port when the user asks for it; see the source. */
bool acknex_recognize(const struct qs_protocol *protocol, const struct qs_packet *packet);

/* Whether it can be read to its end in neither direction. */
bool acknex_is_foreign(const struct qs_protocol *protocol, const struct qs_packet *packet);

extern const struct qs_protocol acknex_protocol;

/* The fields by number: one enumerator for each row of fields.def. */
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

/* The message of bytecode `id` that one side sends, or NULL. */
const struct qs_message_type *acknex_client_message(uint32_t id);
const struct qs_message_type *acknex_server_message(uint32_t id);

/* Messages that both sides send. */
void acknex_read_var(struct qs_decoder *d);
void acknex_read_string(struct qs_decoder *d);
void acknex_read_skill(struct qs_decoder *d);
void acknex_read_skill3(struct qs_decoder *d);

/* An entity's index, and what is known of the entity. */
int16_t acknex_read_entity(struct qs_decoder *d);

/*
 * Emits what is known of entity `index`, whose field was the last one read, and names it in the
 * title of the message.
 */
void acknex_emit_entity(struct qs_decoder *d, int32_t index, uint32_t length);

/* Names the entity in the packet's summary. */
void acknex_summarize_entity(struct qs_decoder *d, int32_t index);

/*
 * The message just read is the packet's only one. Then the summary has room for more than a name;
 * messages that come in dozens are counted otherwise.
 */
bool acknex_alone(const struct qs_decoder *d);

/*
 * The kinds of number, PROTOCOL.md, section 1: each reader emits its field and returns the value in
 * the unit that is shown.
 */
typedef double acknex_number(struct qs_decoder *d, unsigned row);

/* Fixed: 22.10, four bytes. */
acknex_number acknex_fixed;
/* Position: a Fixed divided by 8 in three bytes, so 1/128 each. */
acknex_number acknex_packed;
/* A component of the scale: a Fixed times 0.25 in two bytes, so 1/256 each. */
acknex_number acknex_quarter;
/* Angle: two bytes, 360/65535 degrees each, never negative; byte order by the option. */
acknex_number acknex_angle;

/* Scale(range): one byte, range/255 each. */
double acknex_scaled(struct qs_decoder *d, unsigned row, unsigned range);

/* Three numbers of one kind; `row` is a VEC3 row. */
void acknex_vector(struct qs_decoder *d, unsigned row, acknex_number *read);
/* CPosition: three Positions or three Fixed, by the option. */
void acknex_cposition(struct qs_decoder *d, unsigned row);

#endif
