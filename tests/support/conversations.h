/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads captures for tests that want each packet together with the session as it was before: the
 * packets of all conversations that a protocol claims, and the units of streams, in the capture's
 * order.
 */
#ifndef TESTS_SUPPORT_CONVERSATIONS_H
#define TESTS_SUPPORT_CONVERSATIONS_H

#include "common/core/decode.h"
#include "common/protocols.h"

struct visit {
    unsigned protocol;                /* number in qs_protocols[] */
    unsigned conversation;            /* number in the capture, from 1 */
    const struct qs_session *session; /* what was known before the packet */
    const struct qs_packet *packet;
};

typedef void visit_function(const struct visit *visit, void *user);

/* Visits each packet of a capture file. False, with a message on standard error, when it cannot. */
bool conversations_visit(const char *file, visit_function *visitor, void *user);

#endif
