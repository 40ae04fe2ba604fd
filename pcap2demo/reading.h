/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inputs, a capture or a demo each, from their files to sessions and the action. */
#ifndef PCAP2DEMO_READING_H
#define PCAP2DEMO_READING_H

#include "pcap2demo/actions/action.h"
#include "pcap2demo/capture/source.h"
#include "pcap2demo/packets.h"

/* What inputs are read into, one after the other. */
struct reading {
    const struct options *options;
    struct action *action;
    struct packets packets;
    struct qs_sessions *sessions;
    uint64_t bytes_before; /* of the files read before this one */
    unsigned inputs;       /* that could be read */
    uint64_t frames;       /* in captures; those that the filter left out, too */
    unsigned sessions_max; /* most sessions of those that are numbered together */
};

/* `options` and `action` must live as long. */
void reading_begin(struct reading *reading, const struct options *options, struct action *action);

/* Reads an input. What is wrong is reported. */
void reading_read(struct reading *reading, const char *name);

/* There is no more input, and all sessions end; `keep` false: demos not finished yet are dropped.
 */
void reading_end(struct reading *reading, bool keep);
void reading_clear(struct reading *reading);

/* Whether it is a file, or missing, which is said when it is read: not a pipe or a device. */
bool reading_is_repeatable(const char *name);

/* Bytes of the file; 0: it is none. */
uint64_t reading_file_size(const char *name);

/* The bytes of a demo, which are held in memory. What is wrong with compressed data says more than
 * that they end. */
GByteArray *reading_load(struct source *source, char **problem);

/* Reports that an input is not usable, and frees the text. */
void reading_fail(const char *name, char *error);

#endif
