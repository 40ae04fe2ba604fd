/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints a packet as text and as JSON: both have the same groups, fields and notes, in the same
 * order and at the same places, as many as a sink hears, which is what a tree shows; and no control
 * characters.
 */
#ifndef TESTS_FUZZ_DUMP_CHECK_H
#define TESTS_FUZZ_DUMP_CHECK_H

#include "common/core/parse.h"

/* Decodes the packet in copies of the session, which stays as it is. */
void dump_check(struct qs_decoder *decoder, const struct qs_session *session,
                const struct qs_packet *packet);

#endif
