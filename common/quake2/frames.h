/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames. */
#ifndef Q2_FRAMES_H
#define Q2_FRAMES_H

#include "common/core/decoder.h"

void q2_read_frame(struct qs_decoder *d, unsigned extra_bits);
void q2_read_playerinfo(struct qs_decoder *d);
void q2_read_packetentities(struct qs_decoder *d);
void q2_read_playerupdate(struct qs_decoder *d);

#endif
