/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which session a packet belongs to. The numbers are those of common/core/numbering.h, over all
 * conversations and protocols of the capture. Unlike a program that reads a capture once, Wireshark
 * can also tell of a request for a connection what came of it: such packets share a number with the
 * session that follows, in their conversation or in the one that it announces. It is 0 until that
 * session begins, and so nothing is shown of it in the first pass.
 */
#ifndef QS_PLUGIN_SESSION_NUMBERS_H
#define QS_PLUGIN_SESSION_NUMBERS_H

#include "plugin/ws_compat.h"

#include "common/core/parse.h"
#include "common/core/session.h"

struct session_number {
    uint32_t number; /* 0: not known yet */
};

/* Of a conversation. All 0 to begin with; what it points to lives to the end of the capture. */
struct conversation_numbers {
    struct qs_session_number current;
    struct session_number *session; /* that goes on, or NULL */
    struct session_number *request; /* for a connection, which is not decided; or NULL */
};

/* A capture begins. */
void session_numbers_restart(void);

/* How many sessions have begun. */
uint32_t session_numbers_count(void);

/* The number of the packet that was just decoded, in the first pass; NULL: it belongs to none. */
const struct session_number *session_numbers_follow(struct conversation_numbers *numbers,
                                                    const struct qs_decoder *decoder);

/* A packet of `numbers` announces another conversation. */
void session_numbers_announce(struct conversation_numbers *numbers,
                              struct conversation_numbers *announced);

#endif
