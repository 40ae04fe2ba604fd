/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In recorders a packet that takes too long ends its session, and some wait for later ones. */
#include "tests/tool/frames.h"

#include <time.h>

#include "pcap2demo/capture/inputs.h"
#include "pcap2demo/capture/pipeline.h"
#include "pcap2demo/capture/source.h"

enum { SLOW_PACKET = 100 };

struct watched {
    struct qs_sessions_handler handler;
    bool slow;
    uint64_t packets; /* of the session */
    enum qs_session_end why;
    uint64_t size; /* of its demo */
};

static void use_processor(struct qs_sessions_handler *handler,
                          const struct qs_decoded_packet *decoded)
{
    struct watched *watched = (struct watched *)handler;
    const clock_t start = clock();

    if (!decoded->session || ++watched->packets != SLOW_PACKET || !watched->slow)
        return;
    while (clock() - start < CLOCKS_PER_SEC + CLOCKS_PER_SEC / 10)
        continue;
}

static void note_end(struct qs_sessions_handler *handler, const struct qs_client_session *session)
{
    struct watched *watched = (struct watched *)handler;

    watched->why = session->why;
    if (session->demo)
        watched->size = ((const struct qs_session_demo_file *)session->demo->files->pdata[0])->size;
}

static void read_again(struct qs_sessions *again, void *user)
{
    (void)again, (void)user;
    fail();
}

static struct watched read_sample(bool prompt, bool slow, bool rebuild)
{
    struct watched watched = {.handler = {.packet = rebuild ? NULL : use_processor,
                                          .want_rebuild = rebuild,
                                          .session_end = note_end},
                              .slow = slow};
    g_autofree char *name =
        g_build_filename(PROJECT_SOURCE_DIR, "tests/captures/qw-sample.pcap", NULL);
    char *error = NULL;
    struct input *input = input_open_capture(source_open_plain(name, &error), name, NULL, &error);
    struct qs_sessions_options options;
    struct qs_sessions *sessions;
    struct pipeline pipeline;
    struct input_frame frame;

    assert_non_null(input);
    inputs_init(&options);
    options.prompt = prompt;
    sessions = qs_sessions_new(&options, &watched.handler);
    pipeline_init(&pipeline);
    qs_sessions_set_source(sessions, name, "sample");
    qs_sessions_set_read_again(sessions, read_again, NULL);
    pipeline_start(&pipeline, sessions);
    while (!qs_sessions_have_enough(sessions) && input_next(input, &frame) == INPUT_FRAME)
        pipeline_add_frame(&pipeline, &frame);
    pipeline_flush(&pipeline);
    pipeline_end(&pipeline);
    pipeline_clear(&pipeline);
    qs_sessions_free(sessions, true);
    inputs_clear(&options);
    input_close(input);
    return watched;
}

TEST(a_slow_packet_ends_its_session)
{
    const struct watched watched = read_sample(true, true, false);

    assert_int_equal(watched.why, QS_SESSION_TOO_SLOW);
    assert_int_equal(watched.packets, SLOW_PACKET);
}

TEST(others_go_on)
{
    assert_true(read_sample(true, false, false).packets > SLOW_PACKET);
    assert_true(read_sample(false, true, false).packets > SLOW_PACKET);
}

TEST(packets_that_wait_for_others_are_in_the_demo)
{
    assert_int_equal(read_sample(false, false, true).size, 61852);
    assert_int_equal(read_sample(true, false, true).size, 61852);
}
