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
#include <stdbool.h>

/* The page of these sessions (json_t *), in the order of the report. New. */
GString *page_new(const GPtrArray *sessions);

/* --- For the page's parts */

struct page {
    GString *html;
    const GPtrArray *sessions;
    double begin, end; /* of those whose clock is known: seconds since the epoch */
};

/* style.css and script.js, with a NUL behind them. */
extern const char page_style[], page_script[];

/* Adds text, with all characters escaped that HTML and its attributes give a meaning. */
void page_text(struct page *page, const char *text);
void page_add(struct page *page, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* A member of a JSON object, or what stands for null and nothing. */
double page_number(const json_t *object, const char *name, double unknown);
const char *page_string(const json_t *object, const char *name);

/* "dm4, dm6", or "?"; "1:02"; "1.9", "≤3.0" or "–". New. */
char *page_maps(const json_t *session);
char *page_duration(double seconds);
char *page_loss(const json_t *session, const char *direction);

/* style="left:12%;width:3%" of an element whose place is a part of `span`. */
void page_place(struct page *page, double from, double until, double span);

/* An empty element of this class there: a hole, a level change, or what is unknown. */
void page_mark(struct page *page, const char *class, double from, double until, double span);
void page_holes(struct page *page, const json_t *session, double at, double span);

/* A map's name is shown if the part of its width has room for it, maybe only on wide screens. */
void page_map_label(struct page *page, const char *map, double from, double until, double span);

void page_timeline(struct page *page);
void page_table(struct page *page);
void page_session(struct page *page, const json_t *session);
void page_levels(struct page *page, const json_t *session);

#endif
