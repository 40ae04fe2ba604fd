/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report of --report: one HTML page that draws the sessions of --stats --json. It needs nothing
 * from elsewhere, and no script. The more sessions there are, the coarser are the details of each,
 * so that a hundred fit into a megabyte.
 */
#ifndef PCAP2DEMO_PAGE_H
#define PCAP2DEMO_PAGE_H

#include <glib.h>
#include <jansson.h>

/* The page of these sessions (json_t *), in the order of the report. New. */
GString *page_new(const GPtrArray *sessions);

/* --- For the page's parts */

struct page {
    GString *html;
    const GPtrArray *sessions;
    double begin, end; /* of those whose clock is known: seconds since the epoch */
};

/* Adds HTML; all texts among the arguments are escaped. */
void page_add(struct page *page, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* A member of a JSON object, or what stands for null and nothing. */
double page_number(const json_t *object, const char *name, double unknown);
const char *page_string(const json_t *object, const char *name);

/* "dm4, dm6", or "?". New. */
char *page_maps(const json_t *session);

/* In the reader's time zone; the format is strftime's. New. */
char *page_clock(double time, const char *format);

/* Adds an element with a text, maybe empty, whose place is a part of `span`. */
void page_mark(struct page *page, const char *class, double from, double until, double span,
               const char *text);

/* Marks the session's levels and the holes of the capture; it begins `at` a part of `span`. */
void page_marks(struct page *page, const json_t *session, double at, double span);

/* Adds round times: of the clock, or of a session, which begins at 0. */
void page_ticks(struct page *page, double begin, double end);

void page_session(struct page *page, const json_t *session);

#endif
