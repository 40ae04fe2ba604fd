/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Seeds for fuzz_decode that no capture has: each dialect of QuakeWorld and Quake. */
#ifndef TESTS_FUZZ_MADE_SEEDS_H
#define TESTS_FUZZ_MADE_SEEDS_H

/* Writes them to this folder: a level, and each message by number, with one of two bodies. */
void made_seeds_write(const char *folder);

#endif
