/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbers of sessions: from 1, in the order in which they begin, whatever their conversations
 * and protocols. A conversation may hold several, one after the other: one begins with the first
 * netchan packet that its receiver takes (decoder->accepted) in a new connection
 * (qs_session.connection), and ends when the next connection begins. What only asks and answers
 * before that belongs to none.
 */
#ifndef QS_CORE_NUMBERING_H
#define QS_CORE_NUMBERING_H

#include <stdbool.h>
#include <stdint.h>

/* How many sessions there were so far, of all that are numbered together. All 0 to begin with. */
struct qs_numbering {
    uint32_t count;
};

/* The session that goes on in a conversation. All 0 to begin with. */
struct qs_numbered {
    uint32_t number;     /* 0: none */
    uint32_t connection; /* that it is */
};

/*
 * A packet was decoded, which its receiver `accepted` or not; then its conversation is in
 * `connection`. Returns the number of the session that goes on from this packet on, 0 where there
 * is none. Where it is not what it was, the one before is over.
 */
uint32_t qs_number_session(struct qs_numbering *numbering, struct qs_numbered *current,
                           uint32_t connection, bool accepted);

#endif
