/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/acknex/listener.h"

static void keep(struct qs_sink *base, const struct heard *heard)
{
    g_array_append_val(((struct listener *)base)->heard, *heard);
}

static void hear_open(struct qs_sink *base, const struct qs_field *group, uint32_t offset)
{
    keep(base, &(struct heard){.kind = HEARD_OPEN, .field = group, .offset = offset});
}

static void hear_close(struct qs_sink *base, uint32_t end)
{
    keep(base, &(struct heard){.kind = HEARD_CLOSE, .offset = end});
}

static void hear_field(struct qs_sink *base, const struct qs_field *field,
                       const struct qs_value *value)
{
    struct heard heard = {.kind = HEARD_FIELD,
                          .field = field,
                          .offset = value->offset,
                          .length = value->length,
                          .generated = value->generated,
                          .value = *value};

    if (field->type == QS_TEXT || field->type == QS_BYTES)
        heard.text = g_strndup((const char *)value->bytes.data, value->bytes.size);
    keep(base, &heard);
}

static void hear_note(struct qs_sink *base, enum qs_note kind, uint32_t offset, uint32_t length,
                      const char *text)
{
    keep(base, &(struct heard){.kind = HEARD_NOTE,
                               .note = kind,
                               .offset = offset,
                               .length = length,
                               .text = g_strdup(text)});
}

static void forget(gpointer data)
{
    g_free(((struct heard *)data)->text);
}

struct listener *listener_new(void)
{
    struct listener *listener = g_new0(struct listener, 1);

    listener->base = (struct qs_sink){
        .open = hear_open, .close = hear_close, .field = hear_field, .note = hear_note};
    listener->heard = g_array_new(FALSE, FALSE, sizeof(struct heard));
    g_array_set_clear_func(listener->heard, forget);
    return listener;
}

void listener_free(struct listener *listener)
{
    g_array_free(listener->heard, TRUE);
    g_free(listener);
}

void listener_forget(struct listener *listener)
{
    g_array_set_size(listener->heard, 0);
}

const struct heard *listener_find(const struct listener *listener, const char *name)
{
    for (guint i = 0; i < listener->heard->len; i++) {
        const struct heard *heard = &g_array_index(listener->heard, struct heard, i);

        if (heard->kind == HEARD_FIELD && g_str_equal(heard->field->name, name))
            return heard;
    }
    return NULL;
}

void listener_decode(struct listener *listener, struct qs_decoder *decoder,
                     struct acknex_session *session, enum qs_direction direction,
                     const uint8_t *data, uint32_t size)
{
    /* A copy of exactly this size, so that a sanitizer sees a read beyond it. */
    uint8_t *bytes = g_memdup2(data, size);
    const struct qs_packet packet = {.data = bytes,
                                     .size = size,
                                     .wire_size = size,
                                     .number = 1,
                                     .from = direction == QS_S2C ? QS_END_B : QS_END_A,
                                     .source_is_server_port = direction == QS_S2C,
                                     .destination_is_server_port = direction == QS_C2S};

    listener_forget(listener);
    qs_decode(decoder, &session->base, &listener->base, &packet);
    g_free(bytes);
}
