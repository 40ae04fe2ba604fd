/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a decode finds in a packet besides its fields: requests and responses, passwords, steps of
 * file transfers, and updates of entities. Parse functions add them; struct qs_decoder keeps them
 * until the next decode.
 */
#ifndef QS_CORE_FINDINGS_H
#define QS_CORE_FINDINGS_H

#include <glib.h>
#include <stdint.h>

#include "common/core/decoder.h"

/* --- Requests and responses: two columns of message rows, as sets of QS_ASK_ bits */

/* clang-format off */
/* Each kind, and what reports call it. */
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

/* Sets of them, with short names for the columns of messages.def. */
enum {
    QS_ASK_NOTHING = 0,
#define ASK(id, name) QS_ASK_##id = 1u << QS_REQUEST_##id,
    QS_REQUESTS(ASK)
#undef ASK
    /* No request or response, but it sets the direction: in the column of requests a client sends
     * it (to a master, a server is a client), in the other a server. */
    QS_TELLS = 1u << QS_REQUEST_KINDS,
};
/* clang-format on */

/* Requests, and those of them that were answered. */
struct qs_request_count {
    uint32_t requests, answered;
};

const char *qs_request_name(enum qs_request_kind kind);

/*
 * The packet asks for one of `asks`, or answers one of `answers`. Keeps at most QS_REQUESTS_MAX of
 * a packet. The sender of a request is a client: this sets the packet's direction if it is unknown.
 */
void qs_add_requests(struct qs_decoder *d, uint32_t asks, uint32_t answers);

/* The packet's last request and its response share a key. */
void qs_request_set_key(struct qs_decoder *d, uint32_t key);

/* Limits the packet's last response to `answers`. */
void qs_request_narrow(struct qs_decoder *d, uint32_t answers);

/* --- Passwords */

/*
 * The field `row` of the packet has a password. `user`: raw text, or the empty view. Keeps at most
 * QS_CREDENTIALS_MAX of a packet.
 */
void qs_add_credential(struct qs_decoder *d, unsigned row, const char *purpose,
                       struct qs_view user);

/* The same for the user info with which a client connects; does nothing if it has no password. */
void qs_add_userinfo_credential(struct qs_decoder *d, unsigned row, struct qs_view userinfo);

/* --- File transfers: the steps that a packet carries; netchan/transfer.h makes files of them */

enum qs_transfer_event {
    QS_TRANSFER_REQUEST, /* the client asks for `name`, from byte `offset` on */
    QS_TRANSFER_NEXT,    /* the client asks for the next block, or for a chunk */
    QS_TRANSFER_REFUSED, /* the server does not send the file; with `name` where the server names it
                          */
    QS_TRANSFER_BEGIN,   /* the server sends `name`, `total` bytes in chunks, packed or not */
    QS_TRANSFER_CHUNK,   /* `data` is at `offset`; what is past the file's end is padding */
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
    struct qs_view name; /* as sent; data NULL: none */
    struct qs_view data;
    uint64_t offset, total;
    uint8_t percent;
};

/*
 * Adds a copy to decoder->transfers if that is enabled and the receiver accepts the packet. Does
 * nothing after an overrun.
 */
void qs_add_transfer(struct qs_decoder *d, const struct qs_transfer *transfer);

/* Copies bytes into `pool`, as g_memdup2() does. */
typedef void *qs_memory_copy(void *pool, const void *bytes, size_t size);

/* A transfer whose bytes are copied. */
struct qs_transfer qs_transfer_copy(const struct qs_transfer *transfer, qs_memory_copy *copy,
                                    void *pool);

/* Frees what an element of decoder->transfers holds. */
void qs_transfer_clear(void *transfer);

/* --- Players: what changes on the scoreboard; common/sessions/match.h keeps it */

enum qs_player_event_kind {
    QS_PLAYER_INFO, /* the session has its name and team; value: its user id, 0: nobody */
    QS_PLAYER_TEAM, /* value: the team's number, where the session does not have it */
    QS_PLAYER_FRAGS,
    QS_PLAYER_PING,      /* ms */
    QS_PLAYER_LOSS,      /* percent */
    QS_PLAYER_LEVEL_OVER /* of no slot: frags count no longer */
};

enum { QS_PLAYER_USER_UNKNOWN = -1 };

struct qs_player_event {
    enum qs_player_event_kind kind;
    uint32_t slot;
    int32_t value;
};

/* Adds an event to decoder->player_events if the receiver accepts the packet. */
void qs_add_player_event(struct qs_decoder *d, enum qs_player_event_kind kind, uint32_t slot,
                         int32_t value);

/* --- Updates of entities */

/* The kind of message that an update of an entity is in. */
enum qs_entity_kind {
    QS_ENTITY_BASELINE,   /* the state that updates are relative to */
    QS_ENTITY_UPDATE,     /* changes to the baseline */
    QS_ENTITY_FRAME,      /* changes to the client's last state: svc_entities */
    QS_ENTITY_REPLACEMENT /* the same: svcfte_updateentities */
};

/* Sets of kinds, a bit (1 << kind) for each. */
enum {
    QS_ENTITIES_NONE = 0,
    QS_ENTITIES_ALL = 0xf,
    QS_ENTITIES_KEPT = 1 << QS_ENTITY_BASELINE | 1 << QS_ENTITY_FRAME |
                       1 << QS_ENTITY_REPLACEMENT /* by sign-ons */
};

/* The values that an update has, see below. */
enum { QS_ENTITY_MODEL = 0x01, QS_ENTITY_YAW = 0x02, QS_ENTITY_ORIGIN1 = 0x10 /* << axis */ };

/* An update of an entity as the protocol's parser read it. */
struct qs_entity_update {
    enum qs_entity_kind kind;
    uint32_t message; /* its message: index in qs_decoder.messages */
    uint32_t number;
    uint32_t bits;         /* of the protocol: which fields it has; 0 if it removes the entity */
    uint8_t predbits;      /* UFP_*, of a replacement with UF_PREDINFO */
    bool removes;          /* a replacement of number 0: all entities */
    uint8_t has;           /* QS_ENTITY_*: which of these it has; 0 for a replacement */
    uint16_t model;        /* number in the precache list */
    double origin[3], yaw; /* units, degrees */
    struct qs_view bytes;  /* of a frame or replacement, from the number on; in the packet */
};

/* Passes on an update of an entity of the current message; does nothing after an overrun. */
static inline void qs_add_entity(struct qs_decoder *d, struct qs_entity_update *update)
{
    if (!(d->want_entities >> update->kind & 1) || d->in.overrun || d->stop)
        return;
    update->message = d->found.messages->len;
    g_array_append_vals(d->found.entities, update, 1);
}

#endif
