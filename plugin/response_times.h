/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics > Service Response Time: how long responses took, by what was asked for. */
#ifndef QS_PLUGIN_RESPONSE_TIMES_H
#define QS_PLUGIN_RESPONSE_TIMES_H

#include "plugin/dissector.h"

void response_times_register(const struct dissector *dissector);

#endif
