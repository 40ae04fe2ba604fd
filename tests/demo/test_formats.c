/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The format that a session is rebuilt as, and formats that no capture can be made of. */
#include "tests/unit/unit.h"

#include <glib/gstdio.h>

#include "common/demo/dm2/dm2.h"
#include "common/demo/mvd/mvd.h"
#include "common/demo_formats.h"
#include "common/quake2/session.h"
#include "pcap2demo/actions/action.h"

TEST(a_stream_is_rebuilt_as_mvd2_and_datagrams_never_are)
{
    assert_ptr_equal(qs_demo_format_of(&q2_protocol, false, NULL), &qs_demo_dm2);
    assert_ptr_equal(qs_demo_format_of(&q2_protocol, false, "dm2"), &qs_demo_dm2);
    assert_ptr_equal(qs_demo_format_of(&q2_protocol, false, "mvd2"), &qs_demo_dm2);
    assert_ptr_equal(qs_demo_format_of(&q2_protocol, true, "dm2"), &qs_demo_mvd2);
}

TEST(no_capture_of_a_format_without_packets)
{
    const struct qs_demo_format format = {.extension = "toy", .protocol = &q2_protocol};
    const struct qs_client_session session = {
        .number = 1, .recorded = &format, .chosen = true, .protocol = &q2_protocol};
    const struct qs_packet packet = {.number = 1};
    const struct qs_decoded_packet decoded = {
        .location = {.file = "a.toy", .packet = 1, .block = true},
        .packet = &packet,
        .session = &session};
    char *folder = g_dir_make_tmp("qs-formats-XXXXXX", NULL), *none[] = {NULL};
    g_autofree char *file = g_build_filename(folder, "a.pcap", NULL);
    struct options options;
    struct action *action;

    options_init(&options);
    options.action = &pcap_action;
    options.argument = file;
    options.files = none;
    action = action_new(&options);
    exit_status_reset();
    action->handler.packet(&action->handler, &decoded);
    action->handler.packet(&action->handler, &decoded);
    action->end(action, true);
    action_free(action);
    options_clear(&options);
    assert_int_equal(exit_status_get(), EXIT_PROBLEMS);
    assert_false(g_file_test(file, G_FILE_TEST_EXISTS));
    exit_status_reset();
    assert_int_equal(g_rmdir(folder), 0);
    g_free(folder);
}
