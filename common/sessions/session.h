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
#include "common/sessions/protocol_selection.h"
#include "common/sessions/match.h"

enum qs_session_end {
    QS_SESSION_GOES_ON,
    QS_SESSION_DISCONNECTED, /* one of the ends disconnected */
    QS_SESSION_REPLACED,     /* the client began another one */
    QS_SESSION_SILENT,       /* nothing came for too long, or there were too many others */
    QS_SESSION_INPUT_OVER    /* nothing follows in the input */
};

enum { QS_SESSION_MAPS_MAX = 32, QS_SESSION_HOLES_MAX = 10 };

/* What the capture lacks of a session. */
struct qs_session_holes {
    struct qs_hole first[QS_SESSION_HOLES_MAX];
    uint32_t count;
    uint64_t packets[2]; /* of all, by direction less QS_C2S */
};

/* For reading only. Texts are printable UTF-8, NULL where not known. */
struct qs_client_session {
    unsigned number;
    const struct qs_protocol *protocol;
    struct qs_address client, server; /* which is which is a guess while state.server is unknown */
    struct qs_location first;         /* its first packet */
    int64_t start;                    /* nanoseconds since the epoch: its first packet */
    int64_t end;                      /* its last, without those outside of the connection */
    uint64_t packets;
    uint64_t problems;       /* packets with something wrong: see qs_decoder_problems() */
    uint64_t cut;            /* packets of which the capture has only the beginning, */
    uint32_t cut_to;         /* at most so many bytes of their content */
    struct qs_session state; /* after its last packet */
    struct qs_session_holes holes;
    struct qs_path *quality;   /* of its line; NULL: nobody asked for it */
    struct qs_path_event path; /* what its last packet shows of that */
    struct qs_match *match;    /* who played; NULL unless wanted, or the input is a server's */
    char *version, *player;    /* of a server's demo or stream: everybody who played */
    char *map;                 /* of the present level */
    bool spectator;            /* now */
    enum qs_session_end why;   /* it is over */
    GPtrArray *maps;           /* char *, in order; at most QS_SESSION_MAPS_MAX */
    bool chosen;               /* by --session */
    bool received_from_server; /* the capture has packets of the server, */
    bool received_from_client; /* and of the client */

    /* The format of the demo that it was read from: its packets are blocks, and it has no
     * addresses. NULL: it was read from a capture. */
    const struct qs_demo_format *recorded;
    const struct qs_demo_format *format; /* of the demo that it is or gives, or NULL */
    struct qs_session_demo *demo;        /* NULL: it has no format, or no demo was wanted */
};

/*
 * Whether both ends take part in it, or one of them for a while: an attacker cannot forge that much
 * for each of a million addresses.
 */
bool qs_client_session_is_live(const struct qs_client_session *session);

/* --- Events ---------------------------------------------------------------------------------- */

/* A packet after its decode. */
struct qs_decoded_packet {
    struct qs_location location; /* `file` is interned */
    const struct qs_packet *packet;
    const struct qs_decoder *decoder;
    const struct qs_client_session *session; /* NULL: it belongs to none */
    uint64_t conversation;                   /* its number, from 1 on */
};

/* Sessions that are only counted together; see sessions.h. */
struct qs_small_sessions {
    uint64_t sessions, packets;
};

/* Games that the input seems to have, or that it should have. */
struct qs_missed_games {
    uint16_t ports[2];        /* of a conversation that is numbered like a game's; or 0 */
    uint64_t announced;       /* times that a server told a client to play on another port, */
    struct qs_address server; /* such as this one, of which the input has no packet */
};

/*
 * Receives events. Any function may be NULL. An implementation begins with this struct. Events of
 * sessions come only of chosen ones, and each once.
 */
struct qs_sessions_handler {
    struct qs_sink *sink; /* of every decode; or NULL */
    bool want_summary;    /* this and the next three are of the decoder */
    bool want_transfers;
    bool unchecked;
    struct qs_redactor *redactor; /* or NULL */
    bool want_figures;            /* qs_client_session.quality and .match */
    bool want_rebuild;            /* run rebuilders */
    bool write_demos;             /* and keep what they write */
    bool as_captured;             /* packets stay in the order in which they were captured */
    void (*packet)(struct qs_sessions_handler *handler, const struct qs_decoded_packet *decoded);
    /* No more packets of the conversation come; `packet` was called of one at least. */
    void (*conversation_over)(struct qs_sessions_handler *handler, uint64_t conversation,
                              const struct qs_protocol *protocol);
    /* The session is live: see qs_client_session_is_live(). The next three come behind that. */
    void (*session_begin)(struct qs_sessions_handler *handler,
                          const struct qs_client_session *session);
    /* It began before the input did; its demo needs a sign-on. */
    void (*session_late)(struct qs_sessions_handler *handler,
                         const struct qs_client_session *session);
    /* Its map is known; once a level. */
    void (*session_map)(struct qs_sessions_handler *handler,
                        const struct qs_client_session *session);
    /* A file of its demo is there, or cannot be: see `error`. */
    void (*demo_file)(struct qs_sessions_handler *handler, const struct qs_client_session *session,
                      const struct qs_session_demo_file *file);
    /* Also of sessions that are not live. */
    void (*session_end)(struct qs_sessions_handler *handler,
                        const struct qs_client_session *session);
    /* The session is over without session_end(), chosen or not. */
    void (*session_left_out)(struct qs_sessions_handler *handler,
                             const struct qs_client_session *session);
    /* Once, where there are any. */
    void (*others)(struct qs_sessions_handler *handler, const struct qs_small_sessions *others);
    void (*missed)(struct qs_sessions_handler *handler, const struct qs_missed_games *missed);
};

/* --- What the user asked for --------------------------------------------------------------------
 */

struct qs_range {
    uint64_t first, last; /* inclusive */
};

/* Whether a range of the array has the number. */
bool qs_ranges_have(const GArray *ranges, uint64_t number);

/* What the limits did. */
struct qs_session_limits {
    guint max;         /* live sessions */
    uint64_t ended;    /* live sessions, early */
    uint64_t left_out; /* sessions */
};

/* What the user asked for. */
struct qs_sessions_options {
    GArray *chosen;                 /* struct qs_range of sessions' numbers; empty: all */
    guint sessions_max;             /* live ones */
    bool (*has_memory)(guint live); /* for one more session beside so many; NULL: always */
    /* Called at the end where sessions were ended early or left out; or NULL. */
    void (*limited)(const struct qs_session_limits *limits);
    struct qs_demo_store *store; /* where demos go; NULL: nowhere */
    struct qs_session_demo_options demo;
    bool both_ends;      /* only sessions of which both ends sent, and demos of these */
    int64_t idle;        /* nanoseconds: a session is over after so long; 0: QS_FLOW_IDLE */
    GPtrArray *sign_ons; /* see qs_donor_demos_new(); or NULL */
    struct qs_protocol_selection *selection;
    uint32_t *protocol_options[QS_PROTOCOLS_MAX]; /* by protocol, for qs_decoder.options */
    /* The protocol of a conversation that nothing else shows, by one of its packets, or
     * QS_PROTOCOL_NONE; or NULL. */
    int (*find_protocol)(const struct qs_packet *packet);
};

/* Whether its packets are kept for a demo, which its end makes. */
bool qs_client_session_waits(const struct qs_client_session *session);

#endif
