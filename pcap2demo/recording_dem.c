/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DEM demos as input. */
#include "common/demo/dem.h"
#include "common/quake/constants.h"
#include "common/quake/quake.h"
#include "pcap2demo/recording_format.h"

enum { ANGLE_MAX = 1000000 };

/* A line with a number begins many a file: the first block's length and angles have to be good. */
static bool dem_recognise(struct qs_view file)
{
    struct qs_reader in = qs_reader_over(file.data, file.size);
    int32_t track;

    if (dem_read_header(&in, &track) != DEM_OK || qs_reader_left(&in) < DEM_BLOCK_HEADER)
        return false;
    if (qs_reader_u32(&in) > DEM_BLOCK_MAX)
        return false;
    for (unsigned i = 0; i < 3; i++) {
        const float angle = qs_float_of_bits(qs_reader_u32(&in));

        if (!(angle > -ANGLE_MAX && angle < ANGLE_MAX))
            return false;
    }
    return true;
}

/* The file's line, then blocks. */
static enum recording_outcome dem_next(struct recording_progress *progress)
{
    const bool line = !progress->begun;
    struct dem_block block;
    int32_t track;

    switch (line ? dem_read_header(&progress->in, &track) : dem_read_block(&progress->in, &block)) {
    case DEM_OK:
        return line ? OUTCOME_LINE : OUTCOME_BLOCK;
    case DEM_END:
        return OUTCOME_END;
    case DEM_CUT:
        return OUTCOME_CUT;
    case DEM_BAD:
        break;
    }
    return OUTCOME_BAD;
}

/* Since the last svc_time, whose value stands at `value`. */
static double passed(struct recording_progress *progress, const uint8_t *value)
{
    const double time = (double)qs_float_of_bits(qs_le32(value));
    const double seconds = progress->timed ? time - progress->level_time : 0;

    progress->timed = true;
    progress->level_time = time;
    return seconds > 0 ? seconds : 0;
}

/*
 * svc_time counts anew in each level, and from anywhere: the demo's clock counts what passes within
 * levels.
 */
static double dem_seconds(struct recording_progress *progress, const struct qs_decoder *decoder,
                          double before)
{
    for (guint i = 0; i < decoder->messages->len; i++) {
        const struct qs_message *message = &g_array_index(decoder->messages, struct qs_message, i);

        if (decoder->direction != QS_S2C || message->source)
            continue;
        if (message->id == SVC_SERVERINFO)
            progress->timed = false;
        else if (message->id == SVC_TIME)
            before += passed(progress, decoder->payload.data + message->offset + 1);
    }
    return before;
}

const struct recording_format recording_dem = {
    .format = &nq_dem,
    .protocol = "nq",
    .recognise = dem_recognise,
    .next = dem_next,
    .seconds = dem_seconds,
};
