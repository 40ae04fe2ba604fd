/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The match of a session: the players of each level, their teams and frags, and all changes. */
#ifndef QS_SESSIONS_MATCH_H
#define QS_SESSIONS_MATCH_H

#include <glib.h>

#include "common/core/decode.h"

/* Limits, because input can change names a million times: the rest is left out. */
enum {
    QS_MATCH_LEVELS_MAX = 32,    /* levels; the last ones are kept */
    QS_MATCH_PLAYERS_MAX = 1024, /* players in all levels, and changes */
    QS_MATCH_CHANGES_MAX = 4096
};

#define QS_MATCH_UNKNOWN INT32_MIN

struct qs_match_player {
    uint16_t number;           /* number in the level, from 0 */
    char *name, *team;         /* latest; UTF-8; NULL if unknown */
    int32_t frags, ping, loss; /* or QS_MATCH_UNKNOWN */
    int64_t from, to;          /* times of packets; `to` is valid unless `present` */
    bool present;              /* had not left when the level ended */
    bool spectator;
    int32_t user;         /* user number of QS_PLAYER_INFO */
    int32_t frags_before; /* frags before the last change */
    int64_t changed;      /* time of that change */
};

enum qs_match_change_kind { QS_MATCH_NAME, QS_MATCH_TEAM, QS_MATCH_FRAGS };

struct qs_match_change {
    int64_t time;
    enum qs_match_change_kind kind;
    uint16_t player;
    int32_t frags;
    char *text; /* new name or team; or NULL */
};

struct qs_match_level {
    char *map; /* NULL if unknown */
    int64_t from, to;
    bool over;        /* svc_intermission was received: frags do not count any more */
    bool teams_count; /* true in a game of teams */
    /* The sign-on was not captured, and a packet was not decoded to its end: an unknown extension
     * may have changed the messages, so no frags are known. */
    bool undecodable;
    int64_t scored; /* time when frags last changed */
    int64_t reset;  /* time when frags were last reset to 0 */
    uint64_t left_out;
    GPtrArray *players; /* struct qs_match_player, in the order of their arrival */
    GArray *changes;    /* struct qs_match_change */
};

/* A match. Read-only for callers. */
struct qs_match {
    GPtrArray *levels;                              /* struct qs_match_level */
    uint32_t level;                                 /* number of the last level in the session */
    struct qs_match_player *slots[QS_PLAYER_SLOTS]; /* players of the last level; NULL: empty */
    int32_t left_out[QS_PLAYER_SLOTS]; /* user number of the slot's player who is left out, or 0 */
    guint players, changes;
};

struct qs_match *qs_match_new(void);
void qs_match_free(struct qs_match *match); /* or NULL */

/* Updates the match. Call it after each packet of the session was decoded. */
void qs_match_packet(struct qs_match *match, const struct qs_decoder *decoder,
                     const struct qs_packet *packet);

/* Removes the levels with packets since then, which are read again. */
void qs_match_rewind(struct qs_match *match, int64_t since);

/* Returns the names of all who played in any level, each once, NULL-terminated, to be freed by
 * g_strfreev(). */
char **qs_match_names(const struct qs_match *match);

/* Returns a player's frags, QS_MATCH_UNKNOWN in an undecodable level. If the server reset them and
 * nobody has scored since, returns those before: the match has ended, and no other has begun. */
int32_t qs_match_frags(const struct qs_match_level *level, const struct qs_match_player *player);

struct qs_match_score {
    const char *name; /* name of a player or a team; NULL if unknown */
    int64_t frags;
};

/* Returns struct qs_match_score of the players who were on the scoreboard when frags last changed,
 * or of their teams; the most frags first. To be freed; the names are the level's. */
GArray *qs_match_scores(const struct qs_match_level *level, bool teams);

/* Returns the name of the first of qs_match_scores(); NULL if the second has as many frags, or
 * there is no second. */
const char *qs_match_winner(const GArray *scores);

/* Returns the scores of all levels that have any, printable, to be freed: "anna 21, bert 17", or
 * for several levels "dm4: anna 21, bert 17; dm6: ...". NULL if nobody scored. */
char *qs_match_score_text(const struct qs_match *match);

#endif
