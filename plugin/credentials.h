/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tools > Credentials, `tshark -z credentials`: passwords that packets carry in the clear. */
#ifndef QS_PLUGIN_CREDENTIALS_H
#define QS_PLUGIN_CREDENTIALS_H

#include "plugin/dissector.h"

void credentials_register(void);

/* Gives Wireshark those of the packet that was just decoded. */
void credentials_queue(const struct dissector *dissector, packet_info *pinfo);

#endif
