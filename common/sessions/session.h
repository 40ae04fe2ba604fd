/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session: one connection of a client to a server, from its first packet to its last; and the
 * events of sessions and packets, which a handler receives.
 */
#ifndef QS_SESSIONS_SESSION_H
#define QS_SESSIONS_SESSION_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/decode.h"
#include "common/demo/format.h"
#include "common/netchan/quality.h"
#include "common/sessions/demo.h"
#include "common/sessions/heuristic.h"
#include "common/sessions/match.h"

enum qs_session_end {
    QS_SESSION_OPEN,         /* it has not ended */
    QS_SESSION_DISCONNECTED, /* one of the ends disconnected */
    QS_SESSION_REPLACED,     /* the client began another session */
    QS_SESSION_SILENT,       /* idle too long, or too many sessions */
    QS_SESSION_INPUT_OVER    /* the input has ended */
};

enum { QS_SESSION_MAPS_MAX = 32, QS_SESSION_HOLES_MAX = 10 };

/* Packets of a session that the capture lacks. */
struct qs_session_holes {
    struct qs_hole first[QS_SESSION_HOLES_MAX];
    uint32_t count;
    uint64_t packets[2]; /* number in all holes, by direction - QS_C2S */
};

/* A session. Read-only for handlers, except demo->dropped. Texts: printable UTF-8, or NULL. */
struct qs_client_session {
    unsigned number;
    const struct qs_protocol *protocol;
    struct qs_address client, server; /* a guess while state.server is unknown */
    struct qs_location first;         /* place of its first packet */
    int64_t start;                    /* time of its first packet (ns since the epoch) */
    int64_t end;                      /* time of its last packet that is not connectionless (ns) */
    uint64_t packets;
    uint64_t problems;       /* number of packets with problems: see qs_decoder_problems() */
    uint64_t cut;            /* number of packets that the capture cut */
    uint32_t cut_to;         /* maximum size of their content (bytes) */
    struct qs_session state; /* state after its last packet */
    struct qs_session_holes holes;
    struct qs_path *quality;   /* path quality; NULL if not wanted */
    struct qs_path_event path; /* what its last packet shows of the path */
    struct qs_match *match;    /* players and frags, of demos and streams or if wanted; or NULL */
    char *version, *player;    /* version, and player: all players in a server's demo or stream */
    char *map;                 /* map of the current level */
    bool spectator;            /* true if the player is a spectator now */
    enum qs_session_end why;   /* reason of its end */
    GPtrArray *maps;           /* char *: maps in order, at most QS_SESSION_MAPS_MAX */
    bool chosen;               /* selected by --session, or by default */
    bool received_from_server; /* the capture has packets of the server */
    bool received_from_client; /* the capture has packets of the client */

    /* Format of the demo that it was read from: its packets are blocks, and it has no addresses.
     * NULL if it was read from a capture. */
    const struct qs_demo_format *recorded;
    const struct qs_demo_format *format; /* format of its demo, or NULL */
    struct qs_session_demo *demo;        /* NULL if it has no format, or if no demo is wanted */
};

/*
 * True if both ends take part in the session, or one of them for a while: an attacker cannot forge
 * that much for each of a million addresses.
 */
bool qs_client_session_is_live(const struct qs_client_session *session);

/* --- Events ---------------------------------------------------------------------------------- */

/* A packet that was decoded. */
struct qs_decoded_packet {
    struct qs_location location; /* `file` is interned */
    const struct qs_packet *packet;
    const struct qs_decoder *decoder;
    const struct qs_client_session *session; /* NULL if it belongs to none */
    uint64_t conversation;                   /* number of the conversation, from 1 */
};

/* Number of sessions too small to be reported one by one, and of their packets. */
struct qs_small_sessions {
    uint64_t sessions, packets;
};

/* Games that were not recognized, or not captured. */
struct qs_missed_games {
    uint16_t ports[2];        /* ports of a conversation numbered like an unknown game's; or 0 */
    uint64_t announced;       /* number of server ports that were announced, but have no packet */
    struct qs_address server; /* the last of these servers */
};

/*
 * Receives events. Any function may be NULL. An implementation begins with this struct. Session
 * events are reported once, and for selected sessions only.
 */
struct qs_sessions_handler {
    struct qs_sink *sink; /* receives the fields of each packet; or NULL */
    bool want_summary;    /* this and the next three are the decoder's options */
    bool want_transfers;
    bool unchecked;
    struct qs_redactor *redactor; /* or NULL */
    bool want_figures;            /* fill qs_client_session.quality and .match */
    bool want_rebuild;            /* run rebuilders */
    bool write_demos;             /* store what rebuilders write */
    bool as_captured;             /* keep packets in the captured order */
    void (*packet)(struct qs_sessions_handler *handler, const struct qs_decoded_packet *decoded);
    /* The conversation has ended; `packet` was called for at least one of its packets. */
    void (*conversation_over)(struct qs_sessions_handler *handler, uint64_t conversation,
                              const struct qs_protocol *protocol);
    /* The session is live: see qs_client_session_is_live(). Precedes the next three events. */
    void (*session_begin)(struct qs_sessions_handler *handler,
                          const struct qs_client_session *session);
    /* The session began before the capture, and its demo needs a sign-on. */
    void (*session_late)(struct qs_sessions_handler *handler,
                         const struct qs_client_session *session);
    /* The session's map is known; once for each level. */
    void (*session_map)(struct qs_sessions_handler *handler,
                        const struct qs_client_session *session);
    /* A file of the session's demo was written, or could not be: see `error`. */
    void (*demo_file)(struct qs_sessions_handler *handler, const struct qs_client_session *session,
                      const struct qs_session_demo_file *file);
    /* The session has ended. Also called if it was never live. */
    void (*session_end)(struct qs_sessions_handler *handler,
                        const struct qs_client_session *session);
    /* The session has ended without session_end(). Also called if it is not selected. */
    void (*session_left_out)(struct qs_sessions_handler *handler,
                             const struct qs_client_session *session);
    /* Called once at the end, if there are any. */
    void (*others)(struct qs_sessions_handler *handler, const struct qs_small_sessions *others);
    void (*missed)(struct qs_sessions_handler *handler, const struct qs_missed_games *missed);
};

/* --- Options --------------------------------------------------------------------------------- */

struct qs_range {
    uint64_t first, last; /* inclusive */
};

/* True if a range of the array contains the number. */
bool qs_ranges_have(const GArray *ranges, uint64_t number);

/* The session limit and its effects. */
struct qs_session_limits {
    guint max;         /* maximum number of live sessions */
    uint64_t ended;    /* number of live sessions that were ended early */
    uint64_t left_out; /* number of sessions that were ignored */
};

/* The user's options for sessions. */
struct qs_sessions_options {
    GArray *chosen;                 /* struct qs_range: numbers of sessions; empty: all */
    guint sessions_max;             /* maximum number of live sessions */
    bool (*has_memory)(guint live); /* true if memory suffices for one more; NULL: always */
    /* Called at the end if sessions were ended early or ignored; or NULL. */
    void (*limited)(const struct qs_session_limits *limits);
    struct qs_demo_store *store; /* store of demos; NULL: nothing is stored */
    struct qs_session_demo_options demo;
    bool both_ends;      /* ignore sessions in which only one end has sent */
    int64_t idle;        /* time without packets after which a session ends (ns); 0: QS_FLOW_IDLE */
    GPtrArray *sign_ons; /* donors of the user: see qs_donor_demos_new(); or NULL */
    struct qs_protocol_selection *selection;
    uint32_t *protocol_options[QS_PROTOCOLS_MAX]; /* by protocol, for qs_decoder.options */
    /* Returns the protocol of a conversation that nothing else reveals, by one of its packets, or
     * QS_PROTOCOL_NONE. May be NULL. */
    int (*find_protocol)(const struct qs_packet *packet);
};

/* True if the session's packets are kept until its end, when its demo is made. */
bool qs_client_session_waits(const struct qs_client_session *session);

#endif
