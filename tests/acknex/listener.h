/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sink that keeps all it hears of a packet, and what the Acknex tests decode packets with. */
#ifndef TESTS_ACKNEX_LISTENER_H
#define TESTS_ACKNEX_LISTENER_H

#include <glib.h>

#include "common/acknex/session.h"
#include "common/core/parse.h"
#include "common/core/sink.h"

enum heard_kind { HEARD_FIELD, HEARD_OPEN, HEARD_CLOSE, HEARD_NOTE };

struct heard {
    enum heard_kind kind;
    const struct qs_field *field; /* of fields and groups that open */
    uint32_t offset, length;      /* of groups that close: where, in `offset` */
    bool generated;
    struct qs_value value;
    char *text;        /* of QS_TEXT and QS_BYTES fields, and of notes; else NULL */
    enum qs_note note; /* of notes */
};

struct listener {
    struct qs_sink base;
    GArray *heard; /* struct heard */
};

struct listener *listener_new(void);
void listener_free(struct listener *listener);
void listener_forget(struct listener *listener);

/* The first field heard under the filter name `name`, or NULL. */
const struct heard *listener_find(const struct listener *listener, const char *name);

/* One packet in `direction`, told by the ports. Forgets what was heard before. */
void listener_decode(struct listener *listener, struct qs_decoder *decoder,
                     struct acknex_session *session, enum qs_direction direction,
                     const uint8_t *data, uint32_t size);

#endif
