/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who plays, the demos that a recorder finished, over its restarts, and what waits in memory. */
#include "tests/tool/frames.h"

#include <glib/gstdio.h>

#include "common/protocols.h"
#include "pcap2demo/recorder/recordings.h"

enum { LISTED = 100 };

TEST(spectators_are_no_players)
{
    struct qs_client_session sessions[] = {
        {.protocol = qs_protocols[0], .player = "anna"},
        {.protocol = qs_protocols[0], .player = "bert", .spectator = true},
        {.protocol = qs_protocols[0]},
    };
    struct status status;
    g_autofree char *text = NULL;

    status_init(&status);
    for (size_t i = 0; i < G_N_ELEMENTS(sessions); i++)
        g_ptr_array_add(status.sessions, &sessions[i]);
    text = status_text(&status);
    assert_true(g_str_has_prefix(text, "3 sessions, 1 player, 0 demos, "));
    g_free(text);
    status.all[LOST_BYTES] = 5;
    text = status_text(&status);
    assert_true(g_str_has_suffix(text, ", lost 0 demos, 5 bytes"));
    status_clear(&status);
}

/* Their numbers go on; the file has the last ones. */
TEST(finished_demos)
{
    g_autofree char *folder = g_dir_make_tmp("status-XXXXXX", NULL);
    g_autofree char *finished = g_build_filename(folder, "pcap2demo-finished.json", NULL);
    g_autofree char *report = g_build_filename(folder, "pcap2demo-status.json", NULL);

    for (int restart = 0; restart < 2; restart++) {
        struct status status;
        json_t *file, *demos;

        status_init(&status);
        status_continue(&status, folder);
        for (int i = 0; i <= LISTED; i++) {
            json_t *members = json_pack("{s:s, s:i}", "file", "a.qwd", "bytes", 9);

            status_add_finished(&status, qs_protocols[0], members);
            json_decref(members);
        }
        status_write(&status, folder, NULL);
        status_clear(&status);
        file = json_load_file(finished, 0, NULL);
        demos = json_object_get(file, "demos");
        assert_int_equal(json_integer_value(json_object_get(file, "count")),
                         (restart + 1) * (LISTED + 1));
        assert_int_equal(json_array_size(demos), LISTED);
        assert_int_equal(json_integer_value(json_object_get(json_array_get(demos, 0), "number")),
                         restart * (LISTED + 1) + 2);
        json_decref(file);
    }
    assert_int_equal(g_unlink(finished) + g_unlink(report) + g_rmdir(folder), 0);
}

/* The folder is gone: of a recording 2 MiB may wait, of all 64. */
TEST(more_than_may_wait_in_memory)
{
    enum { MIB = 1 << 20, FULL = 32 };
    g_autofree char *folder = g_dir_make_tmp("waiting-XXXXXX", NULL), *bytes = g_malloc0(MIB);
    const struct qs_demo_name_request request = {.capture = "lo", .extension = CAPTURE_EXTENSION};
    char *error = NULL;
    struct status status;
    struct recordings *recordings;
    struct qs_demo_store *store;
    void *files[FULL + 1];

    status_init(&status);
    recordings = recordings_new(folder, NULL, &status, &error);
    store = (struct qs_demo_store *)recordings;
    assert_int_equal(g_rmdir(folder), 0);
    for (int i = 0; i <= FULL; i++) {
        files[i] = store->begin(store, &request);
        store->write(files[i], bytes, MIB);
        store->write(files[i], bytes, MIB);
        assert_int_equal(store->is_cut(files[i]), i == FULL);
    }
    for (int i = 0; i <= FULL; i++)
        store->end(files[i]);
    recordings_close(recordings);
    g_rmdir(folder); /* it comes back */
    status_clear(&status);
}
