/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * File > Export Objects > Quake downloads: the files that servers sent to clients, of all
 * protocols. `tshark --export-objects quake_downloads,FOLDER`.
 *
 * Decoders report the file data in each packet; a tap receives and joins them. Nothing is stored
 * while no tap listens.
 */
#ifndef QS_PLUGIN_EXPORT_OBJECTS_H
#define QS_PLUGIN_EXPORT_OBJECTS_H

#include "plugin/dissector.h"

#include <epan/tap.h>

void export_objects_register(void);

/* Call it when the capture is closed. */
void export_objects_end(void);

/* Whether a tap listens now. */
bool export_objects_are_wanted(void);

/* Gives the tap decoder->transfers of the packet just decoded, which is of this conversation. */
void export_objects_queue(const struct dissector *dissector, packet_info *pinfo,
                          const void *conversation);

/*
 * Lists of objects hear here when all packets are about to come, and when they have come. The reset
 * callback of register_export_object() does not tell: only Wireshark's windows call it, sharkd does
 * not, and lists of two captures may have the same address.
 */

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
