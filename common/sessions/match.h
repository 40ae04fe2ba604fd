/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who played in a session, and how it ended: the players of each level, with teams and frags, and
 * when these changed. */
#ifndef QS_SESSIONS_MATCH_H
#define QS_SESSIONS_MATCH_H

#include <glib.h>

#include "common/core/decode.h"

/* Input can change names a million times: what is beyond these is left out. */
enum {
    QS_MATCH_LEVELS_MAX = 32,    /* the last */
    QS_MATCH_PLAYERS_MAX = 1024, /* of all levels, as are the changes */
    QS_MATCH_CHANGES_MAX = 4096
};

#define QS_MATCH_UNKNOWN INT32_MIN

struct qs_match_player {
    uint16_t number;           /* in the level, from 0 */
    char *name, *team;         /* the last, UTF-8; NULL: unknown */
    int32_t frags, ping, loss; /* or QS_MATCH_UNKNOWN */
    int64_t from, to;          /* times of packets; valid where it is not present: */
    bool present;              /* it had not left when the level ended */
    bool spectator;
    int32_t user;         /* of QS_PLAYER_INFO */
    int32_t frags_before; /* the last change, */
    int64_t changed;      /* which was then */
};

enum qs_match_change_kind { QS_MATCH_NAME, QS_MATCH_TEAM, QS_MATCH_FRAGS };

struct qs_match_change {
    int64_t time;
    enum qs_match_change_kind kind;
    uint16_t player;
    int32_t frags;
    char *text; /* name or team */
};

struct qs_match_level {
    char *map; /* NULL: unknown */
    int64_t from, to;
    bool over;        /* svc_intermission has come: frags count no longer */
    bool teams_count; /* it is a game of teams */
    int64_t scored;   /* when frags last changed */
    int64_t reset;    /* when they last fell to 0 at once */
    uint64_t left_out;
    GPtrArray *players; /* struct qs_match_player, in the order in which they came */
    GArray *changes;    /* struct qs_match_change */
};

/* For reading only. */
struct qs_match {
    GPtrArray *levels;                              /* struct qs_match_level */
    uint32_t level;                                 /* the session's number of the last */
    struct qs_match_player *slots[QS_PLAYER_SLOTS]; /* of the last; NULL: nobody */
    guint players, changes;
};

struct qs_match *qs_match_new(void);
void qs_match_free(struct qs_match *match); /* or NULL */

/* After each packet of the session that was decoded. */
void qs_match_packet(struct qs_match *match, const struct qs_decoder *decoder,
                     const struct qs_packet *packet);

/* Everybody who played in any level, each name once, with a NULL behind. New. */
char **qs_match_names(const struct qs_match *match);

/* A player's frags. If the server took frags away and nobody has scored since, those before: a
 * match is over, and no other has begun. */
int32_t qs_match_frags(const struct qs_match_level *level, const struct qs_match_player *player);

struct qs_match_score {
    const char *name; /* of a player or a team; NULL: unknown */
    int64_t frags;
};

/* struct qs_match_score of the players who were there when frags last changed, or of their teams;
 * the most frags first. New. */
GArray *qs_match_scores(const struct qs_match_level *level, bool teams);

/* The winner of such scores; NULL: nobody, or several have as many frags. */
const char *qs_match_winner(const GArray *scores);

/* Returns the scores of all levels that have any, printable and new: "anna 21, bert 17", or for
 * several levels "dm4: anna 21, bert 17; dm6: ...". NULL if nobody scored. */
char *qs_match_score_text(const struct qs_match *match);

#endif
