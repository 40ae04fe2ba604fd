/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Telling Quake II from other games and from anything else, by a packet's bytes. */
#include "common/core/text.h"
#include "common/netchan/netchan.h"
#include "common/quake2/decode.h"

enum {
    MARK_SIZE = 4,
    RATE_RATIO = 100 /* clients send a packet a frame, up to 1000 a second; servers 10 */
};

/* A word, then a number of digits only, then nothing but `more`. */
static bool is_number_command(struct qs_view text, const char *word, bool more)
{
    uint32_t at = (uint32_t)strlen(word);
    const uint32_t start = at;

    if (!qs_view_begins(text, word))
        return false;
    while (at < text.size && g_ascii_isdigit((char)text.data[at]))
        at++;
    if (at == start)
        return false;
    return at == text.size || (more && text.data[at] == ' ');
}

/* A server's answer to status, or its heartbeat: rules that name a protocol of Quake II. */
static bool is_rules(struct qs_view text, const char *command)
{
    const uint32_t start = (uint32_t)strlen(command);
    struct qs_view version;
    uint32_t end = start;

    if (!qs_view_begins(text, command))
        return false;
    while (end < text.size && text.data[end] != '\n')
        end++;
    version = qs_info_value((struct qs_view){text.data + start, end - start}, "protocol");
    return version.data && (qs_view_equal(version, "34") || qs_view_equal(version, "35") ||
                            qs_view_equal(version, "36"));
}

/* Only what no other game sends. QuakeWorld has connect, too, with versions up to 28. */
bool q2_recognize(const struct qs_protocol *protocol, const struct qs_packet *packet)
{
    struct qs_view text;

    (void)protocol;
    if (packet->size <= MARK_SIZE || qs_le32(packet->data) != UINT32_MAX)
        return false;
    text = (struct qs_view){packet->data + MARK_SIZE, packet->size - MARK_SIZE};
    return is_number_command(text, "connect 3", true) || qs_view_begins(text, "client_connect") ||
           is_rules(text, "print\n") || is_rules(text, "heartbeat\n") ||
           (is_number_command(text, "challenge ", true) && text.size < 64);
}

/* Source's A2S queries, and much else, have the mark, too. */
bool q2_is_foreign(const struct qs_protocol *protocol, const struct qs_packet *packet)
{
    const bool marked = packet->size >= MARK_SIZE && qs_le32(packet->data) == UINT32_MAX;
    const uint32_t start = marked ? MARK_SIZE : 0;

    if (q2_is_connectionless(packet))
        return !q2_is_connectionless_text(
            (struct qs_view){packet->data + start, packet->size - start});
    return !qs_may_begin_with_numbers(packet, qs_le32, RATE_RATIO) ||
           !qs_may_be_read(protocol, packet);
}
