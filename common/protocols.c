/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of protocols: the plugin and the tool loop over it. */
#include "common/acknex/acknex.h"
#include "common/core/protocol.h"
#include "common/quake/session.h"
#include "common/quake2/quake2.h"
#include "common/quakeworld/quakeworld.h"

/* clang-format off */
const struct qs_protocol *const qs_protocols[] = {
    &qw_protocol,
    &q2_protocol,
    &nq_protocol,
    &acknex_protocol,
    NULL,
};
/* clang-format on */
