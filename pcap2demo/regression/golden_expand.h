/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the compact form of text dumps (see common/dump/dump.h): its lines become those of the full
 * form, with all that the tables of fields imply.
 */
#ifndef PCAP2DEMO_GOLDEN_EXPAND_H
#define PCAP2DEMO_GOLDEN_EXPAND_H

#include "pcap2demo/regression/golden.h"

struct golden_expander;

/* It reads the schema that is written. */
struct golden_expander *golden_expander_new(void);
/* From now on it reads this one, of GOLDEN_FILE_OFFSETS or above. */
void golden_expander_set_schema(struct golden_expander *expander, unsigned schema);
/* From now on numbers of other packets are themselves, as in the full form, not "#-2". */
void golden_expander_set_absolute(struct golden_expander *expander, bool absolute);
void golden_expander_free(struct golden_expander *expander);

/*
 * The number of the packet of which this is the first line, behind `before`. False where it is no
 * first line.
 */
bool golden_packet_number(const char *line, gsize length, uint64_t before, uint64_t *number);

/*
 * Adds a line to a packet of this number, without what is ignored. The first line of a packet, or
 * of a further unit in it, begins anew. False where it is none of the form.
 */
bool golden_expand(struct golden_expander *expander, const GPtrArray *ignored, const char *line,
                   gsize length, struct golden_packet *packet);

/* All lines of the packet were added. */
void golden_expand_end(struct golden_expander *expander, struct golden_packet *packet);

#endif
