/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Server messages. */
#ifndef Q2_SERVER_MESSAGES_H
#define Q2_SERVER_MESSAGES_H

#include <glib.h>

#include "common/core/decoder.h"

/* All messages up to the end of the source. */
void q2_read_server_messages(struct qs_decoder *d);
/* The same where there is no netchan: the source is all of the packet. */
void q2_decode_messages(struct qs_decoder *d);
/* Reads on in what the packet holds in another form. */
void q2_read_source(struct qs_decoder *d, const char *title, GBytes *source,
                    void (*read)(struct qs_decoder *));

#endif
