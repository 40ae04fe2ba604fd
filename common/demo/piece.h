/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pieces: which bytes of a demo a packet carries that was made of it. They stand in the comments
 * of a capture's packets, as
 *
 *     demo WORD OFFSET SIZE HEX FROM
 *
 * WORD is "block" where a block begins, "more" where one goes on, "start" for what is before the
 * first. The piece has SIZE bytes and begins at OFFSET in the demo: the bytes HEX, then the
 * packet's payload from its byte FROM on; "-" stands for nothing of either.
 *
 * A demo is restored from them byte for byte, whatever its format: all pieces in order are the
 * demo.
 */
#ifndef QS_DEMO_PIECE_H
#define QS_DEMO_PIECE_H

#include <glib.h>

#include "common/core/reader.h"

enum qs_demo_piece_kind { QS_DEMO_PIECE_START, QS_DEMO_PIECE_BLOCK, QS_DEMO_PIECE_MORE };

struct qs_demo_piece {
    enum qs_demo_piece_kind kind;
    uint64_t offset;     /* in the demo */
    uint32_t size;       /* in all */
    struct qs_view head; /* bytes that the payload does not have */
    bool has_payload;
    uint32_t from; /* of the payload, where it has part */
};

/* The comment: a new text. */
char *qs_demo_piece_text(const struct qs_demo_piece *piece);

/* Reads one; `piece->head` will be in `head`. False: it is no such comment. */
bool qs_demo_piece_read(const char *text, struct qs_demo_piece *piece, GByteArray *head);

/*
 * Appends the piece's bytes to `out`; `payload` is the packet's. False, and nothing is appended,
 * where they are not as many as the piece has.
 */
bool qs_demo_piece_append(const struct qs_demo_piece *piece, struct qs_view payload,
                          GByteArray *out);

#endif
