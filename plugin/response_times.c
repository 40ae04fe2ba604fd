/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/response_times.h"

#include <epan/srt_table.h>

#include "plugin/statistics.h"

static void begin_table(struct register_srt *srt, GArray *tables)
{
    srt_stat_table *table =
        init_srt_table(proto_get_protocol_short_name(find_protocol_by_id(get_srt_proto_id(srt))),
                       NULL, tables, QS_REQUEST_KINDS, "Request", NULL, NULL);

    for (int kind = 0; kind < QS_REQUEST_KINDS; kind++)
        init_srt_table_row(table, kind, qs_request_name((enum qs_request_kind)kind));
}

/* The first response to each request counts. */
static tap_packet_status take_packet(void *data, packet_info *pinfo, epan_dissect_t *edt,
                                     const void *tapped, tap_flags_t flags)
{
    const srt_data_t *srt = data;
    const struct qs_response *response = &((const struct packet_figures *)tapped)->response;
    const nstime_t asked = {.secs = pinfo->abs_ts.secs - (time_t)(response->time / 1000000000),
                            .nsecs = pinfo->abs_ts.nsecs - (int)(response->time % 1000000000)};

    (void)edt, (void)flags;
    if (!response->known || !response->first)
        return TAP_PACKET_DONT_REDRAW;
    add_srt_table_data(g_array_index(srt->srt_array, srt_stat_table *, 0), (int)response->kind,
                       &asked, pinfo);
    return TAP_PACKET_REDRAW;
}

void response_times_register(const struct dissector *dissector)
{
    register_srt_table(dissector->proto, dissector->protocol->name, 1, take_packet, begin_table,
                       NULL);
}
