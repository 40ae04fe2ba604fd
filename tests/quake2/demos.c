/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes every DM2 demo below some folders: no block may hold a malformed, unknown or undecoded
 * byte, and every frame must be a delta from one that the demo has.
 *
 *     q2_demos FOLDER...
 *
 * Exit status 77 where there is none of the folders.
 */
#include <stdio.h>

#include "common/core/parse.h"
#include "common/demo/dm2/dm2.h"
#include "common/quake2/quake2.h"
#include "common/quake2/tracker.h"

struct totals {
    unsigned demos, failed;
};

struct findings {
    unsigned blocks, problems, frames, unfounded;
};

static void count_frames(struct findings *findings, const struct q2_tracker *tracker)
{
    for (guint i = 0; i < tracker->messages->len; i++) {
        const struct q2_tracked_message *message =
            &g_array_index(tracker->messages, struct q2_tracked_message, i);
        const struct q2_frame *frame;

        if (message->id != SVC_FRAME)
            continue;
        frame = q2_tracker_frame(tracker, message->frame);
        findings->frames++;
        findings->unfounded += !frame || frame->trust != Q2_FRAME_WHOLE;
    }
}

static enum qs_demo_status decode(struct qs_reader *in, struct findings *findings)
{
    struct q2_session session;
    struct qs_decoder decoder;
    enum qs_demo_status status;
    struct qs_view block;

    q2_protocol.session_init(&session.base);
    q2_tracker_attach(q2_tracker_new(), &session);
    qs_decoder_init(&decoder, &q2_protocol);
    while ((status = dm2_read_block(in, &block)) == QS_DEMO_BLOCK) {
        const struct qs_packet packet = {
            .data = block.data, .size = block.size, .wire_size = block.size};

        qs_decode_server_messages(&decoder, &session.base, NULL, &packet);
        findings->blocks++;
        findings->problems += qs_decoder_problems(&decoder);
        count_frames(findings, session.tracker);
    }
    qs_decoder_clear(&decoder);
    q2_tracker_free(session.tracker);
    q2_protocol.session_clear(&session.base);
    return status;
}

static void check(const char *path, struct totals *totals)
{
    struct findings findings = {0};
    struct qs_reader in;
    gchar *data;
    gsize size;
    enum qs_demo_status status;
    bool good;

    totals->demos++;
    if (!g_file_get_contents(path, &data, &size, NULL)) {
        printf("FAIL %s: cannot be read\n", path);
        totals->failed++;
        return;
    }
    in = qs_reader_over((const uint8_t *)data, (uint32_t)size);
    /* Server-side recordings of yquake2 have no end mark. */
    status = decode(&in, &findings);
    good = (status == QS_DEMO_END || status == QS_DEMO_UNMARKED) && findings.blocks &&
           findings.frames && !findings.problems && !findings.unfounded;
    printf("%s %s: %u blocks, %u frames, %u problems, %u frames without their reference\n",
           good ? "ok  " : "FAIL", path, findings.blocks, findings.frames, findings.problems,
           findings.unfounded);
    totals->failed += !good;
    g_free(data);
}

static void walk(const char *folder, struct totals *totals)
{
    GDir *dir = g_dir_open(folder, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        char *path = g_build_filename(folder, name, NULL);

        if (g_file_test(path, G_FILE_TEST_IS_DIR))
            walk(path, totals);
        else if (g_str_has_suffix(name, ".dm2"))
            check(path, totals);
        g_free(path);
    }
    if (dir)
        g_dir_close(dir);
}

int main(int argc, char **argv)
{
    struct totals totals = {0};

    for (int i = 1; i < argc; i++)
        walk(argv[i], &totals);
    if (!totals.demos) {
        printf("skipped: there are no demos\n");
        return 77;
    }
    printf("%u demos, %u failed\n", totals.demos, totals.failed);
    return totals.failed ? 1 : 0;
}
