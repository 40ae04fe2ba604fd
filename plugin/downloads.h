/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * File > Export Objects > Quake downloads: the files that servers sent to clients, of all
 * protocols. `tshark --export-objects quake_downloads,FOLDER`.
 *
 * Decoders tell what each packet carries; a tap gathers that packet by packet, and puts it
 * together. Nothing is kept while nobody asks for files.
 */
#ifndef QS_PLUGIN_DOWNLOADS_H
#define QS_PLUGIN_DOWNLOADS_H

#include "plugin/bridge.h"

void downloads_register(void);

/* Whether what packets tell of files is wanted now. */
bool downloads_are_wanted(void);

/* Takes decoder->transfers of the packet just decoded, which is of this conversation. */
void downloads_queue(const struct bridge *bridge, packet_info *pinfo, const void *conversation);

#endif
