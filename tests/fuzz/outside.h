/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tool has of the world outside, for fuzzers: the files that it writes stay in memory, and
 * signals are left to libFuzzer. outside.c takes the place of output/writer.c and signals.c in
 * every program that calls the function below.
 */
#ifndef TESTS_FUZZ_OUTSIDE_H
#define TESTS_FUZZ_OUTSIDE_H

#include "common/core/reader.h"

/* From now on `take` gets each file that is given its name; NULL: nobody does. */
typedef void fuzz_file_taker(void *user, const char *name, struct qs_view file);
void fuzz_take_files(fuzz_file_taker *take, void *user);

#endif
