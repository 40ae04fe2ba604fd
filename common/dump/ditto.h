/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of a packet that are like an earlier one: the compact form of dumps writes only the pieces
 * in which they differ, and its reader puts the others back.
 *
 * A line has a name, its group's, and pieces "field=value" in an order. It is like a line of that
 * name in the packet when it has the same fields in the same order. Of lines that are like each
 * other the last counts; the lines of a name are ranked, from the last back. A derived number that
 * was one greater than in the line before is expected to be one greater again.
 */
#ifndef QS_DUMP_DITTO_H
#define QS_DUMP_DITTO_H

#include <glib.h>
#include <stdbool.h>

#include "common/core/reader.h"

/* All zero to begin with. */
struct qs_dittos {
    GPtrArray *lines;      /* struct qs_ditto, the last one last; those behind `count` are spare */
    guint count;           /* in the packet, of which none is like another of its name */
    struct qs_ditto *line; /* which is being put together; NULL: none yet */
    GString *expected;     /* a piece */
    bool count_on;         /* numbers count */
};

void qs_dittos_clear(struct qs_dittos *dittos);

/* A packet begins. */
void qs_dittos_begin(struct qs_dittos *dittos);

/* A piece of the line that is being put together, without the blank before it. */
void qs_dittos_add(struct qs_dittos *dittos, const char *piece, gsize length);

/*
 * The line is put together. When it is like one before it of this name, appends "~", the rank
 * unless that is 1, and the pieces that are not as expected, each behind a blank, to `out` cut to
 * `start`; else leaves `out` as it is.
 */
void qs_dittos_shorten(struct qs_dittos *dittos, const char *name, gsize length, GString *out,
                       gsize start);

/*
 * The pieces that were added are those that are not as expected behind the line of this name and
 * rank: appends all pieces, each behind a blank, to `out`, and forgets those. False where there is
 * no such line, or it lacks one of them.
 */
bool qs_dittos_lengthen(struct qs_dittos *dittos, const char *name, gsize length, guint rank,
                        GString *out);

/* The line is put together, and no ditto. */
void qs_dittos_keep(struct qs_dittos *dittos, const char *name, gsize length);

#endif
