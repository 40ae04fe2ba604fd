/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DarkPlaces' connectionless packets: four bytes 0xff, then text. The packets of a connection are
 * the same after this handshake as after that of control packets. Source: DarkPlaces netconn.c,
 * NetConn_ClientParsePacket and NetConn_ServerParsePacket.
 */
#include "common/core/emit.h"
#include "common/core/text.h"
#include "common/quake/decode.h"

enum { MARK_SIZE = 4 };

static const struct qs_info_rows info_rows = {NQ_OOB_PAIR, NQ_OOB_KEY, NQ_OOB_VALUE};

static struct qs_view read_info(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const struct qs_view info = qs_bytes(d, NQ_OOB_INFO, qs_view_up_to(qs_rest(d), "\n").size);

    qs_emit_info(d, &info_rows, info, at);
    return info;
}

static void read_data(struct qs_decoder *d)
{
    if (qs_reader_left(&d->in))
        qs_bytes(d, NQ_OOB_DATA, qs_reader_left(&d->in));
}

/* Reads text up to a NUL; the offer of the encryption layer follows. */
static void read_arguments(struct qs_decoder *d)
{
    const uint32_t size = qs_view_up_to(qs_rest(d), "").size;

    if (size)
        qs_bytes(d, NQ_OOB_ARGUMENTS, size);
    read_data(d);
}

/* Has arguments if FTE sends it, none if DarkPlaces does. */
static void read_getchallenge(struct qs_decoder *d)
{
    if (!qs_reader_left(&d->in))
        nq_session_of(d)->darkplaces_client = true;
    read_arguments(d);
}

static void read_connect(struct qs_decoder *d)
{
    struct qs_view info;

    nq_session_of(d)->darkplaces_client = nq_session_of(d)->asked = true;
    info = read_info(d);
    qs_summary_quote(d, "protocol", qs_info_value(info, "protocol"));
    qs_summary_quote(d, "name", qs_info_value(info, "name"));
    read_arguments(d);
}

static void read_accept(struct qs_decoder *d)
{
    nq_session_accept_connection(nq_session_of(d), d->packet->time);
    read_arguments(d);
}

/* Adds the number of players: a value of infoResponse, the number of lines of statusResponse. */
static void summarize_players(struct qs_decoder *d, struct qs_view info, unsigned lines)
{
    const struct qs_view clients = qs_info_value(info, "clients");

    if (clients.size && !lines)
        qs_summary_text(d, " players ", clients, "");
    else
        qs_summary(d, " players %u", lines);
}

/* Reads a line feed, the server's settings, and a line for each player. */
static void read_status(struct qs_decoder *d)
{
    struct qs_view info;
    unsigned players = 0;

    d->in.pos++;
    info = read_info(d);
    while (qs_reader_left(&d->in) && d->in.data[d->in.pos] == '\n') {
        d->in.pos++;
        if (qs_view_up_to(qs_rest(d), "\n").size) {
            qs_bytes(d, NQ_OOB_PLAYER, qs_view_up_to(qs_rest(d), "\n").size);
            players++;
        }
    }
    qs_summary_quote(d, "map", qs_info_value(info, "mapname"));
    summarize_players(d, info, players);
    read_arguments(d);
}

struct connectionless_command {
    const char *name; /* includes the separator if all packets of the command have it */
    enum qs_direction direction;
    void (*read)(struct qs_decoder *d); /* reads what follows the name */
};

/* The first match counts: if one name begins with another one, the longer one stands first. */
static const struct connectionless_command commands[] = {
    {"getchallenge", QS_C2S, read_getchallenge}, {"challenge ", QS_S2C, read_arguments},
    {"connect\\", QS_C2S, read_connect},         {"accept", QS_S2C, read_accept},
    {"reject", QS_S2C, read_arguments},          {"getinfo", QS_C2S, read_arguments},
    {"infoResponse\n", QS_S2C, read_status},     {"getstatus", QS_C2S, read_arguments},
    {"statusResponse\n", QS_S2C, read_status},   {"rcon ", QS_C2S, read_arguments},
    {"srcon ", QS_C2S, read_arguments},          {"extResponse ", QS_S2C, read_arguments},
    {"getserversResponse", QS_S2C, read_data},   {"getserversExtResponse", QS_S2C, read_data},
};

static const struct connectionless_command anything = {"", QS_DIRECTION_UNKNOWN, read_arguments};

static const struct connectionless_command *find_command(struct qs_view text)
{
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
        if (qs_view_begins(text, commands[i].name))
            return &commands[i];
    return &anything;
}

void nq_read_connectionless(struct qs_decoder *d)
{
    const struct connectionless_command *command;
    struct qs_view word;

    d->found.connectionless = true;
    qs_open(d, NQ_OOB);
    qs_u32be(d, NQ_OOB_MARK);
    command = find_command(qs_rest(d));
    if (command->direction != QS_DIRECTION_UNKNOWN)
        qs_learn_direction(d, command->direction);
    word = qs_bytes(d, NQ_OOB_COMMAND, qs_view_up_to(qs_rest(d), " \\\n").size);
    qs_label_text(d, ": ", word, "");
    qs_summary_text(d, "", word, "");
    command->read(d);
    qs_undecoded(d);
    qs_close(d);
}

bool nq_is_connectionless(struct qs_view packet)
{
    return packet.size >= MARK_SIZE && qs_be32(packet.data) == UINT32_MAX;
}

bool nq_is_darkplaces(struct qs_view packet)
{
    struct qs_view text;

    if (!nq_is_connectionless(packet))
        return false;
    text = (struct qs_view){packet.data + MARK_SIZE, packet.size - MARK_SIZE};
    return qs_view_equal(text, "accept") || qs_view_begins(text, "connect\\protocol\\darkplaces ");
}

bool nq_is_known_text(struct qs_view packet)
{
    return find_command((struct qs_view){packet.data + MARK_SIZE, packet.size - MARK_SIZE}) !=
           &anything;
}
