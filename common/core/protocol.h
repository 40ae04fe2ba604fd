/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The record of a protocol: all that the plugin and the tool know about a game. To add a game, add
 * a folder in common/ that defines one of these, and a row in common/protocols.c.
 */
#ifndef QS_CORE_PROTOCOL_H
#define QS_CORE_PROTOCOL_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/field.h"
#include "common/core/packet.h"
#include "common/core/reader.h"
#include "common/core/session.h"

struct qs_decoder;
struct qs_path_rules;
struct qs_seqinfo;

/*
 * A setting of a protocol that a user may change (a Wireshark preference, `--option NAME=VALUE`).
 */
struct qs_option {
    const char *name; /* without the protocol's prefix */
    const char *title;
    const char *description;
    const struct qs_name *choices; /* NULL: a boolean, 0 or 1 */
    uint32_t standard;             /* default value */
};

/*
 * A session's row in a list of sessions. The caller of `describe` owns the texts: UTF-8; NULL:
 * unknown.
 */
struct qs_description {
    char *version; /* "28", "28 FTE 0x2140f000" */
    char *map;
    char *player;
    bool spectator;
    bool is_servers; /* a server's demo or stream: it has all players, and none is its own */
};

/* Slots of a scoreboard, the most that any game has; characters of a name that are kept. */
enum { QS_PLAYER_SLOTS = 256, QS_PLAYER_CHARACTERS = 64 };

/* A player on the scoreboard. The caller of `player` owns the texts: UTF-8. */
struct qs_player {
    char *name;
    char *team; /* NULL: the game has none, or it is unknown */
    bool spectator;
    bool has_frags;   /* 0 before the first message that has them */
    bool teams_count; /* the game is one of teams */
};

struct qs_protocol {
    const char *name;       /* prefix of all filter names, "qw" */
    const char *short_name; /* for the protocol column, "QW" */
    const char *title;      /* "QuakeWorld" */
    const char *ports;      /* UDP ports of servers by default, as a range list, "27500,27000" */

    const struct qs_field *fields;
    unsigned field_count;
    unsigned undecoded; /* the row for undecoded bytes */
    unsigned links;     /* the first of the rows of links.def */
    uint32_t notes;     /* QS_NOTE_BIT() of those it gives */

    const struct qs_option *options;
    unsigned option_count;

    size_t session_size;
    void (*session_init)(struct qs_session *session);
    /* `to` is raw memory of session_size bytes. */
    void (*session_copy)(struct qs_session *to, const struct qs_session *from);
    void (*session_clear)(struct qs_session *session);
    /* Forgets what is of the last packet only: nothing that later ones are decoded with. NULL:
     * there is nothing. */
    void (*session_forget_packet)(struct qs_session *session);
    /* Whether all that both own and copies share (tables, fragments) is the same: so that they
     * differ in plain values only. */
    bool (*session_shares)(const struct qs_session *a, const struct qs_session *b);
    void (*describe)(const struct qs_session *session, struct qs_description *description);
    /* The player in a slot of the scoreboard, below QS_PLAYER_SLOTS. False: nobody, or nobody that
     * is known. NULL: the protocol tells nothing of players. */
    bool (*player)(const struct qs_session *session, uint32_t slot, struct qs_player *player);

    /* The role of a config string, by the values of QS_ROLE_RANGE and its number there. NULL: there
     * are none. */
    enum qs_role (*config_role)(uint32_t range, uint32_t number);

    /*
     * Whether the packet can be of no other protocol, judged by its bytes alone: then its
     * conversation is taken for this protocol's, whatever its ports. Must be strict: it is asked of
     * all traffic. `protocol` is this record.
     */
    bool (*recognize)(const struct qs_protocol *protocol, const struct qs_packet *packet);
    /*
     * Whether nothing in the packet identifies this protocol, although it has a server's port.
     * Called for conversations without a protocol; the packet's ends say whose port it is. If the
     * capture began during a game, its packets are not foreign if they can be read without session
     * state; others of that game may be.
     */
    bool (*is_foreign)(const struct qs_protocol *protocol, const struct qs_packet *packet);
    /*
     * `recognize` may be wrong, since the protocol has no magic bytes: it is called only if the
     * user asks for that.
     */
    bool recognize_on_request;

    /* Servers answer a request for a connection from one port and play on another. */
    bool has_game_ports;

    /*
     * Bit n: message n of a client is a move, with a checksum. 0: there is none. Else its datagrams
     * begin with a number and an acknowledgement, of 32 bits each: several of both ends, whose
     * numbers match, with moves that can be read, are of no other protocol.
     */
    uint32_t moves;

    /*
     * Reads the datagram's sequence numbers, with what the session knows so far; its end `from` is
     * known. False, with `seqinfo` undefined: it has no number, or the number is unknown. NULL: the
     * protocol has no numbers.
     */
    bool (*seqinfo)(const struct qs_session *session, const struct qs_packet *packet,
                    struct qs_seqinfo *seqinfo);

    /* How its engines number datagrams, for the quality of the path; NULL: they do not. */
    const struct qs_path_rules *path;

    /* Decodes the packet that the decoder holds. Called by qs_decode(). */
    void (*decode)(struct qs_decoder *decoder);

    /*
     * Conversations over TCP; all NULL if the protocol has none. A stream is cut into units, and
     * each unit is decoded as a packet.
     */
    const char *stream_ports; /* TCP ports of servers by default, a range list */
    /* Whether the first bytes of either end can be of no other protocol. Must be strict. */
    bool (*recognize_stream)(struct qs_view start);
    /*
     * How many bytes the unit that begins with `start` has at least (`start->from` is known; number
     * and time are not used). Never 0. The caller waits for as many bytes and asks again: the unit
     * is whole where the answer is no more than there is. Bytes that cannot be divided are one
     * unit. `seen`: how many bytes there were when the caller last asked of this unit, else 0;
     * these need not be searched again.
     */
    uint32_t (*pdu_length)(const struct qs_session *session, const struct qs_packet *start,
                           uint32_t seen);
    /* Decodes one whole unit. Called by qs_decode_unit(). */
    void (*decode_unit)(struct qs_decoder *decoder);
    /* Decodes server messages without a packet's header, as demo files hold them, or NULL. Called
     * by qs_decode_server_messages(). */
    void (*decode_server_messages)(struct qs_decoder *decoder);
};

/* The session's player, or all that a server's stream has at present, "anna, bert": new; NULL:
 * unknown. */
char *qs_player_of(const struct qs_protocol *protocol, const struct qs_session *session);

/*
 * The second filter name of a group of a message's fields: "qw.damage" of "qw.svc_damage", new.
 * NULL: it is no such group, or another row has that name.
 */
char *qs_alias_of(const struct qs_protocol *protocol, const struct qs_field *row);

/* The map that the session is on: new; NULL: unknown. */
static inline char *qs_map_of(const struct qs_protocol *protocol, const struct qs_session *session)
{
    struct qs_description description = {0};

    protocol->describe(session, &description);
    g_free(description.version);
    g_free(description.player);
    return description.map;
}

#endif
