/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/credentials.h"

#include <epan/tap.h>

static int tap;

void credentials_register(void)
{
    tap = register_tap("credentials"); /* Wireshark's own */
}

static char *text_in(packet_info *pinfo, const char *text)
{
    return wmem_strdup(pinfo->pool, text);
}

static void queue(const struct dissector *dissector, packet_info *pinfo,
                  const struct qs_credential *found)
{
    struct ws_credential *credential = wmem_new0(pinfo->pool, struct ws_credential);

    credential->num = credential->username_num = pinfo->num;
    credential->password_hf_id = dissector->hf[found->row];
    credential->username = text_in(pinfo, found->user[0] ? found->user : "n.a.");
    credential->proto = dissector->protocol->short_name;
    credential->info = text_in(pinfo, found->purpose);
    tap_queue_packet(tap, pinfo, credential);
}

void credentials_queue(const struct dissector *dissector, packet_info *pinfo)
{
    const struct qs_decoder *decoder = &dissector->decoder;

    if (!have_tap_listener(tap))
        return;
    for (unsigned i = 0; i < decoder->credential_count; i++)
        queue(dissector, pinfo, &decoder->credentials[i]);
}
