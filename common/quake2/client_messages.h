/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Client messages. */
#ifndef Q2_CLIENT_MESSAGES_H
#define Q2_CLIENT_MESSAGES_H

#include "common/core/decoder.h"

/* All messages up to the end of the source. */
void q2_read_client_messages(struct qs_decoder *d);

#endif
