/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session's demo: files, counts and problems. Rebuilders write it through its `writer`. */
#ifndef QS_SESSIONS_DEMO_H
#define QS_SESSIONS_DEMO_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/demo/writer.h"
#include "common/sessions/demo_names.h"
#include "common/sessions/late_join.h"

/* A place in the input. If `file` is NULL, it is unknown; if `packet` is 0, it is the whole file;
 * if `session` is 0, it is of no session. */
struct qs_location {
    const char *file;
    uint64_t packet;
    bool block;       /* the file is a demo, and `packet` a block's number */
    unsigned session; /* number of the session */
};

/* Maximum number of left-out commands that are listed by name; the rest is listed as "others". */
enum { QS_DEMO_COMMANDS_MAX = 32 };

/* --- Problems -------------------------------------------------------------------------------- */

enum {
    QS_DEMO_PROBLEMS_MAX = 8,        /* kinds of problems; others are only counted */
    QS_DEMO_HOLES_MAX = 10,          /* holes that have a line each */
    QS_DEMO_PROBLEM_PACKETS_MAX = 10 /* packets of one kind; others are only counted */
};

/* A time in one of the session's demos, each of which has a clock of its own. */
struct qs_demo_moment {
    unsigned demo; /* number, from 1; 0 if no demo had begun: `time` is the session's */
    int64_t time;  /* ns since the start */
};

/* Group of problems whose texts differ only in their numbers. */
struct qs_session_demo_problem {
    const char *file;                  /* file of the first; NULL if no packet is known */
    char *kind;                        /* text without its numbers */
    char *text;                        /* text of the first, printable */
    uint64_t count;                    /* number of reports */
    uint64_t amount;                   /* number of things affected: see qs_demo_missing(); or 0 */
    struct qs_demo_moment from, until; /* times of the first and the last */
    GArray *packets;                   /* uint64_t: numbers of the packets */
};

struct qs_session_problems {
    GPtrArray *kinds; /* struct qs_session_demo_problem *, in the order of their first reports */
    guint holes;      /* number of kinds that are holes, or packets that were cut */
    uint64_t count;   /* number of all reports */
    uint64_t others;  /* number of reports of further kinds */
};

/* --- The demo and its files ------------------------------------------------------------------ */

/* A demo file that was written, or is only counted. */
struct qs_session_demo_file {
    char *name; /* name without folder; NULL if nothing is written */
    char *map;  /* map for the name, as received; or NULL */
    uint64_t size;
    uint64_t first;     /* number of its first packet */
    int64_t start, end; /* time of its first packet, and of its end (ns since the epoch) */
    char *error;        /* why it could not be written, or NULL */
    bool unchanged;     /* a file of that name had the same bytes already */
};

/* A store of demo files. An implementation begins with this struct. */
struct qs_demo_store {
    /* Begins a file without a name and returns its handle; `request` has what is known so far. */
    void *(*begin)(struct qs_demo_store *store, const struct qs_demo_name_request *request);
    void (*write)(void *file, const void *data, size_t size);
    /* True if the store drops what is written from now on, so that the next level should begin
     * another file. NULL: never. */
    bool (*is_cut)(const void *file);
    /* Gives the complete file its name: sets `name` (NULL if it cannot have one), `error` and
     * `unchanged` of the result. */
    void (*commit)(struct qs_demo_store *store, void *file,
                   const struct qs_demo_name_request *request, struct qs_session_demo_file *result);
    /* Frees the handle; drops the file if it was not committed. */
    void (*end)(void *file);
};

/* The user's options for demos. */
struct qs_session_demo_options {
    bool split;    /* one demo for each level, even where clients record one for a connection */
    bool sanitize; /* leave out commands that playback would execute but does not need */
    enum qs_qwd_format qwd_format;
    const char *extension; /* extension of one of several formats; NULL: the first. Static */
};

struct qs_session_demo_setup {
    struct qs_demo_store *store; /* NULL: the demo is only counted, not written */
    struct qs_session_demo_options demo_options;
    const char *capture; /* the capture's part of file names; must outlive the demo */
    const struct qs_demo_format *format;
    unsigned session;
};

/* A session's demo. Handlers may set `dropped`; only session.c, the functions here and `writer`
 * change the rest. */
struct qs_session_demo {
    struct qs_demo_writer writer; /* output, with the counts; a file gets its name when the next one
                                     begins, or at the session's end */
    GPtrArray *files;             /* struct qs_session_demo_file *, in order */
    struct qs_session_problems problems; /* problems of the demo, and notes for the user */
    char *lacks;                         /* missing part at the start, or NULL */
    uint64_t size;                       /* size of the current file (bytes) */
    struct qs_donor_choice donor;        /* donor of a late session, set once */
    const char *dropped; /* why the last file is dropped, or none is needed: static; or NULL */
    int64_t time;        /* time of what is written now (ns) */
    const char *player;  /* player whose demo it is; NULL if unknown */
};

/* Creates a demo. Copies `setup`, whose pointers must outlive the demo. qs_session_demo_free()
 * drops a file that was not ended. */
struct qs_session_demo *qs_session_demo_new(const struct qs_session_demo_setup *setup);
void qs_session_demo_free(struct qs_session_demo *demo);

/* True if the next level begins another file: the user wants so, or the store keeps no more of the
 * present one. */
bool qs_session_demo_splits(const struct qs_session_demo *demo);

/* Sets the next packet, and its file, an interned text. */
void qs_session_demo_set_source(struct qs_session_demo *demo, const char *file,
                                const struct qs_packet *packet);

/* Sets the session's map for the names of files; NULL if unknown. */
void qs_session_demo_set_map(struct qs_session_demo *demo, const char *map);

/* Reports that the capture cut `cut` of the session's `packets`, to at most `size` bytes of their
 * content. Lists it first, because it causes most other problems. */
void qs_session_demo_cut(struct qs_session_demo *demo, uint64_t cut, uint64_t packets,
                         uint32_t size);

/* Ends the demo: names the last file, or drops it if `keep` is false. */
void qs_session_demo_end(struct qs_session_demo *demo, bool keep);

/* Returns the problem's line for the user, to be freed: "from 0:21 to 0:40: frame 7 is left out (3
 * times: packets 12, 45, 99)". Names the demo if there are several. */
char *qs_session_demo_problem_text(const struct qs_session_demo *demo,
                                   const struct qs_session_demo_problem *problem);

/* Returns the commands that were left out, to be freed: "cmd ×5, packet". NULL if there are
 * none. */
char *qs_session_demo_left_out_text(const struct qs_session_demo *demo);

#endif
