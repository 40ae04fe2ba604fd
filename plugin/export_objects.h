/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * File > Export Objects > Quake downloads: the files that servers sent to clients, of all
 * protocols. `tshark --export-objects quake_downloads,FOLDER`.
 *
 * Decoders report what each packet carries of files; a tap receives that packet by packet and joins
 * it. Nothing is stored while the objects are not wanted.
 */
#ifndef QS_PLUGIN_EXPORT_OBJECTS_H
#define QS_PLUGIN_EXPORT_OBJECTS_H

#include "plugin/dissector.h"

void export_objects_register(void);

/* A capture begins. */
void export_objects_begin(void);

/* Whether a tap listens now. */
bool export_objects_are_wanted(void);

/* Gives the tap decoder->transfers of the packet just decoded, which is of this conversation. */
void export_objects_queue(const struct dissector *dissector, packet_info *pinfo,
                          const void *conversation);

#endif
