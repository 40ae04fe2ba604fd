/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The messages of Acknex: their bytecodes, and how they are found and read. */
#ifndef ACKNEX_MESSAGES_H
#define ACKNEX_MESSAGES_H

#include "common/acknex/acknex.h"
#include "common/core/parse.h"

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

/* Any of the three updates. */
void acknex_read_update(struct qs_decoder *d);

/*
 * Emits what is known of entity `index`, whose field was the last one read, and names it in the
 * title of the message.
 */
void acknex_emit_entity(struct qs_decoder *d, int32_t index, uint32_t length);

/* Names the entity in the packet's summary. */
void acknex_summarise_entity(struct qs_decoder *d, int32_t index);

/*
 * The message just read is the packet's only one. Then the summary has room for more than a name;
 * messages that come in dozens are counted otherwise.
 */
bool acknex_alone(const struct qs_decoder *d);

#endif
