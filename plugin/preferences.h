/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record's options as preferences of its protocol, `<protocol>.<option>`. */
#ifndef QS_PLUGIN_PREFERENCES_H
#define QS_PLUGIN_PREFERENCES_H

#include "plugin/dissector.h"

/* `changed` is called whenever preferences of the protocol have changed. */
void preferences_register(struct dissector *dissector, void (*changed)(void));

/* Takes over the values as they are now. */
void preferences_apply(struct dissector *dissector);

#endif
