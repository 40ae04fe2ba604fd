/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/writer.h"

#include <stdio.h>

#include "common/core/protocol.h"
#include "common/demo/late_join/late_join.h"

void qs_demo_begin(struct qs_demo_writer *writer)
{
    writer->begin(writer);
    writer->begun = true;
    writer->duration = 0;
}

void qs_demo_write(struct qs_demo_writer *writer, struct qs_view bytes)
{
    writer->write(writer, bytes.data, bytes.size);
}

void qs_demo_discard(struct qs_demo_writer *writer)
{
    writer->discard(writer);
    writer->begun = false;
}

void qs_demo_nothing_shown(struct qs_demo_writer *writer)
{
    qs_demo_discard(writer);
    qs_demo_problem(writer, NULL, "no demo: the session ended before the game began");
}

void qs_demo_never_moved(struct qs_demo_writer *writer)
{
    qs_demo_problem(writer, NULL, "the capture has no move of the client: the view does not turn");
}

void qs_demo_start_missing(struct qs_demo_writer *writer, const char *what)
{
    if (!writer->late)
        writer->start_missing(writer, what ? what : "the capture lacks the beginning of a level");
    writer->late = true;
}

void qs_demo_left_out(struct qs_demo_writer *writer, const char *command)
{
    writer->left_out(writer, command);
    writer->counts.stripped++;
}

void qs_demo_problem(struct qs_demo_writer *writer, const struct qs_packet *packet,
                     const char *format, ...)
{
    va_list arguments;
    char *text;

    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    writer->problem(writer, packet, 0, text);
    g_free(text);
}

void qs_demo_missing(struct qs_demo_writer *writer, const struct qs_packet *packet, uint64_t amount,
                     const char *text)
{
    writer->problem(writer, packet, amount, text);
    writer->counts.missing += amount;
}

/* Size of the buffer for a text such as " (packet 13)". */
enum { LOSS_TEXT_SIZE = 48 };

static const char *loss_text(const struct qs_sign_on_loss *loss, char *text)
{
    snprintf(text, LOSS_TEXT_SIZE, " (%spacket %" G_GUINT64_FORMAT ")",
             loss->before ? "before " : "", loss->packet);
    return loss->packet ? text : "";
}

void qs_demo_level_lost(struct qs_demo_writer *writer, char *map,
                        const struct qs_sign_on_loss *loss)
{
    char packet[LOSS_TEXT_SIZE];

    if (loss->in_game)
        qs_demo_problem(writer, NULL,
                        "%s%s is shown only up to packet %" G_GUINT64_FORMAT
                        ": packets just before it are missing, and the map may have changed in "
                        "between; try --sign-on DEMO with a demo of the map after the gap",
                        map ? "level " : "a level", map ? map : "", loss->packet);
    else
        qs_demo_problem(
            writer, NULL,
            "%s%s %s: part of its sign-on%s was not captured; try --sign-on DEMO with a demo of "
            "the same map",
            map ? "level " : "a level", map ? map : "",
            loss->playable ? "may lack entities, names or texts" : "cannot be shown",
            loss_text(loss, packet));
    g_free(map);
}

/* Returns the reason why the level's start is missing. The caller frees it. */
static char *late_text(const struct qs_donor_match *match, const char *map)
{
    char packet[LOSS_TEXT_SIZE];

    map = map && !match->unproven ? map : "a level";
    switch (match->lacks) {
    case QS_LACKS_PART:
        return g_strdup_printf("part of the sign-on of %s%s was not captured", map,
                               loss_text(&match->loss, packet));
    case QS_LACKS_FRAME:
        return g_strdup_printf("the first frame of %s was not captured", map);
    default:
        return g_strdup_printf("the capture lacks the beginning of %s", map);
    }
}

void qs_demo_join_late(struct qs_demo_writer *writer, const struct qs_donor_match *match,
                       const struct qs_protocol *protocol, const struct qs_session *session)
{
    g_autofree char *map = qs_map_of(protocol, session);
    g_autofree char *text = late_text(match, map);

    qs_demo_start_missing(writer, text);
}

void qs_demo_count_losses(struct qs_demo_writer *writer, const struct qs_decoder *decoder,
                          const struct qs_packet *packet)
{
    const struct qs_hole *hole = &decoder->session->hole;
    const uint32_t more = qs_hole_growth(hole, &writer->reported, QS_S2C);

    if (more) {
        writer->hole(writer, packet, hole);
        writer->counts.missing += more;
    }
    writer->reported = *hole;
}

void qs_demo_not_decoded(struct qs_demo_writer *writer, const struct qs_packet *packet,
                         bool left_out)
{
    if (qs_packet_is_cut(packet))
        qs_demo_problem(writer, packet,
                        "the capture, and so the demo, has only the beginning of this packet: "
                        "capture whole packets (tcpdump -s 0)");
    else
        qs_demo_problem(writer, packet, "the end of this packet cannot be decoded; %s",
                        left_out || writer->sanitized ? "it is left out" : "it is copied");
}

void qs_demo_stream_broken(struct qs_demo_writer *writer, const struct qs_packet *packet,
                           const char *unit)
{
    if (packet->missing)
        qs_demo_problem(
            writer, packet,
            "the capture lacks %u bytes of the stream before packet %" G_GUINT64_FORMAT
            "%s: the demo ends there",
            packet->missing, packet->missing_before,
            packet->missing_is_cut ? ", where packets are cut (record with tcpdump -s 0)" : "");
    else if (qs_packet_is_cut(packet))
        qs_demo_problem(writer, packet, "the stream ends within a %s: its %u bytes are left out",
                        unit, packet->size);
    else
        qs_demo_problem(writer, packet, "no %s begins here: the demo ends before it", unit);
    writer->counts.missing++;
}
