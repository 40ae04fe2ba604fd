/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests and responses: what a packet asks the other end for, and what it answers. Rows of
 * messages say it in two columns, as sets of QS_ASK_ bits; links.h finds the pairs.
 */
#ifndef QS_NETCHAN_EXCHANGE_H
#define QS_NETCHAN_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

enum qs_exchange_kind {
    QS_EXCHANGE_CHALLENGE,
    QS_EXCHANGE_CONNECT,
    QS_EXCHANGE_STATUS,
    QS_EXCHANGE_INFO,
    QS_EXCHANGE_PLAYER,
    QS_EXCHANGE_RULE,
    QS_EXCHANGE_RCON,
    QS_EXCHANGE_PING,
    QS_EXCHANGE_LOG,
    QS_EXCHANGE_QUERY,
    QS_EXCHANGE_SERVERS,
    QS_EXCHANGE_CREATE,
    QS_EXCHANGE_REMOVE,
    QS_EXCHANGE_DOWNLOAD,
    QS_EXCHANGE_KINDS
};

/* Sets of them, short for the columns of messages.def. */
enum {
    QS_ASK_NOTHING = 0,
    QS_ASK_CHALLENGE = 1u << QS_EXCHANGE_CHALLENGE,
    QS_ASK_CONNECT = 1u << QS_EXCHANGE_CONNECT,
    QS_ASK_STATUS = 1u << QS_EXCHANGE_STATUS,
    QS_ASK_INFO = 1u << QS_EXCHANGE_INFO,
    QS_ASK_PLAYER = 1u << QS_EXCHANGE_PLAYER,
    QS_ASK_RULE = 1u << QS_EXCHANGE_RULE,
    QS_ASK_RCON = 1u << QS_EXCHANGE_RCON,
    QS_ASK_PING = 1u << QS_EXCHANGE_PING,
    QS_ASK_LOG = 1u << QS_EXCHANGE_LOG,
    QS_ASK_QUERY = 1u << QS_EXCHANGE_QUERY,
    QS_ASK_SERVERS = 1u << QS_EXCHANGE_SERVERS,
    QS_ASK_CREATE = 1u << QS_EXCHANGE_CREATE,
    QS_ASK_REMOVE = 1u << QS_EXCHANGE_REMOVE,
    QS_ASK_DOWNLOAD = 1u << QS_EXCHANGE_DOWNLOAD,
    /* Nothing is asked or answered; but in the column of what is asked, a client sends it (to a
     * master a server is one), in the other, a server. */
    QS_TELLS = 1u << QS_EXCHANGE_KINDS,
};

struct qs_exchange {
    uint32_t asks, answers; /* sets; where neither is empty, clients ask and servers answer */
    uint32_t key;           /* equal in a request and its response, where `keyed` */
    bool keyed;
};

/* Requests, and those of them that were answered. */
struct qs_request_count {
    uint32_t requests, answered;
};

/* What reports call an exchange of the kind: "challenge". */
const char *qs_exchange_name(enum qs_exchange_kind kind);

struct qs_decoder;

/*
 * For parse functions: the packet at hand asks for one of `asks`, or answers one of `answers`.
 * Of one packet no more than QS_EXCHANGES_MAX are kept. Who asks is a client: the packet's
 * direction is that where nothing else has told it.
 */
void qs_exchange(struct qs_decoder *d, uint32_t asks, uint32_t answers);

/* Request and response of the packet's last exchange share a key. */
void qs_exchange_set_key(struct qs_decoder *d, uint32_t key);

/* The last exchange of the packet turns out to answer no more than `answers`. */
void qs_exchange_narrow(struct qs_decoder *d, uint32_t answers);

#endif
