/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What --sanitize lets pass of each game: messages by their names, numbers by the rows of their
 * fields, console commands. What is on no list is left out.
 */
#ifndef QS_DEMO_SANITIZE_RULES_H
#define QS_DEMO_SANITIZE_RULES_H

#include "common/core/session.h"
#include "common/demo/format.h"
#include "common/demo/sanitize/sanitize.h"
#include "common/demo/zip_archive.h"

enum sanitize_flags {
    SANITIZE_START = 1 << 0,    /* begins a level: without it the level's messages are left out */
    SANITIZE_ANYWHERE = 1 << 1, /* may stand outside of a level */
    SANITIZE_SIGN_ON = 1 << 2,  /* only before the first SANITIZE_GAME of a level */
    SANITIZE_GAME = 1 << 3,
    SANITIZE_EMPTIED = 1 << 4,  /* an update of entities: without them where it would be left out,
                                 * since later ones are changes to it */
    SANITIZE_PART = 1 << 5,     /* stays or goes with the message before it */
    SANITIZE_DELTA = 1 << 6,    /* such a one, which begins with what it is a change to */
    SANITIZE_COMMANDS = 1 << 7, /* svc_stufftext */
    SANITIZE_NEEDED = 1 << 8    /* if its contents are not on the lists, the level is left out */
};

/* Messages that are alike in these: */
struct sanitize_message {
    const char *names; /* with spaces between them */
    unsigned flags;
    unsigned kinds; /* of sessions, in which they may be: the game's bits; 0: in all */
    unsigned most;  /* so many in a level; 0: any number */
};

/* A number in a message: others make it one that is left out. */
struct sanitize_limit {
    unsigned row;
    int64_t low, high;
    uint32_t forbidden, needed; /* bits */
    uint32_t only_with, only;   /* with these bits no others than those */
    unsigned kinds;             /* of sessions, in which this counts; 0: in all */
    const char *message;        /* in which this counts; NULL: in all */
    bool of_clients;            /* `high` is added to the number of the server's slots */
    bool named;                 /* the number must have a name */
};

struct sanitize_game {
    const struct sanitize_message *messages; /* ends with names NULL */
    const struct sanitize_limit *limits;     /* end with a row 0 */
    const struct command *commands;
    uint8_t stufftext;   /* the number of svc_stufftext */
    unsigned ids[2];     /* rows of a message's number; the second: of one within a message, or 0 */
    bool has_font;       /* of Quake: bytes below 0x20 are glyphs */
    bool without_folder; /* a level may name none: the engine's own */
    /* The bits of a session as it is before the message at hand. */
    unsigned (*kinds)(const struct qs_session *session);
    /* The number of the server's slots. */
    uint32_t (*clients)(const struct qs_session *session);
    unsigned number_row; /* of a name in a list: the first model is the map */
    /* An update has at most so many entities, each of which has a value of the row; or NULL. */
    uint32_t (*most_entities)(const struct qs_session *session);
    unsigned entity_row;
    /* Appends a message that begins a level; NULL: as it is. */
    void (*append_start)(const struct qs_session *session, struct qs_view message, GByteArray *out);
    /* Whether the config string that was just read cannot stay beside the others; or NULL. */
    bool (*refuses)(const struct qs_session *session, uint32_t range, uint32_t number);
    /* Whether a level cannot be shown, after the messages before its game; or NULL. */
    bool (*is_broken)(const struct qs_session *session);
    /* Whether the program for the screen names statistics and clients that there are; or NULL. */
    bool (*is_layout)(struct qs_view program);
};

extern const struct sanitize_game sanitize_quakeworld;

/* texts.c */
enum sanitize_result {
    SANITIZE_SAME,
    SANITIZE_NEW,    /* other bytes were appended */
    SANITIZE_REFUSED /* the message must not stay */
};

/*
 * Appends the text as it may stay where its role is `role`, and says whether it is another one.
 * Nothing is appended where it is the same. `info_key`: for QS_ROLE_VALUE.
 */
enum sanitize_result sanitize_text(const struct sanitize_game *game, enum qs_role role,
                                   struct qs_view text, struct qs_view info_key, GByteArray *out);

/* Appends the info string without what engines do more with than show it. */
void sanitize_append_info(struct qs_view info, GByteArray *out);

bool sanitize_is_file(struct qs_view name);

/* The blocks of sanitized demos, format by format: how they are read without a doubt and written.
 */

/* A block that was decoded. */
struct sanitize_block {
    struct qs_demo_writer *out;
    struct zip_archive_watch *watch; /* of all that was written */
    const struct qs_decoder *decoder;
    struct qs_view block; /* with its framing */
    uint32_t payload;     /* where its payload begins; 0: it has none */
    bool has_other;       /* more than numbers outside of messages */
    GByteArray *made;     /* the framing, and the messages that are left */
};

struct sanitize_format {
    const char *extension;
    const struct sanitize_game *game;
    unsigned first;  /* number of the first block: 0, if it is a line or a mark */
    uint32_t header; /* bytes of the payload before the messages */
    /* Moves behind the next block, or line. */
    enum qs_demo_status (*next)(struct qs_reader *in, const struct qs_demo_writer *out,
                                bool is_first);
    void (*decode)(struct qs_decoder *decoder);
    void (*write)(const struct sanitize_block *block);
};

extern const struct sanitize_format sanitize_dem, sanitize_qwd, sanitize_mvd, sanitize_dm2,
    sanitize_mvd2;

static inline bool sanitize_has_messages(const struct sanitize_block *block)
{
    return block->made->len > block->payload;
}

/* Sets the payload's length, of so many bytes, at that offset. */
static inline void sanitize_put_length(const struct sanitize_block *block, uint32_t at,
                                       unsigned bytes)
{
    const uint32_t length = block->made->len - block->payload;

    for (unsigned i = 0; i < bytes; i++)
        block->made->data[at + i] = (uint8_t)(length >> 8 * i);
}

static inline void sanitize_write_made(const struct sanitize_block *block)
{
    block->out->append(block->out, block->made->data, block->made->len);
}

#endif
