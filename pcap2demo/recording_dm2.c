/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DM2 demos as input. */
#include "common/demo/dm2.h"
#include "common/quake2/quake2.h"
#include "pcap2demo/recording_format.h"

static bool is_version(uint32_t version)
{
    return (version >= Q2_PROTOCOL_TEST_RELEASE && version <= Q2_PROTOCOL_Q2PRO) ||
           (version >= Q2_PROTOCOL_EXTENDED && version <= Q2_PROTOCOL_EXTENDED_LAST);
}

/*
 * It begins with svc_serverdata; so does each level's part. The test release numbers it otherwise.
 */
static bool dm2_recognise(struct qs_view file)
{
    enum { LEVEL_BEGINS = 5 };
    struct qs_reader in = qs_reader_over(file.data, file.size);
    struct qs_view block;
    uint32_t version;

    if (dm2_read_block(&in, &block) != DM2_OK || block.size < LEVEL_BEGINS)
        return false;
    version = qs_le32(block.data + 1);
    return is_version(version) &&
           (block.data[0] == SVC_SERVERDATA || version == Q2_PROTOCOL_TEST_RELEASE);
}

static enum recording_outcome dm2_next(struct recording_progress *progress)
{
    enum { END_MARK = 4 };
    struct qs_view block;

    if (progress->ended)
        return qs_reader_left(&progress->in) ? OUTCOME_BAD : OUTCOME_END;
    switch (dm2_read_block(&progress->in, &block)) {
    case DM2_OK:
        return OUTCOME_BLOCK;
    case DM2_END:
        progress->ended = true;
        qs_reader_take(&progress->in, END_MARK);
        return OUTCOME_BLOCK;
    case DM2_NO_MARK:
        return progress->unmarked ? OUTCOME_END : OUTCOME_UNMARKED_END;
    case DM2_CUT:
        return OUTCOME_CUT;
    case DM2_BAD:
        break;
    }
    return OUTCOME_BAD;
}

static double dm2_seconds(struct recording_progress *progress, const struct qs_decoder *decoder,
                          double before)
{
    const struct q2_session *session = q2_session_of_const(decoder->session);

    (void)before;
    /* Source: PROTOCOL.md, section 3; dm2-format, section 2.2. */
    progress->unmarked =
        session->record == Q2_RECORD_SERVER || session->base.version == Q2_PROTOCOL_TEST_RELEASE;
    for (guint i = 0; i < decoder->messages->len; i++)
        progress->frames += g_array_index(decoder->messages, struct qs_message, i).id == SVC_FRAME;
    return (double)progress->frames / 10;
}

const struct recording_format recording_dm2 = {
    .format = &q2_dm2,
    .protocol = "q2",
    .recognise = dm2_recognise,
    .next = dm2_next,
    .seconds = dm2_seconds,
};
