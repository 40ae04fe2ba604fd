/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/netchan/exchange.h"

#include "common/core/decoder.h"

const char *qs_exchange_name(enum qs_exchange_kind kind)
{
    static const char *const names[QS_EXCHANGE_KINDS] = {
        [QS_EXCHANGE_CHALLENGE] = "challenge",
        [QS_EXCHANGE_CONNECT] = "connect",
        [QS_EXCHANGE_STATUS] = "status",
        [QS_EXCHANGE_INFO] = "info",
        [QS_EXCHANGE_PLAYER] = "player info",
        [QS_EXCHANGE_RULE] = "rule info",
        [QS_EXCHANGE_RCON] = "rcon",
        [QS_EXCHANGE_PING] = "ping",
        [QS_EXCHANGE_LOG] = "log",
        [QS_EXCHANGE_QUERY] = "other query",
        [QS_EXCHANGE_SERVERS] = "servers",
        [QS_EXCHANGE_CREATE] = "create",
        [QS_EXCHANGE_REMOVE] = "remove",
        [QS_EXCHANGE_DOWNLOAD] = "download",
    };
    return names[kind];
}

void qs_exchange(struct qs_decoder *d, uint32_t asks, uint32_t answers)
{
    const struct qs_exchange exchange = {.asks = asks & ~(uint32_t)QS_TELLS,
                                         .answers = answers & ~(uint32_t)QS_TELLS};

    if (d->direction == QS_DIRECTION_UNKNOWN && !asks != !answers)
        d->direction = asks ? QS_C2S : QS_S2C;
    if ((exchange.asks || exchange.answers) && d->exchange_count < QS_EXCHANGES_MAX)
        d->exchanges[d->exchange_count++] = exchange;
}

void qs_exchange_set_key(struct qs_decoder *d, uint32_t key)
{
    struct qs_exchange *last;

    if (!d->exchange_count)
        return;
    last = &d->exchanges[d->exchange_count - 1];
    last->key = key;
    last->keyed = true;
}

void qs_exchange_narrow(struct qs_decoder *d, uint32_t answers)
{
    if (d->exchange_count)
        d->exchanges[d->exchange_count - 1].answers &= answers;
}
