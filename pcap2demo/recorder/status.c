/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/status.h"

#include "common/core/numeric_text.h"

void status_init(struct status *status)
{
    *status =
        (struct status){.sessions = g_hash_table_new(NULL, NULL), .begun = g_get_monotonic_time()};
}

void status_clear(struct status *status)
{
    g_hash_table_destroy(status->sessions);
}

/* Sessions of which it is known who plays. */
static guint players_of(const struct status *status)
{
    GHashTableIter each;
    gpointer session;
    guint players = 0;

    g_hash_table_iter_init(&each, status->sessions);
    while (g_hash_table_iter_next(&each, &session, NULL))
        players += ((const struct qs_client_session *)session)->player != NULL;
    return players;
}

char *status_text(const struct status *status)
{
    const guint sessions = g_hash_table_size(status->sessions), players = players_of(status);
    GString *text = g_string_new(NULL);

    /* What does not fit into a line of a terminal is cut at its end. */
    g_string_printf(text, "%u session%s, %u player%s, %" G_GUINT64_FORMAT " demo%s", sessions,
                    qs_plural(sessions), players, qs_plural(players), status->demos,
                    qs_plural(status->demos));
    if (status->demos)
        g_string_append_printf(text, " (%" G_GUINT64_FORMAT ".%" G_GUINT64_FORMAT " MB)",
                               status->demo_bytes / 1000000, status->demo_bytes / 100000 % 10);
    g_string_append_printf(text,
                           ", %" G_GUINT64_FORMAT " packets, dropped %" G_GUINT64_FORMAT
                           " by kernel, %" G_GUINT64_FORMAT " by interface",
                           status->packets, status->dropped_kernel, status->dropped_interface);
    if (status->lost)
        g_string_append_printf(text, ", %" G_GUINT64_FORMAT " bytes lost for want of room",
                               status->lost);
    return g_string_free(text, FALSE);
}

json_t *status_json(const struct status *status)
{
    return json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "sessions",
        (json_int_t)g_hash_table_size(status->sessions), "players", (json_int_t)players_of(status),
        "sessions_ended", (json_int_t)status->ended, "packets", (json_int_t)status->packets,
        "dropped_kernel", (json_int_t)status->dropped_kernel, "dropped_interface",
        (json_int_t)status->dropped_interface, "demos", (json_int_t)status->demos, "demo_bytes",
        (json_int_t)status->demo_bytes, "lost_bytes", (json_int_t)status->lost, "seconds",
        (json_int_t)((g_get_monotonic_time() - status->begun) / G_USEC_PER_SEC));
}
