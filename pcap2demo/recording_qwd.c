/* SPDX-License-Identifier: GPL-2.0-or-later */
/* QWD demos as input. */
#include <math.h>

#include "common/demo/qwd.h"
#include "common/quakeworld/quakeworld.h"
#include "pcap2demo/recording_format.h"

enum { QWD_HEADER = 8 }; /* of the netchan, from the server */

static bool is_connectionless(struct qs_view packet)
{
    return packet.size > 4 && qs_le32(packet.data) == UINT32_MAX;
}

/* A clock that has begun to run: the lengths of other formats are numbers next to 0. */
static bool is_plausible_time(float time, float before)
{
    return time >= before && time < 1e9f && (time == 0 || time > 1e-6f);
}

/* Strict, since nothing marks the format: for recognising it, not for reading. */
static bool is_plausible(const struct qwd_block *block, float before)
{
    if (!is_plausible_time(block->time, before))
        return false;
    switch (block->type) {
    case QWD_CMD:
        return isfinite(block->angles[0]) && isfinite(block->angles[1]) &&
               isfinite(block->viewangles[0]) && fabsf(block->viewangles[0]) <= 360;
    case QWD_READ:
        return block->packet.size >= QWD_HEADER || is_connectionless(block->packet);
    case QWD_SET:
        return block->outgoing <= INT32_MAX && block->incoming <= INT32_MAX;
    }
    return false;
}

/* The first blocks tell; a file may end, or be cut, behind the first of them. */
static bool qwd_recognise(struct qs_view file)
{
    enum { LOOK_AT = 8 };
    struct qs_reader in = qs_reader_over(file.data, file.size);
    enum qwd_status status = QWD_OK;
    struct qwd_block block;
    float before = 0;
    unsigned count = 0;

    while (count < LOOK_AT && (status = qwd_read_block(&in, &block)) == QWD_OK) {
        if (!is_plausible(&block, before))
            return false;
        before = block.time;
        count++;
    }
    return count && status != QWD_BAD;
}

static enum recording_outcome qwd_next(struct recording_progress *progress)
{
    struct qwd_block block;

    switch (qwd_read_block(&progress->in, &block)) {
    case QWD_OK:
        return OUTCOME_BLOCK;
    case QWD_END:
        return OUTCOME_END;
    case QWD_CUT:
        return OUTCOME_CUT;
    case QWD_BAD:
        break;
    }
    return OUTCOME_BAD;
}

static double qwd_seconds(struct recording_progress *progress, const struct qs_decoder *decoder,
                          double before)
{
    (void)decoder, (void)before;
    return (double)qs_float_of_bits(qs_le32(progress->block.data));
}

const struct recording_format recording_qwd = {
    .format = &qw_qwd,
    .protocol = "qw",
    .recognise = qwd_recognise,
    .next = qwd_next,
    .seconds = qwd_seconds,
};
