/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quake text: bytes that are glyphs of the game's font, and the small grammar of console commands.
 *
 * The font's upper half repeats the lower in another colour; 0-31 and 128-159 hold brackets, golden
 * digits, bars and dots. Readable text is UTF-8 with the colour dropped. Source: qwd-format,
 * section 2 ("Game font"); the glyphs themselves are those of the game's conchars picture.
 */
#ifndef QS_CORE_TEXT_H
#define QS_CORE_TEXT_H

#include <glib.h>
#include <stdbool.h>

#include "common/core/reader.h"

/* The view of a C string; NULL gives the empty view. */
struct qs_view qs_view_of(const char *text);

/* Appends `text` as readable UTF-8. Newline, tab and carriage return stay what they are. */
void qs_text_append_utf8(GString *out, struct qs_view text);

/* The same as a new string (g_free() it). */
char *qs_text_utf8(struct qs_view text);

/* Without the bytes up to `blank` at both ends. */
struct qs_view qs_text_trimmed(struct qs_view text, uint8_t blank);

/* Whether readable UTF-8 is the same bytes: nothing was lost in making it readable. */
bool qs_text_is_plain(struct qs_view text);

/*
 * Whether engines disagree about where the text ends: some read QS_TEXT_LENGTH_MAX bytes at the
 * most, and take what follows for messages; and id's readers end a text at 0xff. Source: id
 * common.c, MSG_ReadString; QuakeSpasm common.c, MSG_ReadString.
 */
bool qs_text_is_ambiguous(struct qs_view text);
enum { QS_TEXT_LENGTH_MAX = 2046 };

/*
 * Whether a text leads out of a folder ("../") that engines put before it. Many open what comes of
 * that: QuakeSpasm common.c, COM_FindFile; id's Quake II files.c, FS_FOpenFile.
 */
bool qs_text_leads_out(struct qs_view text);

/* Whether it is no name of a game's file: it leads out, or has what no name has and what would be
 * commands in a file of settings: JoeQuake makes a setting of a sky's name. */
bool qs_file_name_is_unsafe(struct qs_view name);

/* Whether it is no name of a game's folder, which is one folder beside the engine's own, and short:
 * id's QuakeWorld has room for 64 bytes (common.c, COM_Gamedir). */
bool qs_folder_name_is_unsafe(struct qs_view name);
enum { QS_FOLDER_NAME_MAX = 63 };

/* Characters of a text in titles and summaries. */
enum { QS_TITLE_CHARACTERS = 60 };

/* One line for a title: readable, control characters as spaces, cut to `characters` with an
 * ellipsis. */
char *qs_text_title(struct qs_view text, unsigned characters);

/*
 * Appends text as it stands between quotes: readable, `"` and `\` and control characters with a
 * backslash, cut to `characters` with an ellipsis.
 */
void qs_text_append_quoted(GString *out, struct qs_view text, unsigned characters);

/*
 * The one form in which texts from anywhere else reach a terminal, a report or a file's name:
 * control characters, with those that reorder a line or break it, are spaces, and what is not UTF-8
 * is replaced. New.
 */
char *qs_text_printable(const char *text);

/* Whether a file's name may have the character anywhere: letters, digits, "_", "+" and "-". */
bool qs_text_safe_in_names(char c);

/* A word of a command line. */
struct qs_token {
    struct qs_view text; /* without its quotes */
    uint32_t offset;     /* of the word with its quotes, from the start of the line */
    uint32_t length;     /* with its quotes */
};

/*
 * The next word of `line` at or after `*pos`, which moves behind it: words are separated by bytes
 * up to space, `"` begins a word that runs to the next `"` or to the end. False at the end. Source:
 * the engines' COM_Parse and Cmd_TokenizeString.
 */
bool qs_token_next(struct qs_view line, uint32_t *pos, struct qs_token *token);

/*
 * The end of the command that begins at `at` of a command text: its newline, its `;` outside
 * quotes, or the end of the text. Source: the engines' Cbuf_Execute.
 */
uint32_t qs_command_end(struct qs_view text, uint32_t at);

/* Whether `text` begins with the C string. */
bool qs_view_begins(struct qs_view text, const char *start);

/* Whether `text` has the C string in it. */
bool qs_view_contains(struct qs_view text, const char *other);

/* `text` equals the C string. */
bool qs_view_equal(struct qs_view text, const char *other);

/* The decimal number that `text` is in whole. False, and 0, when it is none or out of range. */
bool qs_view_number(struct qs_view text, int64_t *number);

/* The same for a number that has to be within a range, so that it fits where it goes. */
bool qs_view_number_within(struct qs_view text, int64_t low, int64_t high, int64_t *number);

/* The number that begins `text`, decimal or with 0x hexadecimal, as strtoul() reads it; 0 if none.
 */
uint32_t qs_view_unsigned(struct qs_view text);

#endif
