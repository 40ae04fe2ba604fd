/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Raw text: bytes that are glyphs of a console font, and the small grammar of console commands.
 *
 * The font's upper half repeats the lower half in another color; 0-31 and 128-159 are brackets,
 * golden digits, bars and dots. Readable text is UTF-8 without the color. Source: qwd-format,
 * section 2 ("Game font"); the glyphs are those of the conchars picture.
 */
#ifndef QS_CORE_TEXT_H
#define QS_CORE_TEXT_H

#include <glib.h>
#include <stdbool.h>

#include "common/core/reader.h"

/* Returns the view of a C string; NULL gives the empty view. */
struct qs_view qs_view_of(const char *text);

/* Appends `text` as readable UTF-8. Keeps newline, tab and carriage return. */
void qs_text_append_utf8(GString *out, struct qs_view text);

/* Returns the same as a new string (g_free() it). */
char *qs_text_utf8(struct qs_view text);

/* Returns a file's name without folder and extension, readable (g_free() it); NULL for NULL. */
char *qs_text_file_stem(const char *path);

/* Returns `text` without leading and trailing bytes whose value is at most `blank`. */
struct qs_view qs_text_trimmed(struct qs_view text, uint8_t blank);

/* True if the readable UTF-8 has the same bytes: the conversion loses nothing. */
bool qs_text_is_plain(struct qs_view text);

/*
 * True if a path leaves the folder that it is relative to ("../"). Many engines open such paths:
 * QuakeSpasm common.c, COM_FindFile; id's Quake II files.c, FS_FOpenFile.
 */
bool qs_text_leads_out(struct qs_view text);

/* Maximum length of a text in titles and summaries, in characters. */
enum { QS_TITLE_CHARACTERS = 60 };

/* Returns one line for a title (g_free() it): readable, control characters as spaces, cut to
 * `characters` with an ellipsis. */
char *qs_text_title(struct qs_view text, unsigned characters);

/*
 * Appends text for use between quotes: readable, with line ends, tabs and quotes escaped by a
 * backslash, cut to `characters` with an ellipsis.
 */
void qs_text_append_quoted(GString *out, struct qs_view text, unsigned characters);

/*
 * Returns untrusted text made safe for a terminal, a report or a file name (g_free() it). Control
 * characters, and those that reorder or break a line, become spaces; invalid UTF-8 is replaced.
 */
char *qs_text_printable(const char *text);

/* True if a file name may have the character anywhere: letters, digits, "_", "+" and "-". */
bool qs_text_safe_in_names(char c);

/* A word of a command line. */
struct qs_token {
    struct qs_view text; /* text without its quotes */
    uint32_t offset;     /* offset of the word in the line, including its quote */
    uint32_t length;     /* length including its quotes */
};

/*
 * Reads the next word of `line` at or after `*pos` and moves `*pos` past it. Bytes of up to 0x20
 * separate words; `"` begins a word that runs to the next `"` or to the end. Returns false at the
 * end. Source: COM_Parse and Cmd_TokenizeString.
 */
bool qs_token_next(struct qs_view line, uint32_t *pos, struct qs_token *token);

/*
 * Returns the end of the command that begins at `at` of a command text: its newline, its `;`
 * outside quotes, or the end of the text. Source: Cbuf_Execute.
 */
uint32_t qs_command_end(struct qs_view text, uint32_t at);

/* Returns `text` without its first `count` bytes. */
static inline struct qs_view qs_view_skip(struct qs_view text, uint32_t count)
{
    count = MIN(count, text.size);
    return (struct qs_view){count ? text.data + count : text.data, text.size - count};
}

/* Returns the character at `at` without the font's color; 0 past the end. */
static inline char qs_view_character(struct qs_view text, uint32_t at)
{
    return at < text.size ? (char)(text.data[at] & 0x7f) : '\0';
}

/* Returns `text` up to the first NUL or byte of `ends`. */
struct qs_view qs_view_up_to(struct qs_view text, const char *ends);

/* True if `text` begins with the C string. */
bool qs_view_begins(struct qs_view text, const char *start);

/* True if `text` contains the C string. */
bool qs_view_contains(struct qs_view text, const char *other);

/* True if `text` equals the C string. */
bool qs_view_equal(struct qs_view text, const char *other);

/* True if the text is one of these words, upper or lower case; NULL ends the list. */
bool qs_view_is_one_of(struct qs_view text, const char *const *words);

/* Parses all of `text` as a decimal number. Returns false, and sets 0, if that fails. */
bool qs_view_number(struct qs_view text, int64_t *number);

/* The same; returns false also for a number outside low..high. */
bool qs_view_number_within(struct qs_view text, int64_t low, int64_t high, int64_t *number);

/* Returns the number at the start of `text`, like strtoul() with base 0; 0 if it has none or more
 * than 23 bytes. */
uint32_t qs_view_unsigned(struct qs_view text);

/* --- Info strings ----------------------------------------------------------------------------- */

/*
 * Info strings: `\key\value\key\value…`, as user info, server info and challenges carry them.
 * Source: qw28-protocol, "Info String". Keys and values are at most 63 bytes long; only the program
 * sets keys that begin with `*`; empty pairs and a missing last value occur.
 */

enum { QS_INFO_PART_MAX = 63 };

struct qs_info_pair {
    struct qs_view key, value;
    uint32_t offset; /* offset of the pair's first byte: its backslash, if it has one */
    uint32_t length;
    uint32_t key_offset, value_offset;
    bool has_value; /* false if the string ends after the key */
};

/* Reads the pair of `info` at `*pos` and moves `*pos` past it. Returns false at the end. Offsets
 * are relative to `info`. */
bool qs_info_next(struct qs_view info, uint32_t *pos, struct qs_info_pair *pair);

/* Returns the value of the first pair with `key`, or the empty view (data NULL) if none has it. */
struct qs_view qs_info_value(struct qs_view info, const char *key);

/* True if the first pair with `key` has a value other than "0" and the empty text. */
bool qs_info_is_set(struct qs_view info, const char *key);

/* Returns `info` with `key` set to `value` (removed if empty; g_free() it). NULL: it would exceed
 * `max` bytes; engines then keep the old string (Info_SetValueForStarKey). */
char *qs_info_set(struct qs_view info, struct qs_view key, struct qs_view value, uint32_t max);

/* Returns the first pairs of `info`, as many as fit into `max` bytes. */
struct qs_view qs_info_cut(struct qs_view info, uint32_t max);

#endif
