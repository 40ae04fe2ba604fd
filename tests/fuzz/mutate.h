/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a target tells mutate.c of its inputs. */
#ifndef TESTS_FUZZ_MUTATE_H
#define TESTS_FUZZ_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Two bytes, then pieces (fuzz.h); or a byte, then a file. */
extern const bool fuzz_mutate_pieces;

#endif
