/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A message as an engine reads it: a cursor, texts by the engine's rules, shapes. */
#ifndef TESTS_ENGINE_READER_MESSAGE_H
#define TESTS_ENGINE_READER_MESSAGE_H

#include "tests/engine_reader/engine_reader.h"

/* What a byte 0xff does to a text: it is read as end of the message, or passed over. */
enum text_ff { FF_KEPT, FF_ENDS, FF_PASSED_OVER };

/* How a console cuts its text into commands, and these into words. */
enum console_rule {
    CONSOLE_CR = 1,       /* a carriage return ends a command */
    CONSOLE_ESCAPES = 2,  /* \" does not end quotes */
    CONSOLE_COMMENTS = 4, /* what is behind // is passed over before commands are cut */
    CONSOLE_REMARKS = 8,  /* comments of some names are carried out */
    CONSOLE_MACROS = 16,  /* $ is replaced */
    CONSOLE_HIGH = 32     /* bytes from 128 on are white space */
};

struct engine {
    const char *name;
    uint32_t text_max; /* bytes that a text may have; what follows are messages */
    enum text_ff ff;
    uint8_t id_mask;
    unsigned console; /* enum console_rule */
};

struct reading;
typedef void message_reader(struct reading *r);

struct game {
    const struct engine *engines; /* ends with a name NULL; the first reads most */
    const char *const *commands;  /* that may stay, NULL at the end */
    /* By the message's number: its shape, or who reads it; neither: the engine ends the game there.
     */
    const char *const *shapes;
    message_reader *const *readers;
    uint8_t extensions, extensions_end; /* messages of FTE, unknown where nothing is agreed on */
    void (*read_demo)(struct reading *r, const uint8_t *demo, size_t size);
};

struct reading {
    const struct game *game;
    const struct engine *engine;
    struct engine_report *report;
    bool first; /* this is the first engine */

    const uint8_t *data; /* the message */
    uint32_t size, pos;
    bool bad; /* the message cannot be read on */
    uint32_t block;
    GString *pending; /* the console's text that no line feed has ended */

    /* What the server has told. */
    int32_t version;
    uint32_t fte, fte2, mvd1, flags;
    uint8_t coord_size, angle_size;
    uint8_t clients;
    uint32_t models; /* in the list */
    uint32_t statics;
    bool limited; /* some engine of those that play it stops at numbers beyond its arrays */
    bool active;  /* of QuakeWorld: entities have come */
    bool mvd, hidden, darkplaces;
    bool vlen;          /* a word that FTE alone knows */
    GByteArray *coarse; /* by entity: has coordinates in whole units */
    uint16_t styles[256];
    uint32_t string;  /* the config string that came last */
    GString *strings; /* the end of it */
    int64_t begun;    /* number of Quake II's first frame, or -1 */
    bool has_map;     /* Quake II's; Q2PRO stops without ("no map set") */
    bool full;        /* the frame is no delta */
};

uint32_t take_byte(struct reading *r);
uint32_t take_word(struct reading *r);
uint32_t take_long(struct reading *r);
void skip(struct reading *r, int64_t size);

/* Whether a path in it leaves its folder; and the same of the values of an info string. */
bool leads_out(const char *text);
void check_info(struct reading *r, const char *info);

void take_another_static(struct reading *r, uint32_t limit); /* an entity that never changes */

/* A text by the engine's rules, as a new string. */
GString *take_text(struct reading *r);

/*
 * Reads what a shape says: b byte, w word, l long, c coordinate, a angle, C and A three of them,
 * s text, e entity (longer with FTE's replacement deltas). Bytes with a limit: 3 below 32, 6 below
 * 64, m 0 or a model of the list, x a model, u a player, v 0 or a player. Texts that no demo may
 * have some of: f a file's name, g a folder's, i an info string, k a key and its value, n a
 * player's name, p a text with names of files.
 */
void take_shape(struct reading *r, const char *shape);

/* `count` times; ends with the message. */
void take_shapes(struct reading *r, const char *shape, uint32_t count);

/* All messages of a block. */
void take_messages(struct reading *r, const uint8_t *data, uint32_t size);

/* Something that no demo may have. */
void finding(struct reading *r, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* A text that goes to the console. */
void console_text(struct reading *r, const GString *text);

/* Names up to an empty one; returns how many. */
uint32_t take_names(struct reading *r);

/* svc_stufftext. */
void take_stufftext(struct reading *r);

extern const struct game engine_qwd, engine_mvd, engine_dem, engine_dm2;

/* Of an update: the highest bit of each byte says that another one follows. */
uint32_t take_bits(struct reading *r);

/* FTE's messages, alike in QuakeWorld and Quake. */
void take_fte_extensions(struct reading *r);
void take_fte_update(struct reading *r);
void take_fte_updates(struct reading *r);
void take_fte_baseline(struct reading *r);
void take_fte_sound(struct reading *r);
void take_fte_angle_base(struct reading *r);
void take_fte_sized(struct reading *r);
void take_fte_mod_entities(struct reading *r);
void take_fte_unsized_entities(struct reading *r);
void take_fte_voice(struct reading *r);
void take_portal_state(struct reading *r);
uint64_t take_fte_varint(struct reading *r);
void take_uleb128(struct reading *r);
void take_quake_temp_entity(struct reading *r);
void take_darkplaces_entities(struct reading *r);

/* Parts of Quake's: which of DarkPlaces' protocols it is, 0: none; whether it is one of BJP's. */
unsigned darkplaces_version(const struct reading *r);
/* All engines play it, or several that read some numbers and bits by rules of their own. */
bool plays_everywhere(const struct reading *r);
bool is_bjp(const struct reading *r);
void take_clientdata(struct reading *r);

/* QuakeWorld's entities. */
void take_qw_playerinfo(struct reading *r);
void take_qw_entities(struct reading *r);
void take_qw_delta_entities(struct reading *r);
void take_qw_static(struct reading *r);
void take_qw_baseline(struct reading *r);
void take_qw_nails(struct reading *r);
void take_qw_nails2(struct reading *r);
void take_qw_projectiles(struct reading *r);

#endif
