/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The message loop: which function reads a message, and what becomes of those that none can. */
#ifndef QS_CORE_MESSAGE_H
#define QS_CORE_MESSAGE_H

#include "common/core/decoder_state.h"

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

/* The decoder's messages are those of a new packet from now on: none yet. */
void qs_forget_messages(struct qs_decoder *d);

/* Hands out an update of an entity that the current message has; nothing if it ran past the end. */
static inline void qs_add_entity(struct qs_decoder *d, struct qs_entity_update *update)
{
    if (!(d->want_entities >> update->kind & 1) || d->in.overrun || d->stop)
        return;
    update->message = d->messages->len;
    g_array_append_vals(d->entities, update, 1);
}

/* Reads one of them; whether another may follow. */
bool qs_read_message(struct qs_decoder *d, unsigned id_row, qs_message_lookup *lookup);

#endif
