/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The messages of Acknex: fields, bytecodes, how they are found and read, kinds of number. */
#ifndef ACKNEX_DECODE_H
#define ACKNEX_DECODE_H

#include "common/acknex/session.h"
#include "common/core/decode.h"
#include "common/core/field.h"

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
