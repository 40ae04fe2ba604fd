/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the capture has all of a level's sign-on: the client requests it part by part, and each
 * request depends on the last answer (PROTOCOL.md, section 9).
 */
#ifndef QW_SIGN_ON_H
#define QW_SIGN_ON_H

#include "common/core/parse.h"
#include "common/quakeworld/quakeworld.h"

/* A command of the client's. */
void qw_sign_on_command(struct qs_decoder *d, struct qs_view text);

/* The server's messages: svc_stufftext, svc_serverdata, and a list from index `first` on. */
void qw_sign_on_stufftext(struct qs_decoder *d, struct qs_view text);
void qw_sign_on_serverdata(struct qs_decoder *d);
void qw_sign_on_list(struct qs_decoder *d, uint32_t first);

/* The header of a packet of either end, before its messages are read: `reliable` is the bit of its
 * number, `bit` that of its acknowledgement. */
void qw_sign_on_bits(struct qs_decoder *d, bool reliable, bool bit);

/* After all messages of a packet. */
void qw_sign_on_packet(struct qs_decoder *d);

#endif
