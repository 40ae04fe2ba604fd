/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MVD demos as input. */
#include "common/demo/mvd.h"
#include "common/quakeworld/constants.h"
#include "common/quakeworld/quakeworld.h"
#include "pcap2demo/recording_format.h"

/* The pairs of protocol extensions, then the version. */
static bool begins_level(struct qs_reader *in)
{
    uint32_t word = qs_reader_u32(in);

    while (word == EXTENSION_FTE || word == EXTENSION_FTE2 || word == EXTENSION_MVD1) {
        qs_reader_u32(in);
        word = qs_reader_u32(in);
    }
    return !in->overrun && word >= QW_PROTOCOL_FIRST && word <= QW_PROTOCOL_LAST;
}

/* mvdsv begins with svc_serverdata; FTE with two comments for players, in svc_stufftext. */
static bool mvd_recognise(struct qs_view file)
{
    struct qs_reader in = qs_reader_over(file.data, file.size);
    struct mvd_block block;
    uint8_t message;

    if (mvd_read_block(&in, &block) != MVD_OK || block.milliseconds ||
        (block.type != MVD_ALL && block.type != MVD_READ))
        return false;
    in = qs_reader_over(block.payload.data, block.payload.size);
    while ((message = qs_reader_u8(&in)) == SVC_STUFFTEXT)
        qs_reader_string(&in);
    return message == SVC_SERVERDATA && begins_level(&in);
}

static enum recording_outcome mvd_next(struct recording_progress *progress)
{
    struct mvd_block block;

    switch (mvd_read_block(&progress->in, &block)) {
    case MVD_OK:
        return OUTCOME_BLOCK;
    case MVD_END:
        return OUTCOME_END;
    case MVD_CUT:
        return OUTCOME_CUT;
    case MVD_BAD:
        break;
    }
    return OUTCOME_BAD;
}

static double mvd_seconds(struct recording_progress *progress, const struct qs_decoder *decoder,
                          double before)
{
    (void)decoder;
    return before + progress->block.data[0] / 1000.0;
}

const struct recording_format recording_mvd = {
    .format = &qw_mvd,
    .protocol = "qw",
    .recognise = mvd_recognise,
    .next = mvd_next,
    .seconds = mvd_seconds,
};
