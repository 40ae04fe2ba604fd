/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules of --sanitize for each game: allowed messages by name, limits of numbers by field row, and
 * allowed console commands. Everything else is left out.
 */
#ifndef QS_DEMO_SANITIZE_RULES_H
#define QS_DEMO_SANITIZE_RULES_H

#include "common/core/session.h"
#include "common/demo/format.h"
#include "common/demo/sanitize/sanitize.h"
#include "common/demo/zip_archive.h"

enum sanitize_flags {
    SANITIZE_START = 1 << 0,    /* begins a level; without it, the level's messages are left out */
    SANITIZE_ANYWHERE = 1 << 1, /* allowed outside a level */
    SANITIZE_SIGN_ON = 1 << 2,  /* allowed only before the first SANITIZE_GAME of a level */
    SANITIZE_GAME = 1 << 3,     /* ends the sign-on of a level: see SANITIZE_SIGN_ON */
    SANITIZE_EMPTIED = 1 << 4,  /* entity update: written without its entities if it would be left
                                   out, because later updates are deltas to it */
    SANITIZE_PART = 1 << 5,     /* stays or goes with the message before it */
    SANITIZE_DELTA = 1 << 6,    /* delta update, which begins with the number of its base */
    SANITIZE_COMMANDS = 1 << 7, /* svc_stufftext */
    SANITIZE_NEEDED = 1 << 8    /* if it is left out, the level is left out */
};

/* Rule for one or more messages. */
struct sanitize_message {
    const char *names; /* separated by spaces */
    unsigned flags;
    unsigned kinds; /* kinds of sessions that may have it, the game's bits; 0: all */
    unsigned most;  /* maximum number in a level; 0: no limit */
};

/* Range of a number in a message. A message with a number outside is left out. */
struct sanitize_limit {
    unsigned row;
    int64_t low, high;
    uint32_t forbidden, needed; /* bits that must not, or must, be set */
    uint32_t only_with, only;   /* u16: with a bit of `only_with`, only the bits of `only` stay */
    unsigned kinds;             /* kinds of sessions that it applies to; 0: all */
    const char *message;        /* message that it applies to; NULL: all */
    bool of_clients;            /* `high` is added to the number of the server's slots */
    bool named;                 /* the number must have a name */
};

struct sanitize_game {
    const struct sanitize_message *messages; /* list ended by names NULL */
    const struct sanitize_limit *limits; /* list ended by row 0; limits of one row are adjacent */
    const struct qs_needed_command *commands;
    uint8_t stufftext;   /* number of svc_stufftext */
    unsigned ids[2];     /* rows of a message's number, and of a nested message's; or 0 */
    bool has_font;       /* Quake's font: bytes below 0x20 are glyphs */
    bool without_folder; /* a level may name no game folder: engines use their own */
    /* Returns the bits of the session, in its state before the current message. */
    unsigned (*kinds)(const struct qs_session *session);
    /* Returns the number of the server's slots, for limits with `of_clients`; or NULL. */
    uint32_t (*clients)(const struct qs_session *session);
    unsigned number_row; /* row of a name's number in a list; the first model is the map */
    /* Returns the maximum number of `entity_row` fields in an update; or NULL. */
    uint32_t (*most_entities)(const struct qs_session *session);
    unsigned entity_row;
    /* Appends a message that begins a level, changed; NULL: it stays unchanged. */
    void (*append_start)(const struct qs_session *session, struct qs_view message, GByteArray *out);
    /* True if the config string that was just read must not stay; or NULL. */
    bool (*refuses)(const struct qs_session *session, uint32_t range, uint32_t number);
    /* True if engines cannot load the level, after its sign-on; or NULL. */
    bool (*is_broken)(const struct qs_session *session);
    /* True if the layout program names only existing statistics and clients; or NULL. */
    bool (*is_layout)(const struct qs_session *session, struct qs_view program);
};

extern const struct sanitize_game sanitize_quakeworld;

/* --- texts.c */
enum sanitize_result {
    SANITIZE_SAME,
    SANITIZE_NEW,    /* replacement appended */
    SANITIZE_REFUSED /* the message must not stay */
};

/*
 * Checks a text of the role. Appends a safe replacement and returns SANITIZE_NEW if it must change;
 * otherwise appends nothing. `info_key`: the key of a value (QS_ROLE_VALUE).
 */
enum sanitize_result sanitize_text(const struct sanitize_game *game,
                                   const struct qs_session *session, enum qs_role role,
                                   struct qs_view text, struct qs_view info_key, GByteArray *out);

/* Appends the info string without pairs that make engines do more than display them. */
void sanitize_append_info(struct qs_view info, GByteArray *out);

/* True for a relative path that stays in its folder, without configuration file syntax. */
bool sanitize_is_file(struct qs_view name);

/* --- Blocks of the formats */

/* A decoded block. */
struct sanitize_block {
    struct qs_demo_writer *out;
    struct qs_zip_watch *watch; /* watch over all written bytes */
    const struct qs_decoder *decoder;
    struct qs_view block; /* block with its framing */
    uint32_t payload;     /* offset of the payload in `block`; 0: none */
    bool has_other;       /* the block has more than numbers outside messages */
    GByteArray *made;     /* framing, and the messages that stay */
};

struct sanitize_format {
    const char *extension;
    const struct sanitize_game *game;
    unsigned first;  /* number of the first block; 0: a line or magic number */
    uint32_t header; /* size of the payload's header before the messages */
    /* Moves past the next block or line. */
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

/* Sets the payload's length, a number of `bytes` bytes at `at`. */
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
