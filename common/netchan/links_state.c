/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/netchan/links_state.h"

struct qs_link_extra *qs_link_extra(struct qs_links *links, uint32_t record)
{
    struct qs_link_record *owner = qs_link_record(links, record);

    if (!owner->extra && owner->packet) {
        qs_chunks_add(&links->extras);
        owner->extra = links->extras.count;
    }
    return qs_chunks_at(&links->extras, owner->extra);
}
