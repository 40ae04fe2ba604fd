/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Field descriptors: one row describes each value that a protocol carries.
 *
 * The Wireshark registrations, the text and JSON dumps and the field reference use these rows.
 *
 * A protocol's `fields.def` has its rows, which form one constant array, indexed by an enum.
 * Two conventions tie rows together:
 *   - rows with a mask follow the integer row that they are parts of, and are reported with it;
 *   - a vector is a QS_GROUP row followed by its components (rows VEC3 and ANGLES).
 */
#ifndef QS_CORE_FIELD_H
#define QS_CORE_FIELD_H

#include <stdbool.h>
#include <stdint.h>

/* How a value is stored and shown. The function that reads it decides its width on the wire. */
enum qs_type {
    QS_GROUP, /* holds other fields, has no value of its own */
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
    QS_COORD,    /* a coordinate or length in the map, a double; its unit is "units" */
    QS_ANGLE,    /* a double; its unit is "°" */
    QS_TEXT,     /* raw text (see text.h): bytes in the value, UTF-8 when shown */
    QS_BYTES,    /* opaque */
    QS_IPV4,     /* 4 bytes, network order */
    QS_IPV6,     /* 16 bytes */
    QS_FRAMENUM, /* the number of another packet of the capture */
    QS_TIME,     /* a date and time: milliseconds since 1970, UTC */
    QS_DURATION, /* nanoseconds; shown in seconds */
};

/* A name for a number. Arrays end with a row whose name is NULL. */
struct qs_name {
    uint32_t value;
    const char *name;
};

/* clang-format off */
/* One name for each of 64 numbers from `code` on. */
#define QS_EACH_OF_4(code, name) {code, name}, {code + 1, name}, {code + 2, name}, {code + 3, name}
#define QS_EACH_OF_16(code, name)                                                                 \
    QS_EACH_OF_4(code, name), QS_EACH_OF_4(code + 4, name),                                       \
    QS_EACH_OF_4(code + 8, name), QS_EACH_OF_4(code + 12, name)
#define QS_EACH_OF_64(code, name)                                                                 \
    QS_EACH_OF_16(code, name), QS_EACH_OF_16(code + 16, name),                                    \
    QS_EACH_OF_16(code + 32, name), QS_EACH_OF_16(code + 48, name)
/* clang-format on */

/* What a value is to others than its reader: what --anonymize replaces, --sanitize checks, dumps
 * hide, and maps of players show. Each text has a role. */
enum qs_role {
    QS_ROLE_NONE,
    QS_ROLE_SECRET, /* a password, which dumps hide: see secret.h (row SECRET) */
    /* Of texts (rows TEXT_ROLE, TEXT_BRIEF, TEXT_VARYING): */
    QS_ROLE_PLAIN,   /* no other role: a word of the protocol, or the name of a thing in the game */
    QS_ROLE_NAME,    /* of a player or team */
    QS_ROLE_NAMES,   /* a line of words in which names have quotes */
    QS_ROLE_HOST,    /* the address or name of a server */
    QS_ROLE_CHAT,    /* printed for people: may be, or contain, what a player says */
    QS_ROLE_ANSWER,  /* the same, of no connection: may begin with the name of a server */
    QS_ROLE_SPEAKER, /* the name of the player who says the chat before */
    QS_ROLE_COMMAND, /* console commands, or words of one */
    QS_ROLE_KEY,     /* says what the QS_ROLE_VALUE is that follows */
    QS_ROLE_VALUE,
    QS_ROLE_CONFIG, /* a config string: the numbers before it say what it is */
    QS_ROLE_PATH,   /* a file of a person or server, such as a demo */
    QS_ROLE_EFFECT, /* the name of a particle effect, which may begin with that of a file */
    /* Of texts that name the game's files: */
    QS_ROLE_FILE,   /* a file of the game */
    QS_ROLE_MODEL,  /* one in a list, whose other names keep their numbers */
    QS_ROLE_SOUND,  /* the same */
    QS_ROLE_FOLDER, /* a folder with a game's files */
    QS_ROLE_INFO,   /* an info string: values may be names of files */
    QS_ROLE_LAYOUT, /* has names of files among other words */
    QS_ROLE_LISTED, /* of a list, by number: players stop at a number that the list does not have */
    /* Of numbers before a text: */
    QS_ROLE_PRINT_LEVEL, /* QS_PRINT_CHAT: a player says the QS_ROLE_CHAT that follows */
    QS_ROLE_RANGE,       /* of the QS_ROLE_CONFIG that follows: see qs_protocol.config_role */
    /* Of QS_BYTES; without one they may be anything: */
    QS_ROLE_FRAGMENT, /* a piece of a message, which is decoded with the last one */
    QS_ROLE_BITS,     /* numbers, or a bit for each of many things */
    QS_ROLE_VOICE,
    /* Of players (see common/stats/stats.h); a group without a role is of nobody: */
    QS_ROLE_OWN,    /* a group: of the session's player, if none was named before */
    QS_ROLE_PLAYER, /* the name of the player that the group is about */
    QS_ROLE_STAT,   /* the number of the figure whose value follows */
    QS_ROLE_X,      /* where that player is */
    QS_ROLE_Y,
    QS_ROLE_Z,
    QS_ROLE_HEALTH /* of the session's player; behind QS_ROLE_STAT: if that is STAT_HEALTH */
};

enum { QS_PRINT_CHAT = 3 };

struct qs_field {
    const char *name;  /* filter name, "qw.damage.armor" */
    const char *title; /* shown to the user, "Armor absorbed" */
    enum qs_type type;
    const char *unit;            /* "ms", or NULL: see qs_unit_of() */
    const struct qs_name *names; /* enumeration, or NULL */
    uint32_t mask;               /* part of the preceding unmasked row, or 0 */
    const char *blurb;           /* what the value means, for readers who know the game; or NULL */
    bool varies; /* from run to run, as challenges do: goldens leave it out (row VARYING) */
    /* NULL: the packet's summary leaves it out. Else it has the value, behind this word; "": behind
     * none (row FIELD_BRIEF; see summary.h). */
    const char *brief;
    enum qs_role role;
};

/* Whether the text is one player's or team's name. */
static inline bool qs_is_name(const struct qs_field *row)
{
    return row->role == QS_ROLE_NAME || row->role == QS_ROLE_PLAYER || row->role == QS_ROLE_SPEAKER;
}

/* `brief` of a printed text: a line, in one or more messages of the same name; see summary.c. */
#define QS_BRIEF_LINE "\n"

/* Which member of struct qs_value (sink.h) holds a value of a type. */
enum qs_kind {
    QS_KIND_NONE,     /* groups */
    QS_KIND_BOOL,     /* u, 0 or 1 */
    QS_KIND_UNSIGNED, /* u */
    QS_KIND_SIGNED,   /* i */
    QS_KIND_REAL,     /* f */
    QS_KIND_BYTES,    /* bytes: texts and addresses, too */
    QS_KIND_TIME,     /* u, milliseconds since 1970 */
    QS_KIND_DURATION  /* u, nanoseconds */
};

enum qs_kind qs_type_kind(enum qs_type type);

/* Bits of a value of the type: 1 to 64 for integers and booleans, 0 for others. */
unsigned qs_type_bits(enum qs_type type);

/* Whether a value of the integer type can be `number`. */
bool qs_type_holds(enum qs_type type, int64_t number);

/* The field's unit: its own, or else what its type implies (QS_COORD, QS_ANGLE, QS_DURATION). NULL:
 * it has none. */
const char *qs_unit_of(const struct qs_field *field);

/* The name of the message whose group has this filter name: "damage" of "qw.svc_damage"; NULL: it
 * is no message's. */
const char *qs_message_name(const char *filter);

/* The name of `value`, or NULL. `names` may be NULL. */
const char *qs_name_of(const struct qs_name *names, uint32_t value);

/* The first number of that name. False where there is none; `names` may be NULL. */
bool qs_number_of(const struct qs_name *names, const char *name, uint32_t *number);

#endif
