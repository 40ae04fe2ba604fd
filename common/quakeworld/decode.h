/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all readers of QuakeWorld need: decoder, constants, names and fields, and the session. */
#ifndef QW_DECODE_H
#define QW_DECODE_H

#include "common/core/decoder.h"
#include "common/core/infostring.h"
#include "common/core/text.h"
#include "common/quakeworld/constants.h"
#include "common/quakeworld/fields.h"
#include "common/quakeworld/names.h"
#include "common/quakeworld/quakeworld.h"

static inline struct qw_session *qw_session(const struct qs_decoder *d)
{
    return (struct qw_session *)d->session;
}

/* The protocol version in force; where a capture begins too late to show it, the usual one. */
static inline int32_t qw_version(const struct qs_decoder *d)
{
    return d->session->version ? d->session->version : QW_PROTOCOL_LAST;
}

#endif
