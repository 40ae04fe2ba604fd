/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MVD, the demo of a server: the blocks of .mvd2 files. */
#ifndef Q2_MVD_H
#define Q2_MVD_H

#include "common/core/parse.h"

/* "MVD2": what files and streams begin with. */
#define Q2_MVD_MAGIC "MVD2"

enum {
    Q2_MVD_MAGIC_SIZE = 4,
    Q2_MVD_LENGTH_SIZE = 2,    /* of a block's length */
    Q2_MVD_BLOCK_MAX = 0x8000, /* bytes of a block; Q2PRO: MAX_MSGLEN */
    Q2_MVD_ID_MASK = 0x1f,     /* of a message's byte; above it are extra bits */
    Q2_MVD_ID_BITS = 5
};

/* A whole block of a file, with its length; or the magic, which has the number 0. */
void q2_decode_mvd_block(struct qs_decoder *d);

#endif
