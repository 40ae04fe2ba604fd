/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stores rows of a report, added in any order and read in order of their numbers. */
#ifndef PCAP2DEMO_ROWS_H
#define PCAP2DEMO_ROWS_H

#include <glib.h>

struct rows;

struct rows *rows_new(void);
void rows_free(struct rows *rows);

/* Numbers start again from 1: later rows follow the present ones. */
void rows_begin_part(struct rows *rows);

/* Adds a row of any bytes. `number`: 1 or more; of equal ones the first comes first. */
void rows_add(struct rows *rows, unsigned number, const void *bytes, gsize size);

/* Receives a row; a NUL follows the bytes. */
typedef void row_visitor(void *user, const char *bytes, gsize size);

/* Calls `each` for all rows in order. No rows can be added afterwards. */
void rows_each(struct rows *rows, row_visitor *each, void *user);

#endif
