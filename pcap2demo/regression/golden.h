/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goldens: stored decodes, for comparison with later ones.
 *
 * A golden is a compact dump (see common/dump/dump.h) between two lines of its own:
 *
 *     # pcap2demo golden, schema 1, ignoring: packet.time qw.qport
 *     ...
 *     # end, 1500 packets
 *
 * The first names the version of the format and the fields that are left out; ", with secrets"
 * before "ignoring" says that passwords are shown. Lines may end with CR LF.
 *
 * Goldens come from repositories and are not trusted: see the limits in golden_file.c.
 */
#ifndef PCAP2DEMO_GOLDEN_H
#define PCAP2DEMO_GOLDEN_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* --- Fields left out: an array of names. Each also matches the names that begin with it and a dot.
 */

/* Fields that vary from run to run: capture times, addresses, challenges, qports. New. */
GPtrArray *golden_varying_fields(void);

bool golden_is_ignored(const GPtrArray *ignored, const char *name);

/* Whether `name` matches a field of any protocol, or of packets as such. */
bool golden_is_field(const char *name);

/* --- Files */

/* The name of an input's golden, without folder: new. */
char *golden_name(const char *file);

/* The sorted paths of the goldens in `folder` that belong to none of `files`: new, with its
 * strings. */
GPtrArray *golden_orphans(const char *folder, char *const *files);

/* The first and the last line. New. */
char *golden_head(const GPtrArray *ignored, bool with_secrets);
char *golden_foot(uint64_t packets);

/*
 * Appends lines of a compact dump to a packet: those of the packet itself, or of a further unit of
 * a stream that belongs to it. Removes the number from the packet's first line, so that frames of
 * other protocols before the packet make no difference.
 */
void golden_packet_append(GString *packet, const char *lines);

/* --- Reading */

enum golden_status { GOLDEN_PACKET, GOLDEN_END, GOLDEN_DAMAGED };

/* Callers only read the first members. */
struct golden_reader {
    GPtrArray *ignored; /* names of fields that are left out */
    bool with_secrets;
    char *error; /* after GOLDEN_DAMAGED: the line and what is wrong with it */

    FILE *file;
    GString *line;            /* the current one, with its newline; empty: none */
    uint64_t lines;           /* consumed */
    uint64_t packets, number; /* packets so far; number of the last one */
};

/* NULL on failure; then `*error` is a new string that names the line. */
struct golden_reader *golden_open(const char *path, char **error);
void golden_close(struct golden_reader *reader);

/* Reads the next packet's number and lines, in the form of golden_packet_append(). */
enum golden_status golden_next(struct golden_reader *reader, GString *packet, uint64_t *number);

#endif
