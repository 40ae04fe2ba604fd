/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Telling QuakeWorld's packets from those of other games, and from anything else, by bytes. */
#include "common/netchan/netchan.h"
#include "common/quakeworld/decode.h"

enum { MARK_SIZE = 4 };

static bool is_connect(struct qs_view text)
{
    static const char start[] = "connect 2";

    return qs_view_begins(text, start) && text.size > sizeof start &&
           text.data[sizeof start] == ' ' && text.data[sizeof start - 1] >= '4' &&
           text.data[sizeof start - 1] <= '8';
}

static bool is_challenge(struct qs_view text)
{
    struct qs_view number;

    if (text.data[0] != 'c' || !qw_begins_number(text))
        return false;
    number = qs_view_up_to(qs_view_behind(text, 1), "\n");
    if (number.size && (number.data[0] == '-' || number.data[0] == ' '))
        number = qs_view_behind(number, 1);
    return number.size <= 11 && qw_is_digits(number);
}

static bool is_status_reply(struct qs_view text)
{
    return qs_view_begins(text, "n\\") &&
           (qs_view_contains(text, "\\*version\\") || qs_view_contains(text, "\\*progs\\"));
}

/*
 * Only what no other game sends: Quake II and Quake III share the mark, getchallenge, status and
 * rcon. connect is QuakeWorld's by its version, a challenge and a reply to status by their glued
 * letter.
 */
bool qw_recognize(const struct qs_protocol *protocol, const struct qs_packet *packet)
{
    struct qs_view text;

    (void)protocol;
    if (packet->size <= MARK_SIZE || qs_le32(packet->data) != UINT32_MAX)
        return false;
    text = qs_view_behind((struct qs_view){packet->data, packet->size}, MARK_SIZE);
    return is_connect(text) || is_challenge(text) || is_status_reply(text);
}

/* A server numbers its packets as the client does, whom it answers: mvdsv sv_user.c,
 * SV_ExecuteClientMessage. FTE's STUNAWARE has the other byte order. */
static bool may_be_game(const struct qs_protocol *protocol, const struct qs_packet *packet)
{
    return (qs_may_begin_with_numbers(packet, qs_le32, 1) ||
            qs_may_begin_with_numbers(packet, qs_be32, 1)) &&
           qs_may_be_read(protocol, packet);
}

/* Source's A2S queries, and much else, have the mark, too. */
bool qw_is_foreign(const struct qs_protocol *protocol, const struct qs_packet *packet)
{
    if (packet->size > MARK_SIZE && qs_le32(packet->data) == UINT32_MAX)
        return !qw_is_known_oob(
            qs_view_behind((struct qs_view){packet->data, packet->size}, MARK_SIZE));
    return !qw_is_bare_text(packet) && !may_be_game(protocol, packet);
}
