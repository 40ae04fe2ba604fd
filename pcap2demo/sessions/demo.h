/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One session's demo: files, counts and problems. It is what rebuilders write with. */
#ifndef PCAP2DEMO_DEMO_H
#define PCAP2DEMO_DEMO_H

#include <glib.h>

#include "common/demo/writer.h"
#include "pcap2demo/output/message.h"
#include "pcap2demo/sessions/lending.h"
#include "pcap2demo/sessions/naming.h"
#include "pcap2demo/sessions/problems.h"

/* Names of commands left out that are told apart; further ones are told as "others". */
enum { DEMO_COMMANDS_MAX = 32 };

/* What the user asked for. */
struct demo_options {
    bool force;      /* overwrite files */
    bool split;      /* a demo for each level, also where clients record one for a connection */
    bool sanitize;   /* leave out what playback does not need and would carry out: see the manual */
    bool ezquake_37; /* QWD: dem_cmd blocks as ezQuake 3.7 has them */
};

struct demo_setup {
    struct naming *naming; /* NULL: nothing is written, only counted */
    struct demo_options demo_options;
    const char *capture; /* of the files' names; the demo's owner keeps these texts alive */
    const char *extension;
    unsigned session;
};

/* A file as it was written, or would be. */
struct demo_file {
    char *name; /* without folder; NULL where nothing is written */
    uint64_t size;
    char *error; /* why it is not there, or NULL */
};

struct demo *demo_new(const struct demo_setup *setup);
void demo_free(struct demo *demo);

/* What rebuilders write it with. A demo begun appears on disk at the session's end, or when the
 * next one begins; see naming.h for its name. */
struct qs_demo_writer *demo_writer(struct demo *demo);

/* Whether each level is to have a demo of its own. */
bool demo_splits(const struct demo *demo);

const struct qs_demo_counts *demo_counts(const struct demo *demo);

/* The file that the packet to come is from, an interned text, and its time. */
void demo_set_source(struct demo *demo, const char *file, int64_t time);

/* Whose demo it is; NULL: not known. */
void demo_set_player(struct demo *demo, const char *player);

/* The map that the session is on from now on; NULL: not known. */
void demo_set_map(struct demo *demo, const char *map);

/* The session is over: names the last file, or drops it where `keep` is false. */
void demo_end(struct demo *demo, bool keep);

/* There is no need for it: what is written is dropped. */
void demo_drop(struct demo *demo);

/* Whether the session ended so that the last file was not kept. */
bool demo_is_dropped(const struct demo *demo);

/* struct demo_file *, in order. */
const GPtrArray *demo_files(const struct demo *demo);

/* What is wrong with it, or what the user should know of it. */
const struct problems *demo_problems(const struct demo *demo);

/* The commands that were left out, as a new text: "cmd ×5, packet"; NULL: none were. */
char *demo_left_out_text(const struct demo *demo);

/* What the start lacks, or NULL. */
const char *demo_lacks(const struct demo *demo);

/* How its start was made good. Texts are NULL where there is nothing to say. */
struct demo_loan {
    char *lender;   /* whose sign-on it begins with: "session 2", "dm4.dem" */
    char *unknown;  /* what is not known all the same */
    char *refusals; /* why demos that the user named could not help */
};

/* The session's lender knows other sessions with its server; NULL: not any more. Both must live as
 * long. */
void demo_set_peers(struct demo *demo, const struct lending *lending, const struct lender *lender);

/* Once, of a session that began late. */
void demo_set_loan(struct demo *demo, const struct loan *loan);
const struct demo_loan *demo_loan(const struct demo *demo);

#endif
