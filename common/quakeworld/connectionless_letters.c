/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connectionless packets that begin with a letter, which their text is glued to: answers of
 * servers, and, without the mark, what goes to masters and comes from them. Source: see
 * connectionless.c.
 */
#include "common/quakeworld/decode.h"
#include "common/quakeworld/connectionless.h"

enum { MASTER_ENTRY_SIZE = 6, PING_ENTRY_SIZE = 8 };

/* --- Behind the mark --- */

/* c and a decimal number, then pairs of key and value for the extensions that the server offers. */
static void read_challenge(struct qs_decoder *d, const struct qw_oob *oob)
{
    const struct qs_view number = qw_oob_line(qw_oob_behind(oob->text, 1));

    qw_oob_of_server(d);
    qs_emit_bytes(d, QW_CHALLENGE, oob->offset + 1, number.size, number);
    d->in.pos = oob->offset + 1 + number.size;
    if (qs_reader_left(&d->in))
        d->in.pos++;
    while (qs_reader_left(&d->in) >= 8)
        fte_read_extension(d);
}

static void read_accept(struct qs_decoder *d, const struct qw_oob *oob)
{
    (void)oob;
    qw_oob_of_server(d);
    if (!d->probing)
        qw_session_of(d)->connecting = true;
}

static void read_client_command(struct qs_decoder *d, const struct qw_oob *oob)
{
    qw_oob_of_server(d);
    qw_emit_commands(d, qw_oob_string(qw_oob_behind(oob->text, 1)), oob->offset + 1);
}

static void emit_player_token(struct qs_decoder *d, unsigned id, uint32_t offset,
                              const struct qs_token *token)
{
    int64_t number = 0;

    if (d->protocol->fields[id].type == QS_TEXT)
        qs_emit_bytes(d, id, offset + token->offset, token->length, token->text);
    else if (qs_view_number(token->text, &number) &&
             qs_type_holds(d->protocol->fields[id].type, number))
        qs_emit_int(d, id, offset + token->offset, token->length, number);
    else
        qs_emit_bytes(d, QW_OOB_ARGUMENT, offset + token->offset, token->length, token->text);
}

/* userid frags minutes ping "name" "skin" topcolor bottomcolor ["team"] */
static void read_status_player(struct qs_decoder *d, struct qs_view line, uint32_t offset)
{
    static const unsigned columns[] = {
        QW_STATUS_USERID, QW_STATUS_FRAGS,    QW_STATUS_MINUTES,     QW_STATUS_PING, QW_STATUS_NAME,
        QW_STATUS_SKIN,   QW_STATUS_TOPCOLOR, QW_STATUS_BOTTOMCOLOR, QW_STATUS_TEAM,
    };
    struct qs_token token;
    uint32_t pos = 0;

    qs_open_at(d, QW_STATUS_PLAYER, offset);
    qs_label_text(d, ": ", line, "");
    for (unsigned i = 0; i < G_N_ELEMENTS(columns) && qs_token_next(line, &pos, &token); i++)
        emit_player_token(d, columns[i], offset, &token);
    while (qs_token_next(line, &pos, &token))
        qs_emit_bytes(d, QW_OOB_ARGUMENT, offset + token.offset, token.length, token.text);
    qs_close_at(d, offset + line.size);
}

/* The reply to status is a print: rules as an info string, then a line for each player. */
static void read_status_reply(struct qs_decoder *d, struct qs_view text, uint32_t offset)
{
    const struct qs_view rules = qw_oob_line(text);
    uint32_t at = rules.size + 1;
    unsigned players = 0;

    qs_emit_bytes(d, QW_STATUS_RULES, offset, rules.size, rules);
    qw_emit_info(d, rules, offset);
    while (at < text.size) {
        const struct qs_view line = qw_oob_line(qw_oob_behind(text, at));

        if (line.size) {
            read_status_player(d, line, offset + at);
            players++;
        }
        at += line.size + 1;
    }
    qs_summary_quote(d, "map", qs_info_value(rules, "map"));
    qs_summary(d, " players %u", players);
}

static void read_print(struct qs_decoder *d, const struct qw_oob *oob)
{
    const struct qs_view text = qw_oob_string(qw_oob_behind(oob->text, 1));

    if (text.size && text.data[0] == '\\') {
        qs_request_narrow(d, QS_ASK_STATUS);
        read_status_reply(d, text, oob->offset + 1);
        return;
    }
    qs_request_narrow(d, ~(uint32_t)QS_ASK_STATUS);
    qs_emit_bytes(d, QW_OOB_TEXT, oob->offset + 1, text.size, text);
}

/* d, a newline, and six bytes for each server: address and port in network order. */
static void read_master_reply(struct qs_decoder *d, const struct qw_oob *oob)
{
    unsigned count = 0;

    qw_oob_of_server(d);
    d->in.pos = oob->offset + 2;
    for (; qs_reader_left(&d->in) >= MASTER_ENTRY_SIZE; count++) {
        qs_open(d, QW_MASTER_SERVER);
        qs_bytes(d, QW_MASTER_ADDRESS, 4);
        qs_u16be(d, QW_MASTER_PORT);
        qs_close(d);
    }
    qs_summary(d, " servers %u", count);
    if (qs_reader_left(&d->in))
        qs_note(d, QS_NOTE_MALFORMED, d->in.pos, qs_reader_left(&d->in),
                "Server list ends within an entry");
}

/* n, then for each server address, port and ping; qwfwd query.c, SVC_QRY_PingStatus. */
static void read_ping_list(struct qs_decoder *d, const struct qw_oob *oob)
{
    unsigned count = 0;

    qw_oob_of_server(d);
    d->in.pos = oob->offset + 1;
    for (; qs_reader_left(&d->in) >= PING_ENTRY_SIZE; count++) {
        qs_open(d, QW_PINGSTATUS_SERVER);
        qs_bytes(d, QW_PINGSTATUS_ADDRESS, 4);
        qs_u16(d, QW_PINGSTATUS_PORT);
        qs_i16(d, QW_PINGSTATUS_PING);
        qs_close(d);
    }
    qs_summary(d, " servers %u", count);
}

/* svc_disconnect as the end of a demo: qwd-format 4.1. */
static void read_disconnect(struct qs_decoder *d, const struct qw_oob *oob)
{
    const struct qs_view text = qw_oob_string(qw_oob_behind(oob->text, 1));

    qs_emit_bytes(d, QW_OOB_TEXT, oob->offset + 1, text.size, text);
    d->session->disconnected = true;
}

static bool is_alone(struct qs_view text)
{
    return text.size == 1 || (text.size == 2 && (text.data[1] == '\n' || text.data[1] == '\0'));
}

static bool is_list(struct qs_view text)
{
    return text.size > 1 && text.data[1] == '\n';
}

/* Pings are short, so that there are zeros among the bytes; texts have one at their end only. */
static bool is_ping_list(struct qs_view text)
{
    return text.size > 1 && (text.size - 1) % PING_ENTRY_SIZE == 0 &&
           qw_oob_string(text).size < text.size - 1;
}

static bool is_any(struct qs_view text)
{
    (void)text;
    return true;
}

/* clang-format off */
static const struct qw_oob_letter {
    uint8_t letter;
    bool (*fits)(struct qs_view text);
    const char *name;
    void (*read)(struct qs_decoder *, const struct qw_oob *); /* or NULL */
    uint32_t asks, answers;                                   /* sets of QS_ASK_ bits */
} letter_commands[] = {
#define OOB_LETTER(letter, fits, name, read, asks, answers) \
    {letter, fits, name, read, asks, answers},
#include "common/quakeworld/messages.def"
};
/* clang-format on */

const struct qw_oob_letter *qw_find_oob_letter(struct qs_view text)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(letter_commands); i++)
        if (text.size && letter_commands[i].letter == text.data[0] && letter_commands[i].fits(text))
            return &letter_commands[i];
    return NULL;
}

void qw_read_oob_letter(struct qs_decoder *d, const struct qw_oob *oob,
                        const struct qw_oob_letter *command)
{
    if (command->name) {
        const struct qs_view letter = {oob->text.data, 1};

        qs_emit_bytes(d, QW_OOB_COMMAND, oob->offset, 1, letter);
        qs_emit_generated_text(d, QW_OOB_NAME, oob->offset, 1, command->name);
        qs_label(d, ": %s", command->name);
        qs_summary(d, "%s", command->name);
    }
    qs_add_requests(d, command->asks, command->answers);
    if (command->read)
        command->read(d, oob);
}

/* --- Texts without the mark --- */

/* a, a newline, its number, a newline, the number of players, a newline. */
static bool is_heartbeat(struct qs_view text)
{
    struct qs_view sequence, players;

    if (text.size < 6 || text.data[0] != 'a' || text.data[1] != '\n')
        return false;
    sequence = qw_oob_line(qw_oob_behind(text, 2));
    if (2 + sequence.size >= text.size)
        return false;
    players = qw_oob_line(qw_oob_behind(text, 2 + sequence.size + 1));
    return qw_oob_is_digits(sequence) && qw_oob_is_digits(players) &&
           2 + sequence.size + 1 + players.size + 1 >= text.size;
}

static void read_heartbeat(struct qs_decoder *d, const struct qw_oob *oob)
{
    const struct qs_view body = qw_oob_behind(oob->text, 2);
    struct qs_token token;
    uint32_t pos = 0;

    if (qs_token_next(body, &pos, &token))
        qw_emit_oob_number(d, QW_HEARTBEAT_SEQUENCE, QW_OOB_ARGUMENT, oob->offset + 2, &token);
    if (qs_token_next(body, &pos, &token))
        qw_emit_oob_number(d, QW_HEARTBEAT_PLAYERS, QW_OOB_ARGUMENT, oob->offset + 2, &token);
}

static bool is_log(struct qs_view text)
{
    return text.size > 7 && memcmp(text.data, "stdlog ", 7) == 0;
}

static void read_log(struct qs_decoder *d, const struct qw_oob *oob)
{
    const struct qs_view text = qw_oob_string(oob->text);

    qs_emit_bytes(d, QW_OOB_COMMAND, oob->offset, 6, (struct qs_view){text.data, 6});
    qs_summary(d, "frag log");
    qs_emit_bytes(d, QW_OOB_TEXT, oob->offset + 7, text.size - 7, qw_oob_behind(text, 7));
}

static void read_master_query(struct qs_decoder *d, const struct qw_oob *oob)
{
    (void)oob;
    qw_oob_of_client(d);
}

/* c, as a rule with a newline and a NUL; masters look at the first byte. */
static bool is_master_query(struct qs_view text)
{
    return is_alone(text) || (text.size == 3 && text.data[1] == '\n' && text.data[2] == '\0');
}

/* clang-format off */
static const struct qw_oob_letter bare_commands[] = {
#define OOB_BARE(letter, fits, name, read, asks, answers) \
    {letter, fits, name, read, asks, answers},
#include "common/quakeworld/messages.def"
};
/* clang-format on */

const struct qw_oob_letter *qw_find_bare_letter(const struct qs_packet *packet)
{
    const struct qs_view text = {packet->data, packet->size};

    /* Every packet of a game passes here. */
    if (!text.size || !g_ascii_isalpha(text.data[0]))
        return NULL;
    for (unsigned i = 0; i < G_N_ELEMENTS(bare_commands); i++)
        if (bare_commands[i].letter == text.data[0] && bare_commands[i].fits(text))
            return &bare_commands[i];
    return NULL;
}
