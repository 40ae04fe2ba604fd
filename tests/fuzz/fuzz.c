/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/fuzz/fuzz.h"

#include <glib.h>
#include <pcap/dlt.h>

#include "common/core/reader.h"

const int fuzz_links[FUZZ_LINKS] = {DLT_EN10MB, DLT_LINUX_SLL, DLT_LINUX_SLL2, DLT_RAW, DLT_NULL,
                                    DLT_LOOP,   DLT_PPP,       DLT_PPP_ETHER,  DLT_IPV4};

const struct qs_protocol *fuzz_protocol(uint8_t byte)
{
    unsigned count = 0;

    while (qs_protocols[count])
        count++;
    return qs_protocols[byte % count];
}

bool fuzz_next(const uint8_t *data, size_t size, size_t *at, struct fuzz_piece *piece)
{
    enum { HEADER = 3 };
    size_t length;

    if (size - *at < HEADER)
        return false;
    piece->bits = data[*at];
    length = MIN(qs_le16(data + *at + 1), size - *at - HEADER);
    piece->bytes = g_memdup2(data + *at + HEADER, length);
    piece->size = (uint32_t)length;
    *at += HEADER + length;
    return true;
}

struct qs_protocol_selection *fuzz_selection(void)
{
    static struct qs_protocol_selection *selection;

    if (!selection)
        selection = qs_protocol_selection_new();
    return selection;
}
