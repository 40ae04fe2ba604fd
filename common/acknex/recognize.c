/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Telling Acknex from anything else by its bytes. There is no mark, and three quarters of all bytes
 * begin a valid update, so much that is not Acknex can be read as such. What is asked for is that a
 * datagram is read to its last byte in one of the directions, and in that reading names a file of
 * the engine's kinds.
 */
#include "common/acknex/session.h"

#include "common/acknex/decode.h"
#include "common/core/decode.h"
#include "common/core/text.h"

/* A sink that counts the file names of a trial. */
struct name_sink {
    struct qs_sink base;
    const struct qs_field *fields;
    unsigned file_names, others; /* others: texts that no person wrote */
};

static bool is_printable(struct qs_view text)
{
    for (uint32_t i = 0; i < text.size; i++)
        if (!g_ascii_isprint((gchar)text.data[i]))
            return false;
    return text.size > 0;
}

/* Models, maps, terrains, sprites and their pictures: the kinds of file that an entity is made of.
 */
static bool is_file_name(struct qs_view text)
{
    static const char *const kinds[] = {".mdl", ".md2", ".md3", ".wmb", ".wmp", ".hmp",
                                        ".pcx", ".bmp", ".tga", ".dds", ".fx"};

    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        const size_t length = strlen(kinds[i]);

        if (text.size > length && g_ascii_strncasecmp((const char *)text.data + text.size - length,
                                                      kinds[i], length) == 0)
            return true;
    }
    return false;
}

static void count_name(struct qs_sink *base, const struct qs_field *field,
                       const struct qs_value *value)
{
    struct name_sink *sink = (struct name_sink *)base;
    const bool names_file = field == &sink->fields[ACKNEX_FILE] ||
                            field == &sink->fields[ACKNEX_TYPE] ||
                            field == &sink->fields[ACKNEX_LEVEL];

    if (!names_file)
        return;
    if (is_printable(value->bytes) && is_file_name(value->bytes))
        sink->file_names++;
    else
        sink->others++;
}

static bool names_files(const struct qs_protocol *protocol, const struct qs_packet *packet,
                        enum qs_direction direction)
{
    struct name_sink sink = {.base = {.field = count_name}, .fields = protocol->fields};

    return qs_reads_alone(protocol, packet, direction, &sink.base) && sink.file_names &&
           !sink.others;
}

bool acknex_recognize(const struct qs_protocol *protocol, const struct qs_packet *packet)
{
    /* The cheap question first: this sees everybody's traffic. */
    if (!packet->size || !memchr(packet->data, '.', packet->size))
        return false;
    return names_files(protocol, packet, QS_S2C) || names_files(protocol, packet, QS_C2S);
}

bool acknex_is_foreign(const struct qs_protocol *protocol, const struct qs_packet *packet)
{
    return !qs_may_be_read(protocol, packet);
}
