/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The messages of Acknex: their bytecodes, and how they are found and read. */
#ifndef ACKNEX_MESSAGES_H
#define ACKNEX_MESSAGES_H

#include "common/acknex/acknex.h"
#include "common/core/decoder.h"

/* acknex-protocol, "from a client to the server" */
enum acknex_cls {
    CLS_JOIN = 0x02,
    CLS_CREATE = 0x03,
    CLS_REMOVE = 0x04,
    CLS_PING = 0x07,
    CLS_LEVEL = 0x09,
    CLS_VAR = 0x0a,
    CLS_STRING = 0x0b,
    CLS_SKILL = 0x0e,
    CLS_SKILL3 = 0x0f
};

/* acknex-protocol, "from the server to either a specific client, or to all clients" */
enum acknex_svc {
    SVC_CREATE = 0x03,
    SVC_REMOVE = 0x04,
    SVC_ENTSOUND = 0x05,
    SVC_EFFECT = 0x06,
    SVC_INFO = 0x07,
    SVC_VAR = 0x0a,
    SVC_STRING = 0x0b,
    SVC_SKILL = 0x0e,
    SVC_SKILL3 = 0x0f,
    SVC_LOCAL = 0x12,
    SVC_UPDATE1 = 0x40, /* to 0x7f: the low six bits are parameters */
    SVC_UPDATE2 = 0x80, /* to 0xbf */
    SVC_UPDATE3 = 0xc0  /* to 0xff */
};

/*
 * The message of bytecode `id` in the packet's direction. While that is unknown: the one that is
 * read the same whoever sent it, or NULL.
 */
qs_message_lookup acknex_message;

/* Any of the three updates. */
void acknex_read_update(struct qs_decoder *d);

static inline struct acknex_session *acknex_session_of(const struct qs_decoder *d)
{
    return (struct acknex_session *)d->session;
}

/*
 * Says what is known of entity `index`, whose field was the last one read, and names it in the
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
