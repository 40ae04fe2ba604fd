/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Captures of made sessions, for what only the tool does. */
#ifndef TESTS_FUZZ_MADE_CAPTURE_H
#define TESTS_FUZZ_MADE_CAPTURE_H

#include <glib.h>
#include <stdint.h>

/* The packets of an input of fuzz_decode, from so many clients, one behind the other. Free it. */
GByteArray *made_capture_of(const GByteArray *seed, uint16_t server_port, unsigned clients);

#endif
