/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kinds of number that Acknex sends, one reader each; PROTOCOL.md, section 1.
 * Each emits its field and returns the value in the unit that is shown.
 */
#ifndef ACKNEX_UNITS_H
#define ACKNEX_UNITS_H

#include "common/core/parse.h"

typedef double acknex_number(struct qs_decoder *d, unsigned row);

/* Fixed: 22.10, four bytes. */
acknex_number acknex_fixed;
/* Position: a Fixed divided by 8 in three bytes, so 1/128 each. */
acknex_number acknex_packed;
/* A component of the scale: a Fixed times 0.25 in two bytes, so 1/256 each. */
acknex_number acknex_quarter;
/* Angle: two bytes, 360/65535 degrees each, never negative; byte order by the option. */
acknex_number acknex_angle;

/* Scale(range): one byte, range/255 each. */
double acknex_scaled(struct qs_decoder *d, unsigned row, unsigned range);

/* Three numbers of one kind; `row` is a VEC3 row. */
void acknex_vector(struct qs_decoder *d, unsigned row, acknex_number *read);
/* CPosition: three Positions or three Fixed, by the option. */
void acknex_cposition(struct qs_decoder *d, unsigned row);

#endif
