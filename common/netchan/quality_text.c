/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The figures of a line in words. */
#include <glib.h>

#include "common/core/numeric_text.h"
#include "common/netchan/quality.h"

char *qs_line_loss_text(const struct qs_line_direction *direction, bool ascii)
{
    if (direction->loss >= 0)
        return g_strdup_printf("%.1f", direction->loss);
    if (direction->loss_at_most < 0)
        return g_strdup("-");
    return g_strdup_printf("%s%.1f", ascii ? "<=" : "≤", direction->loss_at_most);
}

char *qs_line_ping_text(const struct qs_line *line)
{
    static const char *const places[] = {
        [QS_VANTAGE_UNKNOWN] = "captured at an unknown place",
        [QS_VANTAGE_CLIENT] = "seen at the client",
        [QS_VANTAGE_SERVER] = "seen at the server",
        [QS_VANTAGE_BOTH] = "seen at both ends",
    };
    GString *text = g_string_new("ping ");

    if (line->ping < 0)
        g_string_append(text, "unknown");
    else
        g_string_append_printf(text, "%.1f ms", line->ping);
    if (line->ping_p95 >= 0)
        g_string_append_printf(text, " (p95 %.1f), jitter %.1f ms", line->ping_p95, line->jitter);
    if (line->ping_game >= 0)
        g_string_append_printf(text, ", %.1f ms as the game counts it", line->ping_game);
    if (line->round_trip_loss >= 0)
        g_string_append_printf(text, "; %.1f %% lost on the round trip, at most",
                               line->round_trip_loss);
    g_string_append_printf(text, "; %s", places[line->vantage]);
    return g_string_free(text, FALSE);
}

char *qs_line_direction_text(const struct qs_line_direction *direction, bool ascii)
{
    GString *text = g_string_new(NULL);
    char *loss = qs_line_loss_text(direction, ascii);

    if (direction->loss < 0 && direction->loss_at_most < 0)
        g_string_append(text, "loss unknown");
    else
        g_string_append_printf(text, "%s %% lost", loss);
    if (direction->burst > 0)
        g_string_append_printf(text, ", longest burst %.0f packet%s", direction->burst,
                               qs_plural((uint64_t)direction->burst));
    if (direction->choke > 0)
        g_string_append_printf(text, ", %.1f %% choked", direction->choke);
    if (direction->throttle > 0)
        g_string_append_printf(text, ", %.1f %% of the numbers throttled", direction->throttle);
    if (direction->late)
        g_string_append_printf(text, ", %" G_GUINT64_FORMAT " late", direction->late);
    if (direction->duplicates)
        g_string_append_printf(text, ", %" G_GUINT64_FORMAT " twice", direction->duplicates);
    g_free(loss);
    return g_string_free(text, FALSE);
}

char *qs_line_text(const struct qs_line *line, bool ascii)
{
    char *to_server = qs_line_direction_text(&line->c2s, ascii);
    char *to_client = qs_line_direction_text(&line->s2c, ascii);
    char *ping = qs_line_ping_text(line);
    char *text = g_strdup_printf("client to server: %s; server to client: %s; %s", to_server,
                                 to_client, ping);

    g_free(to_server);
    g_free(to_client);
    g_free(ping);
    return text;
}
