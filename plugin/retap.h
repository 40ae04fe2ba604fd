/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of objects hear here when all packets are about to come, and when they have come. The reset
 * callback of register_export_object() does not tell: only Wireshark's windows call it, sharkd does
 * not, and lists of two captures may have the same address.
 */
#ifndef QS_PLUGIN_RETAP_H
#define QS_PLUGIN_RETAP_H

#include "plugin/ws_compat.h"

#include <epan/tap.h>

struct retap_listener {
    tap_reset_cb reset; /* packets come from the first one on */
    tap_draw_cb draw;   /* they have come; or NULL */
    bool listening;
};

void retap_register(void);

/*
 * From now on the listener is called, before all that listen by now; to be called from a tap's
 * packet callback, since Wireshark walks along its listeners in the other ones. The listener must
 * live as long as Wireshark does.
 */
void retap_listen(struct retap_listener *listener);

#endif
