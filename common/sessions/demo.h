/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One session's demo: files, counts and problems. Rebuilders write it through its `writer`. */
#ifndef QS_SESSIONS_DEMO_H
#define QS_SESSIONS_DEMO_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/demo/writer.h"
#include "common/sessions/demo_names.h"
#include "common/sessions/late_join.h"

/* Where in the input something is. `file` NULL: nowhere; `packet` 0: the file as a whole; `session`
 * 0: no session is meant. */
struct qs_location {
    const char *file;
    uint64_t packet;
    bool block;       /* the file is a demo: the number is a block's */
    unsigned session; /* number */
};

/* Names of commands left out that are listed; further ones are listed as "others". */
enum { QS_DEMO_COMMANDS_MAX = 32 };

/* --- Problems -------------------------------------------------------------------------------- */

enum {
    QS_DEMO_PROBLEMS_MAX = 8,        /* of different kinds; further ones are only counted */
    QS_DEMO_HOLES_MAX = 10,          /* that have a line each */
    QS_DEMO_PROBLEM_PACKETS_MAX = 10 /* of one kind; further ones are only counted */
};

/* A session may have several demos, each with a time of its own. */
struct qs_demo_moment {
    unsigned demo; /* number, from 1; 0: before a demo, and the time is the session's */
    int64_t time;  /* nanoseconds */
};

/* Problems whose texts differ in their numbers only. */
struct qs_session_demo_problem {
    const char *file; /* of the first; NULL: it is of no packet */
    char *kind;       /* the text without its numbers */
    char *text;       /* of the first, printable */
    uint64_t count;   /* how often it was reported */
    uint64_t amount;  /* how many things that concerns: see qs_demo_missing(); or 0 */
    struct qs_demo_moment from, until; /* the first and the last */
    GArray *packets;                   /* uint64_t: their numbers */
};

struct qs_session_problems {
    GPtrArray *kinds; /* struct qs_session_demo_problem *, by their first */
    guint holes;      /* of them are holes of the capture, or that it is cut */
    uint64_t count;   /* of all */
    uint64_t others;  /* of further kinds */
};

/* --- The demo -------------------------------------------------------------------------------- */

/* A file that was written, or would be. */
struct qs_session_demo_file {
    char *name; /* without folder; NULL where nothing is written */
    char *map;  /* that it is named after, as received; or NULL */
    uint64_t size;
    uint64_t first;     /* number of the packet that it begins with */
    int64_t start, end; /* nanoseconds since the epoch: its first packet, and the demo's end */
    char *error;        /* why it is not there, or NULL */
    bool unchanged;     /* a file of that name had the same bytes already */
};

/* Where the files of demos go. An implementation begins with this struct. */
struct qs_demo_store {
    /* Begins a file, which has no name yet; `request` is what is known for one. */
    void *(*begin)(struct qs_demo_store *store, const struct qs_demo_name_request *request);
    void (*write)(void *file, const void *data, size_t size);
    /* Whether the store keeps no more of what is written: the next level should begin another file.
     * NULL: never. */
    bool (*is_cut)(const void *file);
    /* The file is whole, and gets a name: sets `name` (NULL: it could have none), `error` and
     * `unchanged` of the result. */
    void (*commit)(struct qs_demo_store *store, void *file,
                   const struct qs_demo_name_request *request, struct qs_session_demo_file *result);
    /* Ends it; what was not committed is dropped. */
    void (*end)(void *file);
};

/* What the user asked for. */
struct qs_session_demo_options {
    bool split;    /* a demo for each level, also where clients record one for a connection */
    bool sanitize; /* leave out what playback does not need and would carry out: see the manual */
    enum qs_qwd_format qwd_format;
    const char *extension; /* of the format, for protocols with several; NULL: the first. Static */
};

struct qs_session_demo_setup {
    struct qs_demo_store *store; /* NULL: nothing is written, only counted */
    struct qs_session_demo_options demo_options;
    const char *capture; /* of the files' names; the demo's owner keeps these texts alive */
    const struct qs_demo_format *format;
    unsigned session;
};

/* Only session.c, the functions here and `writer` change it. */
struct qs_session_demo {
    struct qs_demo_writer writer; /* with the counts. A demo begun gets its name at the session's
                                     end, or when the next one begins */
    GPtrArray *files;             /* struct qs_session_demo_file *, in order */
    struct qs_session_problems problems; /* what is wrong with it, or what the user should know */
    char *lacks;                         /* what the start lacks, or NULL */
    uint64_t size;                       /* bytes of the file that is being written */
    struct qs_donor_choice donor;        /* of a session that began late: set once */
    const char *dropped; /* why the last file is not kept, or none is needed: static; or NULL */
    int64_t time;        /* of what is written until the next packet comes */
    const char *player;  /* whose demo it is; NULL: not known */
};

struct qs_session_demo *qs_session_demo_new(const struct qs_session_demo_setup *setup);
void qs_session_demo_free(struct qs_session_demo *demo);

/* Whether the next level is to begin a file: the user asks for it, or the store keeps no more of
 * the present one. */
bool qs_session_demo_splits(const struct qs_session_demo *demo);

/* The packet to come, and the file that it is from, an interned text. */
void qs_session_demo_set_source(struct qs_session_demo *demo, const char *file,
                                const struct qs_packet *packet);

/* The map that the session is on from now on. NULL: not known. */
void qs_session_demo_set_map(struct qs_session_demo *demo, const char *map);

/* So many of the session's packets are cut to that many bytes of content: the cause of most other
 * problems, and so the first one. */
void qs_session_demo_cut(struct qs_session_demo *demo, uint64_t cut, uint64_t packets,
                         uint32_t size);

/* The session is over: names the last file, or drops it where `keep` is false. */
void qs_session_demo_end(struct qs_session_demo *demo, bool keep);

/* The line for the user, as a new text: when, what, how often and where: "from 0:21 to 0:40: frame
 * 7 is left out (3 times: packets 12, 45, 99)". Of several demos it names the one. */
char *qs_session_demo_problem_text(const struct qs_session_demo *demo,
                                   const struct qs_session_demo_problem *problem);

/* The commands that were left out, as a new text: "cmd ×5, packet"; NULL: none were. */
char *qs_session_demo_left_out_text(const struct qs_session_demo *demo);

#endif
