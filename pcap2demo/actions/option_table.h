/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of the command line, in sections as --help has them. GOption reads them; this prints
 * the help, in 80 columns, and finds words that GOption would take wrongly or explain poorly.
 */
#ifndef PCAP2DEMO_OPTION_TABLE_H
#define PCAP2DEMO_OPTION_TABLE_H

#include <glib.h>

struct option_table;

struct option_table *option_table_new(void);
void option_table_free(struct option_table *table);

/* Begins a section; its title must live as long as the table, as the texts of entries must. */
void option_table_section(struct option_table *table, const char *title);

/* Adds entries to the section at hand; they end with G_OPTION_ENTRY_NULL. */
void option_table_add(struct option_table *table, const GOptionEntry *entries);

/* Adds all entries to `group`. */
void option_table_add_to(const struct option_table *table, GOptionGroup *group);

/* Prints the sections on standard output. */
void option_table_print(const struct option_table *table);

/*
 * What is wrong with the words of a command line, as a new text, or NULL: an option that there is
 * not, with the one that was probably meant, or a value behind a flag. Words behind "--", and those
 * that are values of the option before them, are not looked at.
 */
char *option_table_problem(const struct option_table *table, int argc, char *const *argv);

#endif
