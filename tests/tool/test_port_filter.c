/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's filter when recording: made of --port, where no game goes on from other ports. */
#include "tests/tool/frames.h"

#include "pcap2demo/recording/options.h"

#define FRAGMENTS " or ip[6:2] & 0x1fff != 0 or ip6 proto 44"

static void expect_filter(const char *const *ports, const char *expected)
{
    g_autofree char *filter = recorder_port_filter((char *const *)ports);

    if (expected)
        assert_string_equal(filter, expected);
    else
        assert_null(filter);
}

TEST(passes_the_ports)
{
    static const char *const one[] = {"qw=27500", NULL};
    static const char *const several[] = {"qw=27500,27510-27519", "q2=27910", NULL};

    expect_filter(one, "port 27500" FRAGMENTS);
    expect_filter(several, "port 27500 or portrange 27510-27519 or port 27910" FRAGMENTS);
}

/* Quake's servers, by the flag of its record. */
TEST(passes_all_where_games_go_on_from_other_ports)
{
    static const char *const quake[] = {"nq=26000", NULL};
    static const char *const among_others[] = {"qw=27500", "nq=26000", NULL};

    expect_filter(quake, NULL);
    expect_filter(among_others, NULL);
}

TEST(passes_all_without_ports)
{
    static const char *const none[] = {NULL};
    static const char *const no_list[] = {"27500", NULL};

    expect_filter(NULL, NULL);
    expect_filter(none, NULL);
    expect_filter(no_list, NULL);
}
