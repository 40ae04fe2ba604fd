/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What clients send. */
#include "common/acknex/decode.h"

#include "common/core/text.h"

static void read_cls_join(struct qs_decoder *d)
{
    const struct qs_view player = qs_text(d, ACKNEX_PLAYER);

    qs_label_text(d, ": \"", player, "\"");
    if (!d->in.overrun)
        acknex_session_join(acknex_session_of(d), player);
}

static void read_cls_create(struct qs_decoder *d)
{
    const struct qs_view file = qs_text(d, ACKNEX_FILE);
    int16_t identifier;

    acknex_vector(d, ACKNEX_START, acknex_packed);
    qs_i16(d, ACKNEX_ACTION);
    identifier = qs_i16(d, ACKNEX_IDENTIFIER);
    qs_add_requests(d, QS_ASK_CREATE, QS_ASK_NOTHING);
    qs_request_set_key(d, (uint16_t)identifier);
    qs_label_text(d, ": ", file, "");
    if (!d->in.overrun)
        qs_table_set_name(&acknex_session_of(d)->requested, (uint16_t)identifier, file);
}

static void read_cls_remove(struct qs_decoder *d)
{
    const int32_t entity = qs_i32(d, ACKNEX_ENTITY);

    qs_add_requests(d, QS_ASK_REMOVE, QS_ASK_NOTHING);
    qs_request_set_key(d, (uint16_t)entity);
    acknex_emit_entity(d, entity, 4);
    acknex_summarize_entity(d, entity);
}

static void read_cls_level(struct qs_decoder *d)
{
    const struct qs_view level = qs_text(d, ACKNEX_LEVEL);

    qs_label_text(d, ": ", level, "");
    if (!d->in.overrun)
        acknex_session_begin_level(acknex_session_of(d), level);
}

/* clang-format off */
static const struct qs_message_type client_messages[] = {
#define CLS(id, number, name, brief, read, blurb) [number] = {"CLS_" #id, brief, ACKNEX_CLS_##id, read},
#include "common/acknex/messages.def"
};
/* clang-format on */

const struct qs_message_type *acknex_client_message(uint32_t id)
{
    return id < G_N_ELEMENTS(client_messages) && client_messages[id].name ? &client_messages[id]
                                                                          : NULL;
}
