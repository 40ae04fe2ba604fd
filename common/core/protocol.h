/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The record of a protocol: everything that the plugin and the tool know about a game. To add a
 * game, add a folder in common/ that defines a record, and a row in common/protocols.c.
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
 * An option of a protocol that a user may change (a Wireshark preference, `--option NAME=VALUE`).
 */
struct qs_option {
    const char *name; /* name without the protocol's prefix */
    const char *title;
    const char *description;
    const struct qs_name *choices; /* names of the values; NULL: a boolean, 0 or 1 */
    uint32_t standard;             /* default value */
};

/*
 * Description of a session for lists of sessions. The caller of `describe` frees the texts (UTF-8;
 * NULL if unknown).
 */
struct qs_description {
    char *version; /* "28", "28 FTE 0x2140f000" */
    char *map;
    char *player;
    bool spectator;
    bool has_all_players; /* server's demo or stream: no player is its own */
};

/* Maximum number of scoreboard slots in all games; maximum length of a player's name. */
enum { QS_PLAYER_SLOTS = 256, QS_PLAYER_CHARACTERS = 64 };

/* A player on the scoreboard. The caller of `player` frees the texts (UTF-8). */
struct qs_player {
    char *name;
    char *team; /* NULL if the game has no teams, or the team is unknown */
    bool spectator;
    bool has_frags;   /* false before the first message with frags */
    bool teams_count; /* the game is played in teams */
};

struct qs_protocol {
    const char *name;       /* prefix of all filter names, "qw" */
    const char *short_name; /* name in the protocol column, "QW" */
    const char *title;      /* "QuakeWorld" */
    const char *ports;      /* default UDP ports of servers, a range list, "27500,27000" */

    const struct qs_field *fields;
    unsigned field_count;
    unsigned undecoded; /* row for undecoded bytes */
    unsigned links;     /* first row of links.def */
    uint32_t notes;     /* set of QS_NOTE_BIT() of the notes that it adds */

    const struct qs_option *options;
    unsigned option_count;

    size_t session_size;
    void (*session_init)(struct qs_session *session);
    /* Makes `to`, raw memory of session_size bytes, a copy of `from`. */
    void (*session_copy)(struct qs_session *to, const struct qs_session *from);
    void (*session_clear)(struct qs_session *session);
    /* Resets what concerns only the last packet and is not needed to decode later ones. NULL if the
     * session has nothing of the kind. */
    void (*session_forget_packet)(struct qs_session *session);
    /* True if the sessions share all storage that copies can share (tables, fragments), and so
     * differ in plain values only. */
    bool (*session_shares)(const struct qs_session *a, const struct qs_session *b);
    void (*describe)(const struct qs_session *session, struct qs_description *description);
    /* Fills `player` from a slot of the scoreboard, below QS_PLAYER_SLOTS. Returns false if the
     * slot is empty or its player unknown. NULL if the protocol does not report players. */
    bool (*player)(const struct qs_session *session, uint32_t slot, struct qs_player *player);

    /* Returns the role of a config string, by its range (the row with QS_ROLE_RANGE) and its number
     * in that range. NULL: the protocol has none. */
    enum qs_role (*config_role)(uint32_t range, uint32_t number);

    /*
     * True if the packet can be of no other protocol, judged by its bytes alone: its conversation
     * then gets this protocol, whatever its ports. Must be strict, because it is called for all
     * traffic. `protocol` is this record.
     */
    bool (*recognize)(const struct qs_protocol *protocol, const struct qs_packet *packet);
    /*
     * True if nothing in the packet identifies this protocol, although a port is a server's
     * (`source_is_server_port` or its counterpart is set). Called for conversations without a
     * protocol. If the capture starts mid-game, packets that can be read without session state are
     * not foreign; other packets may be.
     */
    bool (*is_foreign)(const struct qs_protocol *protocol, const struct qs_packet *packet);
    /*
     * True if `recognize` may be wrong because the protocol has no magic bytes: it is called only
     * if the user requests that.
     */
    bool recognize_on_request;

    /*
     * Bit n: message n of a client is a move, with a checksum. 0: none is. Otherwise datagrams
     * begin with a sequence number and an acknowledgement, of 32 bits each: several datagrams of
     * both ends with matching numbers and readable moves identify the protocol.
     */
    uint32_t moves;

    /*
     * Reads the datagram's sequence numbers, given the session so far; the packet's `from` is
     * known. Returns false, with `seqinfo` undefined, if the datagram has no number or it is
     * unknown. NULL if the protocol has no numbers.
     */
    bool (*seqinfo)(const struct qs_session *session, const struct qs_packet *packet,
                    struct qs_seqinfo *seqinfo);

    /* How the engines number datagrams, for the quality of the path; NULL if they do not. */
    const struct qs_path_rules *path;

    /* Decodes the decoder's packet. Called by qs_decode(). */
    void (*decode)(struct qs_decoder *decoder);

    /*
     * For conversations over TCP; all NULL if the protocol has none. A stream is divided into PDUs,
     * each of which is decoded like a packet.
     */
    const char *stream_ports; /* default TCP ports of servers, a range list */
    /* True if the first bytes of either end can be of no other protocol. Must be strict. */
    bool (*recognize_stream)(struct qs_view start);
    /*
     * Returns a lower bound of the length of the PDU that begins with `start`, never 0
     * (`start->from` is known; number and time are not used). The caller waits for that many bytes
     * and calls again: the PDU is complete if the result is not larger than the available size.
     * Bytes that cannot be divided are one PDU. `seen`: available size at the last call for this
     * PDU, else 0; these bytes need not be searched again.
     */
    uint32_t (*pdu_length)(const struct qs_session *session, const struct qs_packet *start,
                           uint32_t seen);
    /* Decodes one complete PDU. Called by qs_decode_pdu(). */
    void (*decode_pdu)(struct qs_decoder *decoder);
    /* Decodes server messages without a packet header, as demo files contain them; or NULL. Called
     * by qs_decode_server_messages(). */
    void (*decode_server_messages)(struct qs_decoder *decoder);
};

/* Returns the session's player, or all current players of a server's stream, "anna, bert" (g_free()
 * it); NULL if unknown. */
char *qs_player_of(const struct qs_protocol *protocol, const struct qs_session *session);

/*
 * Returns the second filter name of the group of a message: "qw.damage" for "qw.svc_damage"
 * (g_free() it). Returns NULL for other rows, or if another row has that name.
 */
char *qs_alias_of(const struct qs_protocol *protocol, const struct qs_field *row);

/* Returns the session's current map (g_free() it); NULL if unknown. */
static inline char *qs_map_of(const struct qs_protocol *protocol, const struct qs_session *session)
{
    struct qs_description description = {0};

    protocol->describe(session, &description);
    g_free(description.version);
    g_free(description.player);
    return description.map;
}

#endif
