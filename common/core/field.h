/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Field descriptors: one row describes each value that a protocol carries.
 *
 * The Wireshark registrations, the text and JSON dumps and the field reference use these rows.
 *
 * The rows of a protocol's `fields.def` form one constant array, indexed by an enum. Two
 * conventions tie rows together:
 *   - rows with a mask are parts of the integer row before them, and are reported with it;
 *   - a vector is a QS_GROUP row followed by its components (rows VEC3 and ANGLES).
 */
#ifndef QS_CORE_FIELD_H
#define QS_CORE_FIELD_H

#include <stdbool.h>
#include <stdint.h>

/* Storage and display of a value. The function that reads it decides its width on the wire. */
enum qs_type {
    QS_GROUP, /* group of other fields, without a value */
    QS_BOOL,
    QS_U8, /* unsigned, shown in decimal */
    QS_U16,
    QS_U32,
    QS_U64,
    QS_X8, /* unsigned, shown in hexadecimal */
    QS_X16,
    QS_X32,
    QS_X64,
    QS_I8, /* signed */
    QS_I16,
    QS_I32,
    QS_I64,
    QS_FLOAT, /* IEEE single */
    QS_DOUBLE,
    QS_COORD,    /* coordinate or length in the map, a double; its unit is "units" */
    QS_ANGLE,    /* double; its unit is "°" */
    QS_TEXT,     /* raw text (see text.h): bytes in the value, shown as UTF-8 */
    QS_BYTES,    /* opaque bytes */
    QS_IPV4,     /* 4 bytes, network order */
    QS_IPV6,     /* 16 bytes */
    QS_FRAMENUM, /* number of another packet of the capture */
    QS_TIME,     /* date and time: milliseconds since 1970, UTC */
    QS_DURATION, /* nanoseconds, shown in seconds */
};

/* A number's name. Arrays end with a row whose name is NULL. */
struct qs_name {
    uint32_t value;
    const char *name;
};

/* clang-format off */
/* The same name for each of 4, 16 or 64 numbers from `code` on. */
#define QS_EACH_OF_4(code, name) {code, name}, {code + 1, name}, {code + 2, name}, {code + 3, name}
#define QS_EACH_OF_16(code, name)                                                                 \
    QS_EACH_OF_4(code, name), QS_EACH_OF_4(code + 4, name),                                       \
    QS_EACH_OF_4(code + 8, name), QS_EACH_OF_4(code + 12, name)
#define QS_EACH_OF_64(code, name)                                                                 \
    QS_EACH_OF_16(code, name), QS_EACH_OF_16(code + 16, name),                                    \
    QS_EACH_OF_16(code + 32, name), QS_EACH_OF_16(code + 48, name)
/* clang-format on */

/* Role of a value outside its parser: decides what --anonymize replaces, --sanitize checks, dumps
 * hide, and maps of players show. Each text has a role. */
enum qs_role {
    QS_ROLE_NONE,
    QS_ROLE_SECRET, /* password, which dumps hide: see secret.h (row SECRET) */
    /* Roles of texts (rows TEXT_ROLE, TEXT_BRIEF, TEXT_VARYING): */
    QS_ROLE_PLAIN,   /* no other role: word of the protocol, or name of a thing in the game */
    QS_ROLE_NAME,    /* name of a player or team */
    QS_ROLE_NAMES,   /* line of words with names in quotes */
    QS_ROLE_HOST,    /* address or name of a server */
    QS_ROLE_CHAT,    /* text for people: may be or contain chat */
    QS_ROLE_ANSWER,  /* chat text that is connectionless: may begin with a server's name */
    QS_ROLE_SPEAKER, /* name of the player who says the chat before it */
    QS_ROLE_COMMAND, /* console commands, or words of one */
    QS_ROLE_KEY,     /* key of the QS_ROLE_VALUE that follows */
    QS_ROLE_VALUE,
    QS_ROLE_CONFIG, /* config string, with a role that depends on the number before it */
    QS_ROLE_PATH,   /* file of a person or server, such as a demo */
    QS_ROLE_EFFECT, /* name of a particle effect, which may begin with a file name */
    /* Roles of texts that name the game's files: */
    QS_ROLE_FILE,   /* file of the game */
    QS_ROLE_MODEL,  /* model in a list, where each name must keep its number */
    QS_ROLE_SOUND,  /* sound in such a list */
    QS_ROLE_FOLDER, /* folder with a game's files */
    QS_ROLE_INFO,   /* info string, with values that may be file names */
    QS_ROLE_LAYOUT, /* layout: file names among other words */
    QS_ROLE_LISTED, /* name that a number refers to: engines stop if the list lacks the number */
    /* Roles of numbers before a text: */
    QS_ROLE_PRINT_LEVEL, /* QS_PRINT_CHAT: a player says the QS_ROLE_CHAT that follows */
    QS_ROLE_RANGE, /* number of the QS_ROLE_CONFIG that follows: see qs_protocol.config_role */
    /* Roles of QS_BYTES, which may be anything without one: */
    QS_ROLE_FRAGMENT, /* piece of a message, which is decoded with the last one */
    QS_ROLE_BITS,     /* numbers, or a bit for each of many things */
    QS_ROLE_VOICE,    /* voice of a player */
    /* Roles for players (see common/stats/stats.h); a group without a role belongs to no player: */
    QS_ROLE_OWN,    /* group about the session's player, unless a player was named before */
    QS_ROLE_PLAYER, /* name of the player that the group is about */
    QS_ROLE_STAT,   /* number of the statistic whose value follows */
    QS_ROLE_X,      /* position of that player */
    QS_ROLE_Y,
    QS_ROLE_Z,
    QS_ROLE_HEALTH /* health of the session's player; after QS_ROLE_STAT: if it is STAT_HEALTH */
};

enum { QS_PRINT_CHAT = 3 };

struct qs_field {
    const char *name;  /* filter name, "qw.damage.armor" */
    const char *title; /* name shown to users, "Armor absorbed" */
    enum qs_type type;
    const char *unit;            /* "ms", or NULL: see qs_unit_of() */
    const struct qs_name *names; /* names of an enumeration's numbers, or NULL */
    uint32_t mask;     /* bits of the preceding unmasked row that are this part; 0: no part */
    const char *blurb; /* meaning of the value, for readers who know the game; or NULL */
    bool varies; /* differs from run to run, as challenges do: goldens omit it (row VARYING) */
    /* Word before the value in the packet's summary, "" for none; NULL if the summary omits the
     * value (row FIELD_BRIEF; see emit.h). */
    const char *brief;
    enum qs_role role;
};

/* True if the text is the name of one player or team. */
static inline bool qs_is_name(const struct qs_field *row)
{
    return row->role == QS_ROLE_NAME || row->role == QS_ROLE_PLAYER || row->role == QS_ROLE_SPEAKER;
}

/* The `brief` of printed text: a line, in one or more messages of the same name (summary.c). */
#define QS_BRIEF_LINE "\n"

/* Member of struct qs_value (sink.h) that holds a value of a type. */
enum qs_kind {
    QS_KIND_NONE,     /* groups */
    QS_KIND_BOOL,     /* u, 0 or 1 */
    QS_KIND_UNSIGNED, /* u */
    QS_KIND_SIGNED,   /* i */
    QS_KIND_REAL,     /* f */
    QS_KIND_BYTES,    /* bytes, for texts and addresses, too */
    QS_KIND_TIME,     /* u, milliseconds since 1970 */
    QS_KIND_DURATION  /* u, nanoseconds */
};

enum qs_kind qs_type_kind(enum qs_type type);

/* Returns the bits of a value of the type: 1 to 64 for integers and booleans, 0 for others. */
unsigned qs_type_bits(enum qs_type type);

/* True if a value of the integer type can be `number`. */
bool qs_type_holds(enum qs_type type, int64_t number);

/* Returns the field's own unit, else the one of its type (QS_COORD, QS_ANGLE, QS_DURATION), else
 * NULL. */
const char *qs_unit_of(const struct qs_field *field);

/* Returns the name of the message whose group has this filter name, "damage" for "qw.svc_damage",
 * or NULL for another filter name. */
const char *qs_message_name(const char *filter);

/* Returns the name of `value`, or NULL if it has none. `names` may be NULL. */
const char *qs_name_of(const struct qs_name *names, uint32_t value);

/* Stores the first number with that name. Returns false if none has it; `names` may be NULL. */
bool qs_number_of(const struct qs_name *names, const char *name, uint32_t *number);

#endif
