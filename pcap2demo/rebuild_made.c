/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/rebuild_made.h"

#include "common/core/text.h"
#include "pcap2demo/rebuild_made_format.h"

static const struct made_format *const formats[] = {&made_qwd, &made_dm2, &made_dem};

static void *made_new(struct demo *demo)
{
    struct made *made = g_new0(struct made, 1);

    made->demo = demo;
    made->file = g_byte_array_new();
    return made;
}

static void made_free(void *state)
{
    struct made *made = state;

    g_byte_array_free(made->file, TRUE);
    if (made->head)
        g_byte_array_free(made->head, TRUE);
    g_free(made);
}

static const struct made_format *format_named(struct qs_view name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++)
        if (qs_view_equal(name, formats[i]->name))
            return formats[i];
    return NULL;
}

static void take_asides(struct made *made, const struct qs_decoder *decoder,
                        const struct qs_packet *packet)
{
    struct qs_view word, value;
    guint at = 0;

    while (aside_next(decoder, packet, &at, &word, &value)) {
        if (made->format) {
            made->format->aside(made, word, value);
        } else if ((made->format = format_named(word))) {
            demo_begin(made->demo);
            if (made->format->begin)
                made->format->begin(made, value);
        }
    }
}

static void made_packet(void *state, const struct qs_decoder *decoder,
                        const struct qs_packet *packet)
{
    struct made *made = state;

    made->block_said = false;
    take_asides(made, decoder, packet);
    if (made->format && packet->source_is_server_port)
        made->format->from_server(made, decoder, packet);
    else if (made->format && made->format->from_client)
        made->format->from_client(made, decoder, packet);
    if (made->file->len)
        demo_write(made->demo, made->file->data, made->file->len);
    g_byte_array_set_size(made->file, 0);
}

static void made_finish(void *state)
{
    (void)state;
}

static const struct rebuilder rebuild_made = {
    .create = made_new,
    .packet = made_packet,
    .finish = made_finish,
    .free = made_free,
};

const struct rebuilder *rebuild_made_find(const struct qs_decoder *decoder,
                                          const struct qs_packet *first)
{
    struct qs_view word, value;
    const struct made_format *format;
    guint at = 0;

    if (!aside_next(decoder, first, &at, &word, &value))
        return NULL;
    format = format_named(word);
    return format && strcmp(format->protocol, decoder->protocol->name) == 0 ? &rebuild_made : NULL;
}
