/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Telling QuakeWorld's packets from those of other games, and from anything else, by bytes. */
#include "common/netchan/netchan.h"
#include "common/quakeworld/connectionless.h"

enum { MARK_SIZE = 4 };

static bool begins(struct qs_view text, const char *word)
{
    const uint32_t length = (uint32_t)strlen(word);

    return text.size >= length && memcmp(text.data, word, length) == 0;
}

static bool is_connect(struct qs_view text)
{
    return begins(text, "connect 24 ") || begins(text, "connect 25 ") ||
           begins(text, "connect 26 ") || begins(text, "connect 27 ") ||
           begins(text, "connect 28 ");
}

static bool is_challenge(struct qs_view text)
{
    struct qs_view number;

    if (text.data[0] != 'c' || !qw_oob_begins_number(text))
        return false;
    number = qw_oob_line(qw_oob_behind(text, 1));
    if (number.size && (number.data[0] == '-' || number.data[0] == ' '))
        number = qw_oob_behind(number, 1);
    return number.size <= 11 && qw_oob_is_digits(number);
}

static bool is_status_reply(struct qs_view text)
{
    return begins(text, "n\\") &&
           (qs_view_contains(text, "\\*version\\") || qs_view_contains(text, "\\*progs\\"));
}

/*
 * Only what no other game sends: Quake II and Quake III share the mark, getchallenge, status and
 * rcon. connect is QuakeWorld's by its version, a challenge and a reply to status by their glued
 * letter.
 */
bool qw_recognise(const struct qs_packet *packet)
{
    struct qs_view text;

    if (packet->size <= MARK_SIZE || qs_le32(packet->data) != UINT32_MAX)
        return false;
    text = qw_oob_behind((struct qs_view){packet->data, packet->size}, MARK_SIZE);
    return is_connect(text) || is_challenge(text) || is_status_reply(text);
}

/* A server numbers its packets as the client does, whom it answers: mvdsv sv_user.c,
 * SV_ExecuteClientMessage. FTE's STUNAWARE has the other byte order. */
static bool may_be_game(const struct qs_packet *packet)
{
    return (qs_may_begin_with_numbers(packet, qs_le32, 1) ||
            qs_may_begin_with_numbers(packet, qs_be32, 1)) &&
           qs_may_be_read(&qw_protocol, packet);
}

/* Source's A2S queries, and much else, have the mark, too. */
bool qw_is_foreign(const struct qs_packet *packet)
{
    if (packet->size > MARK_SIZE && qs_le32(packet->data) == UINT32_MAX)
        return !qw_is_known_oob(
            qw_oob_behind((struct qs_view){packet->data, packet->size}, MARK_SIZE));
    return !qw_find_bare_letter(packet) && !qw_is_quake_request(packet) && !may_be_game(packet);
}
