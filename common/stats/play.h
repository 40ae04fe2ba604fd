/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What players of a session say, and where they go: chat, and the ways of those whose positions the
 * session's packets have. Both are bounded; ways get coarser instead of ending.
 */
#ifndef QS_STATS_PLAY_H
#define QS_STATS_PLAY_H

#include <glib.h>

#include "common/core/parse.h"

enum { QS_CHAT_MAX = 500, QS_WAYS_MAX = 64, QS_WAY_POINTS_MAX = 4096 };

/* --- A sink that keeps these values of the packet that is decoded ------------------------------
 */

struct qs_play_item {
    guint text, size; /* in `texts`: a line of chat, or a player's name; empty: the session's own */
    bool chat;
    bool has_x, has_y; /* what is not there is as before */
    double x, y;
};

struct qs_play_sink {
    struct qs_sink base;
    GArray *items; /* struct qs_play_item */
    GByteArray *texts;
    struct qs_play_item item;    /* of the player at hand */
    int depth, item_depth;       /* of open groups; 0: no player */
    const struct qs_field *last; /* number with names, before a text */
    uint32_t last_value;
};

void qs_play_sink_init(struct qs_play_sink *sink);
void qs_play_sink_clear(struct qs_play_sink *sink);

/* Another packet is decoded next. */
void qs_play_sink_begin(struct qs_play_sink *sink);

/* --- A session's ---------------------------------------------------------------------------------
 */

struct qs_chat_line {
    int64_t time;
    char *speaker; /* NULL: not known; then the text may have a name */
    char *text;    /* UTF-8 */
};

struct qs_way_point {
    int64_t time;
    float x, y;
    bool apart; /* how the player came here is not known, or it was no way: a teleporter */
};

struct qs_way {
    GByteArray *key;          /* the name, as it is sent */
    char *name;               /* UTF-8; NULL: the session's own player */
    GArray *points;           /* struct qs_way_point: of those seen, some */
    struct qs_way_point seen; /* last */
    bool has_x, has_y;
};

struct qs_play {
    GArray *chat;       /* struct qs_chat_line */
    guint chat_omitted; /* lines */
    GPtrArray *ways;    /* struct qs_way */
    guint points;       /* of all ways */
    float step;         /* from point to point, at least */
};

struct qs_play *qs_play_new(void);
void qs_play_free(struct qs_play *play);

/* Adds what the sink has of a packet that its receiver accepted. */
void qs_play_add(struct qs_play *play, const struct qs_play_sink *sink,
                 const struct qs_decoder *decoder);

#endif
