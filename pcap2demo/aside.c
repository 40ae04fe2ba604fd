/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/aside.h"

#include "common/dump/number.h"
#include "common/core/writer.h"

static const char mark[] = "demo ";
enum { MARK_SIZE = sizeof mark - 1 };

struct qs_view aside_of_mvd(void)
{
    /* Length, which counts itself; qtv_clc_stringcmd. */
    static const uint8_t unit[] = {12, 0, 1, 'd', 'e', 'm', 'o', ' ', 'M', 'V', 'D', 0};

    return (struct qs_view){unit, sizeof unit};
}

void aside_append(GByteArray *to, const char *word, const char *value)
{
    char *text = g_strconcat(mark, word, value ? " " : NULL, value, NULL);

    qs_write_u8(to, CLIENT_STRINGCMD);
    qs_write_text(to, text);
    g_free(text);
}

void aside_append_bytes(GByteArray *to, const char *word, struct qs_view value)
{
    GString *text = g_string_new(NULL);

    qs_append_bytes(text, value);
    aside_append(to, word, text->str);
    g_string_free(text, TRUE);
}

/* The text of a clc_stringcmd, without its NUL; the empty view when it is another message. */
static struct qs_view text_of(const struct qs_packet *packet, const struct qs_message *message)
{
    if (message->id != CLIENT_STRINGCMD || message->source || message->length < 2 ||
        message->offset > packet->size || message->length > packet->size - message->offset)
        return (struct qs_view){0};
    return (struct qs_view){packet->data + message->offset + 1, message->length - 2};
}

static void split(struct qs_view text, struct qs_view *word, struct qs_view *value)
{
    const uint8_t *space = text.size ? memchr(text.data, ' ', text.size) : NULL;
    const uint32_t size = space ? (uint32_t)(space - text.data) : text.size;

    *word = (struct qs_view){text.data, size};
    *value = space ? (struct qs_view){space + 1, text.size - size - 1} : (struct qs_view){0};
}

bool aside_next(const struct qs_decoder *decoder, const struct qs_packet *packet, guint *at,
                struct qs_view *word, struct qs_view *value)
{
    while (decoder->direction == QS_C2S && *at < decoder->messages->len) {
        const struct qs_message *message =
            &g_array_index(decoder->messages, struct qs_message, (*at)++);
        struct qs_view text = text_of(packet, message);

        if (text.size < MARK_SIZE || memcmp(text.data, mark, MARK_SIZE) != 0)
            continue;
        text.data += MARK_SIZE;
        text.size -= MARK_SIZE;
        split(text, word, value);
        return true;
    }
    return false;
}

GByteArray *aside_bytes(struct qs_view value)
{
    GByteArray *bytes = g_byte_array_new();

    for (uint32_t i = 0; i + 1 < value.size; i += 2) {
        const int high = g_ascii_xdigit_value((char)value.data[i]);
        const int low = g_ascii_xdigit_value((char)value.data[i + 1]);

        if (high < 0 || low < 0)
            break;
        qs_write_u8(bytes, (uint8_t)(high << 4 | low));
    }
    if (value.size && bytes->len * 2 == value.size)
        return bytes;
    g_byte_array_free(bytes, TRUE);
    return NULL;
}
