/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control packets, by which a client finds a server, queries it, and connects. Sources:
 * PROTOCOL.md, section 3; QuakeSpasm net_defs.h and net_dgrm.c; DarkPlaces netconn.h and netconn.c
 * (ProQuake's additions).
 */
#include "common/core/text.h"
#include "common/quake/decode.h"

/* --- Requests --- */

QS_ROWS_READER(read_game, NQ_CONTROL_GAME, NQ_CONTROL_VERSION)

/* Reads the name, version and flags that ProQuake appends. */
static void read_mod(struct qs_decoder *d)
{
    qs_u8(d, NQ_CONTROL_MOD);
    if (qs_reader_left(&d->in))
        qs_u8(d, NQ_CONTROL_MOD_VERSION);
    if (qs_reader_left(&d->in))
        qs_u8(d, NQ_CONTROL_MOD_FLAGS);
}

static void read_connect(struct qs_decoder *d)
{
    nq_session_of(d)->asked = true;
    read_game(d);
    if (qs_reader_left(&d->in))
        read_mod(d);
    if (qs_reader_left(&d->in) && qs_u32(d, NQ_CONTROL_PASSWORD_NUMBER)) /* ProQuake's; 0: none */
        qs_add_credential(d, NQ_CONTROL_PASSWORD_NUMBER, "server password", (struct qs_view){0});
    if (qs_reader_left(&d->in))
        qs_bytes(d, NQ_CONTROL_TRAILER, qs_reader_left(&d->in));
}

static void read_player_request(struct qs_decoder *d)
{
    qs_request_set_key(d, qs_u8(d, NQ_CONTROL_PLAYER));
}

QS_ROWS_READER(read_rule_request, NQ_CONTROL_RULE, NQ_CONTROL_RULE)

static void read_rcon(struct qs_decoder *d)
{
    qs_text(d, NQ_CONTROL_PASSWORD);
    qs_add_credential(d, NQ_CONTROL_PASSWORD, "rcon", (struct qs_view){0});
    qs_text(d, NQ_CONTROL_COMMAND);
}

/* --- Replies --- */

/* Follows a connection to its port: id's servers open one for each client, DarkPlaces' do not. */
static void follow_port(struct qs_decoder *d, int32_t port)
{
    struct nq_session *session = nq_session_of(d);

    if (d->in.overrun || port <= 0 || port > UINT16_MAX)
        return;
    if (port != d->packet->source.port) {
        d->found.announced = (struct qs_announcement){
            .valid = true, .server = d->packet->source, .client = d->packet->destination};
        d->found.announced.server.port = (uint16_t)port;
    } else {
        nq_session_accept_connection(session, d->packet->time);
    }
}

static void read_accept(struct qs_decoder *d)
{
    follow_port(d, qs_i32(d, NQ_CONTROL_PORT));
    if (qs_reader_left(&d->in))
        read_mod(d);
}

QS_TEXT_READER(read_reject, NQ_CONTROL_REASON)

static void read_server_info(struct qs_decoder *d)
{
    qs_rows(d, NQ_CONTROL_ADDRESS, NQ_CONTROL_HOSTNAME);
    d->found.map = qs_text(d, NQ_CONTROL_LEVEL);
    qs_rows(d, NQ_CONTROL_PLAYERS, NQ_CONTROL_MAXPLAYERS);
    qs_u8(d, NQ_CONTROL_VERSION);
}

static void read_player_info(struct qs_decoder *d)
{
    qs_request_set_key(d, qs_u8(d, NQ_CONTROL_PLAYER));
    qs_rows(d, NQ_CONTROL_NAME, NQ_CONTROL_TIME);
    qs_text(d, NQ_CONTROL_ADDRESS);
}

/* Reads a rule. The reply behind the last rule is empty. */
static void read_rule_info(struct qs_decoder *d)
{
    if (qs_reader_left(&d->in))
        qs_rows(d, NQ_CONTROL_RULE, NQ_CONTROL_VALUE);
}

QS_ROWS_READER(read_reply, NQ_CONTROL_REPLY, NQ_CONTROL_REPLY)

/* --- Packets --- */

struct control_command {
    uint8_t id;
    const char *name;
    void (*read)(struct qs_decoder *d);
    uint32_t asks, answers; /* sets of QS_ASK_ bits */
};

/* clang-format off */
static const struct control_command commands[] = {
#define CONTROL(id, number, name, read, asks, answers) {number, name, read, asks, answers},
#include "common/quake/messages.def"
};
/* clang-format on */

static const struct control_command *find_command(uint8_t id)
{
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
        if (commands[i].id == id)
            return &commands[i];
    return NULL;
}

static void read_command(struct qs_decoder *d)
{
    const uint32_t start = d->in.pos;
    const uint8_t id = qs_u8(d, NQ_CONTROL);
    const struct control_command *command = find_command(id);

    if (!command) {
        qs_note(d, QS_NOTE_UNKNOWN_MESSAGE, start, 1, "Unknown control command 0x%02x", id);
        return;
    }
    /* The high bit marks replies. */
    qs_learn_direction(d, id & 0x80 ? QS_S2C : QS_C2S);
    qs_label(d, " %s", command->name);
    qs_summary(d, "%s", command->name);
    qs_add_requests(d, command->asks, command->answers);
    command->read(d);
    if (d->in.overrun && d->packet->size >= d->packet->wire_size)
        qs_note(d, QS_NOTE_MALFORMED, start, d->in.pos - start, "%s runs past the end",
                command->name);
}

void nq_read_control(struct qs_decoder *d)
{
    uint32_t word;

    d->found.connectionless = true;
    qs_open(d, NQ_CONTROL_PACKET);
    word = qs_u32be(d, NQ_HEADER_WORD);
    if ((word & NETFLAG_LENGTH_MASK) != d->packet->wire_size)
        qs_note(d, QS_NOTE_UNUSUAL, 0, CONTROL_HEADER_SIZE,
                "The header's length is %u, but the packet has %u bytes: engines drop it",
                word & NETFLAG_LENGTH_MASK, d->packet->wire_size);
    if (qs_reader_left(&d->in))
        read_command(d);
    qs_undecoded(d);
    qs_close(d);
}
