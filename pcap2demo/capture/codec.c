/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/codec.h"

#include <glib.h>

#include "common/core/reader.h"
#include "pcap2demo/config.h"

/*
 * Sources: RFC 1952, section 2.3.1; The .xz File Format 1.2.1, section 2.1.1.1; RFC 8878, sections
 * 3.1.1 and 3.1.2 (files of pzstd begin with a skippable frame).
 */
static const struct codec codecs[] = {
    {"gzip", 0x00008b1f, 0x0000ffff, &codec_gzip},
#ifdef QUAKESHARK_XZ
    {"xz", 0x587a37fd, 0xffffffff, &codec_xz},
#else
    {"xz", 0x587a37fd, 0xffffffff, NULL},
#endif
#ifdef QUAKESHARK_ZSTD
    {"zstd", 0xfd2fb528, 0xffffffff, &codec_zstd},
    {"zstd", 0x184d2a50, 0xfffffff0, &codec_zstd},
#else
    {"zstd", 0xfd2fb528, 0xffffffff, NULL},
    {"zstd", 0x184d2a50, 0xfffffff0, NULL},
#endif
};

const struct codec *codec_of(const uint8_t *magic)
{
    for (size_t i = 0; i < G_N_ELEMENTS(codecs); i++)
        if ((qs_le32(magic) & codecs[i].magic_mask) == codecs[i].magic)
            return &codecs[i];
    return NULL;
}
