/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goldens: decodes that are kept to be compared with later ones.
 *
 * A golden is a compact text dump (see common/dump/dump.h) between two lines of its own:
 *
 *     # pcap2demo golden, schema 4, ignoring: packet.time qw.qport
 *     ...
 *     # end, 1500 packets
 *
 * The first gives the version of the format, whether passwords are shown (", with secrets"), and
 * which fields were left out: they are ignored in whatever is compared with it. Lines may end with
 * CR LF. Goldens of schema 1 have the lines of a full text dump; they are read, not written.
 */
#ifndef PCAP2DEMO_GOLDEN_H
#define PCAP2DEMO_GOLDEN_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* --- Fields left out: an array of names. Each stands also for the names that go on with a dot. */

/* Adds what varies from run to run: capture times, addresses, challenges, qports. */
void golden_ignore_by_default(GPtrArray *ignored);

bool golden_is_ignored(const GPtrArray *ignored, const char *name, gsize length);

/* Whether any field of any protocol, or of packets as such, would be left out. */
bool golden_knows(const char *name);

/* --- Packets of a dump */

/*
 * Schemas of goldens; the last is written. The third names each session and each part of a number
 * that is not 0; its `~` has no number, and numbers do not count. The second lacks `~` and `()`
 * behind names of groups, too, and its offsets of a demo's blocks count from the file's beginning.
 */
enum { GOLDEN_FULL = 1, GOLDEN_FILE_OFFSETS = 2, GOLDEN_LONGER = 3, GOLDEN_COMPACT = 4 };

struct golden_line {
    unsigned source; /* as in the dump; 0: the payload */
    uint32_t offset, length;
    gsize start, name_end, end; /* in the packet's text; `end` is behind the newline */
};

/* Without what is ignored. */
struct golden_packet {
    uint64_t number;
    GString *text; /* of all lines, without numbers and positions: "name = value\n" */
    GArray *lines; /* struct golden_line */
};

/* Takes the lines of a packet in the compact form apart; for what this program wrote itself. */
struct golden_expander;
void golden_packet_set(struct golden_packet *packet, struct golden_expander *expander,
                       const GPtrArray *ignored, const GString *text);

struct golden_packet *golden_packet_new(void);
void golden_packet_free(struct golden_packet *packet);
void golden_packet_clear(struct golden_packet *packet);

/* A line of a dump, taken apart; the texts are within it. */
struct golden_words {
    uint64_t number;
    unsigned source;
    uint32_t offset, length;
    const char *name; /* up to the value's "=" or ":=", or to the line's end */
    gsize name_length;
};

/* Takes apart a line without its end. False where it is none of a dump. */
bool golden_parse(const char *line, gsize length, struct golden_words *words);

bool golden_is_name_character(char c);

/* Whether the text up to `end` begins with the C string. */
bool golden_begins_with(const char *text, const char *end, const char *prefix);

/* Adds the line to a packet, which it must be of. */
void golden_packet_add(struct golden_packet *packet, const char *line, gsize length,
                       const struct golden_words *words);

/* --- Writing */

/* The first and the last line. New. */
char *golden_head(const GPtrArray *ignored, bool with_secrets);
char *golden_foot(uint64_t packets);

/* --- Reading */

enum golden_status { GOLDEN_PACKET, GOLDEN_END, GOLDEN_DAMAGED };

struct golden_reader;

/*
 * Opens a golden; the fields that it leaves out are added to `ignored`, which must outlive the
 * reader. NULL on failure; then `*error` is a new text that names the line.
 */
struct golden_reader *golden_open(const char *path, GPtrArray *ignored, char **error);
void golden_close(struct golden_reader *reader);

unsigned golden_schema(const struct golden_reader *reader);
bool golden_has_secrets(const struct golden_reader *reader);

enum golden_status golden_next(struct golden_reader *reader, struct golden_packet *packet);

/*
 * Goes past the next packet where that is `text` to the byte: all lines of packet `number`, without
 * what is ignored. False, and nothing happens, where it is not, or not surely.
 */
bool golden_skip(struct golden_reader *reader, uint64_t number, const GString *text);

/* After GOLDEN_DAMAGED: the line and what is wrong with it. */
const char *golden_error(const struct golden_reader *reader);

#endif
