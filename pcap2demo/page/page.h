/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HTML page of --report: draws the sessions of --stats --json. The page loads nothing, and works
 * without scripts. The more sessions there are, the coarser are the details of each, so that a
 * hundred fit into a megabyte.
 */
#ifndef PCAP2DEMO_PAGE_H
#define PCAP2DEMO_PAGE_H

#include <glib.h>
#include <jansson.h>

/* Returns the page of these sessions (json_t *), in the given order. The caller frees it. */
GString *page_new(const GPtrArray *sessions);

/* --- Parts of the page ----------------------------------------------------------------------- */

struct page {
    GString *html;
    const GPtrArray *sessions;
    /* First start and last end of sessions with a known clock time (s since the epoch). */
    double begin, end;
};

/* Appends HTML. Escapes all strings among the arguments. */
void page_add(struct page *page, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Return a member of a JSON object; `unknown`, or "?", if it is missing or null. */
double page_number(const json_t *object, const char *name, double unknown);
const char *page_string(const json_t *object, const char *name);

/* Returns the maps: "dm4, dm6", or "?". The caller frees it. */
char *page_maps(const json_t *session);

/* Formats a time in the local time zone; `format` is strftime's. The caller frees the text. */
char *page_clock(double time, const char *format);

/* Appends an element from `from` to `until` on an axis of length `span`. `text` may be empty. */
void page_mark(struct page *page, const char *class, double from, double until, double span,
               const char *text);

/* Returns the start of a level. The first one begins the session, unless earlier ones were dropped.
 */
double page_level_from(const json_t *levels, size_t index);

/* Marks levels and holes of a session, which starts at `at` on an axis of length `span`. */
void page_marks(struct page *page, const json_t *session, double at, double span);

/* Appends ticks at round times: clock times, or times of a session if `begin` is 0. */
void page_ticks(struct page *page, double begin, double end);

/* Appends the section of a session. */
void page_session(struct page *page, const json_t *session);

#endif
