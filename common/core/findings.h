/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Findings of a decode besides a packet's fields: requests and responses, passwords, steps of file
 * transfers, player events, and entity updates. Parse functions add them; decoder->found keeps them
 * until the next decode.
 */
#ifndef QS_CORE_FINDINGS_H
#define QS_CORE_FINDINGS_H

#include <glib.h>
#include <stdint.h>

#include "common/core/decoder.h"

/* --- Requests and responses: columns of messages.def, as sets of QS_ASK_ bits */

/* clang-format off */
/* Kinds of requests, with their names in reports. */
#define QS_REQUESTS(ROW) \
    ROW(CHALLENGE, "challenge") \
    ROW(CONNECT, "connect") \
    ROW(STATUS, "status") \
    ROW(INFO, "info") \
    ROW(PLAYER, "player info") \
    ROW(RULE, "rule info") \
    ROW(RCON, "rcon") \
    ROW(PING, "ping") \
    ROW(LOG, "log") \
    ROW(QUERY, "other query") \
    ROW(SERVERS, "servers") \
    ROW(CREATE, "create") \
    ROW(REMOVE, "remove") \
    ROW(DOWNLOAD, "download")

enum qs_request_kind {
#define KIND(id, name) QS_REQUEST_##id,
    QS_REQUESTS(KIND)
#undef KIND
    QS_REQUEST_KINDS
};

/* Sets of kinds, with short names for the columns of messages.def. */
enum {
    QS_ASK_NOTHING = 0,
#define ASK(id, name) QS_ASK_##id = 1u << QS_REQUEST_##id,
    QS_REQUESTS(ASK)
#undef ASK
    /* No request or response, but shows the direction: clients send messages that have it in the
     * column of requests, servers those in the other column. A server is its master's client. */
    QS_IMPLIES_DIRECTION = 1u << QS_REQUEST_KINDS,
};
/* clang-format on */

/* Number of requests, and of those that were answered. */
struct qs_request_count {
    uint32_t requests, answered;
};

const char *qs_request_name(enum qs_request_kind kind);

/*
 * Adds that the packet requests one of `asks`, or answers one of `answers`; at most QS_REQUESTS_MAX
 * for a packet. The sender of a request is a client: this sets an unknown direction.
 */
void qs_add_requests(struct qs_decoder *d, uint32_t asks, uint32_t answers);

/* Sets the key by which the last request or response matches its counterpart. */
void qs_request_set_key(struct qs_decoder *d, uint32_t key);

/* Limits the packet's last response to the kinds in `answers`. */
void qs_request_narrow(struct qs_decoder *d, uint32_t answers);

/* --- Passwords */

/*
 * Adds a password, which is in the field `row`. `user`: raw text, or the empty view. Keeps at most
 * QS_CREDENTIALS_MAX for a packet.
 */
void qs_add_credential(struct qs_decoder *d, unsigned row, const char *purpose,
                       struct qs_view user);

/* The same for the user info of a connecting client; does nothing if it has no password. */
void qs_add_userinfo_credential(struct qs_decoder *d, unsigned row, struct qs_view userinfo);

/* --- File transfers: their steps, from which netchan/transfer.c makes files */

enum qs_transfer_event {
    QS_TRANSFER_REQUEST, /* the client requests `name`, from byte `offset` on */
    QS_TRANSFER_NEXT,    /* the client requests the next block, or a chunk */
    QS_TRANSFER_REFUSED, /* the server does not send the file; `name` if the server names it */
    QS_TRANSFER_BEGIN,   /* the server will send `name`, `total` bytes in chunks, packed or not */
    QS_TRANSFER_CHUNK,   /* `data` belongs at `offset`; bytes past the file's end are padding */
    QS_TRANSFER_PIECE    /* `data` follows the last block; `percent` of the file is sent */
};

enum qs_transfer_packing {
    QS_TRANSFER_PLAIN,
    QS_TRANSFER_DEFLATED, /* raw deflate, each block separate */
    QS_TRANSFER_STREAM    /* raw deflate, one stream of all blocks or chunks */
};

struct qs_transfer {
    enum qs_transfer_event event;
    enum qs_transfer_packing packing;
    struct qs_view name; /* as sent; data is NULL if absent */
    struct qs_view data;
    uint64_t offset, total;
    uint32_t number; /* transfer's number in chunks outside of the netchan; 0: none */
    uint8_t percent;
};

/*
 * Adds a copy to decoder->found.transfers if `want_transfers` is set and the receiver accepts the
 * packet or the packet is connectionless. Does nothing after an overrun.
 */
void qs_add_transfer(struct qs_decoder *d, const struct qs_transfer *transfer);

/* Returns a copy of the bytes in `pool`, like g_memdup2(). */
typedef void *qs_memory_copy(void *pool, const void *bytes, size_t size);

/* Returns a copy of the transfer whose bytes `copy` puts into `pool`. */
struct qs_transfer qs_transfer_copy(const struct qs_transfer *transfer, qs_memory_copy *copy,
                                    void *pool);

/* Frees the bytes of an element of decoder->found.transfers. */
void qs_transfer_clear(void *transfer);

/* --- Players: changes on the scoreboard, which common/sessions/match.h records */

enum qs_player_event_kind {
    QS_PLAYER_INFO, /* name and team, in the session; value: user id, 0: empty slot */
    QS_PLAYER_TEAM, /* value: the team's number, if the session does not store it */
    QS_PLAYER_FRAGS,
    QS_PLAYER_PING,      /* ms */
    QS_PLAYER_LOSS,      /* percent */
    QS_PLAYER_LEVEL_OVER /* without a slot: frags no longer count */
};

enum { QS_PLAYER_USER_UNKNOWN = -1 };

struct qs_player_event {
    enum qs_player_event_kind kind;
    uint32_t slot;
    int32_t value;
};

/* Adds an event to decoder->found.player_events if the receiver accepts the packet. */
void qs_add_player_event(struct qs_decoder *d, enum qs_player_event_kind kind, uint32_t slot,
                         int32_t value);

/* --- Entity updates */

/* Kind of message that contains an update. */
enum qs_entity_kind {
    QS_ENTITY_BASELINE,   /* state that updates are relative to */
    QS_ENTITY_UPDATE,     /* changes relative to the baseline */
    QS_ENTITY_FRAME,      /* changes relative to the client's last state: svc_entities */
    QS_ENTITY_REPLACEMENT /* the same, in svcfte_updateentities */
};

/* Sets of kinds, a bit (1 << kind) for each. */
enum {
    QS_ENTITIES_NONE = 0,
    QS_ENTITIES_ALL = 0xf,
    QS_ENTITIES_KEPT = 1 << QS_ENTITY_BASELINE | 1 << QS_ENTITY_FRAME |
                       1 << QS_ENTITY_REPLACEMENT /* for rebuilding sign-ons */
};

/* Values that an update may have, for qs_entity_update.has. */
enum { QS_ENTITY_MODEL = 0x01, QS_ENTITY_YAW = 0x02, QS_ENTITY_ORIGIN1 = 0x10 /* << axis */ };

/* An entity update as the protocol's parser read it. */
struct qs_entity_update {
    enum qs_entity_kind kind;
    uint32_t message; /* index of its message in qs_found.messages */
    uint32_t number;
    uint32_t bits;         /* the protocol's field bits; 0 if it removes the entity */
    uint8_t predbits;      /* UFP_* of a replacement with UF_PREDINFO */
    bool removes;          /* removes the entity; as a replacement of number 0, all entities */
    uint8_t has;           /* set of QS_ENTITY_* values; 0 for a replacement */
    uint16_t model;        /* number in the precache list */
    double origin[3], yaw; /* units, degrees */
    struct qs_view bytes;  /* of a frame or replacement: bytes in the packet, from the number on */
};

/* Adds an entity update of the current message, if wanted; nothing after an overrun or `stop`. */
static inline void qs_add_entity(struct qs_decoder *d, struct qs_entity_update *update)
{
    if (!(d->want_entities >> update->kind & 1) || d->in.overrun || d->stop)
        return;
    update->message = d->found.messages->len;
    g_array_append_vals(d->found.entities, update, 1);
}

#endif
