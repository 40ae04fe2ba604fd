/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who played in a session, and how it ended: the players of each level, their teams and frags, and
 * when these changed.
 */
#ifndef QS_SESSIONS_MATCH_H
#define QS_SESSIONS_MATCH_H

#include <glib.h>

#include "common/core/parse.h"

/* Input can change names a million times: further levels, players and changes are left out. */
enum {
    QS_MATCH_LEVELS_MAX = 32,
    QS_MATCH_PLAYERS_MAX = 1024, /* of all levels */
    QS_MATCH_CHANGES_MAX = 4096
};

/* Not known. */
#define QS_MATCH_UNKNOWN INT32_MIN

/* Texts are printable UTF-8. */
struct qs_match_player {
    char *name;                /* the last; NULL: unknown */
    char *team;                /* the last; NULL: none, or unknown */
    int32_t frags, ping, loss; /* or QS_MATCH_UNKNOWN */
    int64_t from, to;          /* nanoseconds: times of packets */
    bool present;              /* had not left when the level ended */
    bool spectator;            /* whenever it was known */
    int32_t user;              /* who it is: of QS_PLAYER_INFO */
    int32_t frags_before;      /* before the last change, */
    int64_t changed;           /* which was at this time */
};

enum qs_match_change_kind { QS_MATCH_NAME, QS_MATCH_TEAM, QS_MATCH_FRAGS };

struct qs_match_change {
    int64_t time;
    enum qs_match_change_kind kind;
    uint16_t player; /* its index in the level */
    int32_t frags;   /* of QS_MATCH_FRAGS */
    char *text;      /* of the others; NULL: none */
};

struct qs_match_level {
    char *map; /* NULL: unknown */
    int64_t from, to;
    bool over;          /* svc_intermission has come: frags count no longer */
    bool teams_count;   /* it is a game of teams */
    int64_t scored;     /* when frags last changed */
    GPtrArray *players; /* struct qs_match_player, in the order in which they came */
    GArray *changes;    /* struct qs_match_change */
    uint64_t left_out;  /* players beyond the limit */
};

/* For reading only. */
struct qs_match {
    GPtrArray *levels;              /* struct qs_match_level */
    uint32_t level;                 /* number of the last, in the session */
    int16_t slots[QS_PLAYER_SLOTS]; /* players by slot: their index in the last level; -1: nobody */
    guint players, changes;         /* of all levels */
};

struct qs_match *qs_match_new(void);
void qs_match_free(struct qs_match *match);

/* After each packet of the session that was decoded. */
void qs_match_packet(struct qs_match *match, const struct qs_decoder *decoder,
                     const struct qs_packet *packet);

/* The present level's map is known. */
void qs_match_set_map(struct qs_match *match, const char *map);

/* Everybody who played in any level: char *, each name once. New. */
GPtrArray *qs_match_names(const struct qs_match *match);

/* --- The score of a level: of who was there when frags last changed. Leaves spectators out. */

struct qs_match_score {
    const char *name; /* of a player, or of a team in a game of teams; NULL: unknown */
    int64_t frags;
};

/* struct qs_match_score, the most frags first. `teams`: of teams, whatever the game counts. New. */
GArray *qs_match_scores(const struct qs_match_level *level, bool teams);

/* The winner of such scores; NULL: none, or several have as many frags. */
const char *qs_match_winner(const GArray *scores);

/* "anna 21, bert 17", of each level in which somebody scored: "...; ..."; NULL: in none. New. */
char *qs_match_score_text(const struct qs_match *match);

#endif
