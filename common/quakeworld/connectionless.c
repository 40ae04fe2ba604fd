/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connectionless packets: the mark ff ff ff ff, then a command. From clients it is a word, from
 * servers as a rule a single letter with its text glued on; the text ends with a newline, a NUL or
 * the packet. Some replies and all that servers send to masters lack the mark. Source: qwd-format,
 * section 4; qw28-protocol, "Connection Handshake" and "Master Server Protocol"; PROTOCOL.md,
 * section 1.
 */

#include "common/core/trial.h"
#include "common/quakeworld/decode.h"
#include "common/quakeworld/extensions.h"
#include "common/quakeworld/messages.h"

enum {
    MARK_SIZE = 4,
    MASTER_ENTRY_SIZE = 6,
    PING_ENTRY_SIZE = 8,
    FRAGMENT_MTU_MIN = 64 /* servers take a smaller one for none */
};

/* The text of the packet, and its location. */
struct oob {
    struct qs_view text; /* all of it, with its end mark */
    uint32_t offset;     /* of the text in the packet */
};

/* The text up to the first newline or NUL. */
static struct qs_view first_line(struct qs_view text)
{
    for (uint32_t i = 0; i < text.size; i++)
        if (text.data[i] == '\n' || text.data[i] == '\0')
            return (struct qs_view){text.data, i};
    return text;
}

/* The text up to its NUL. */
static struct qs_view until_nul(struct qs_view text)
{
    const uint8_t *nul = text.size ? memchr(text.data, 0, text.size) : NULL;

    return nul ? (struct qs_view){text.data, (uint32_t)(nul - text.data)} : text;
}

static struct qs_view behind(struct qs_view text, uint32_t count)
{
    return (struct qs_view){text.data + count, text.size - count};
}

static void emit_token(struct qs_decoder *d, unsigned id, const struct oob *oob,
                       const struct qs_token *token)
{
    qs_emit_bytes(d, id, oob->offset + token->offset, token->length, token->text);
}

static void emit_number(struct qs_decoder *d, unsigned id, unsigned text_id, uint32_t offset,
                        const struct qs_token *token)
{
    int64_t number;

    if (qs_view_number_within(token->text, INT32_MIN, UINT32_MAX, &number) &&
        qs_type_holds(d->protocol->fields[id].type, (uint32_t)number))
        qs_emit_uint(d, id, offset + token->offset, token->length, (uint32_t)number);
    else
        qs_emit_bytes(d, text_id, offset + token->offset, token->length, token->text);
}

/* --- From clients: words --- */

static void read_arguments(struct qs_decoder *d, const struct oob *oob, struct qs_view line,
                           uint32_t pos)
{
    struct qs_token word;

    while (qs_token_next(line, &pos, &word))
        emit_token(d, QW_OOB_ARGUMENT, oob, &word);
}

static void learn_client(struct qs_decoder *d)
{
    if (!d->probing)
        qs_learn_direction(d, QS_C2S);
}

static void learn_server(struct qs_decoder *d)
{
    if (!d->probing)
        qs_learn_direction(d, QS_S2C);
}

/* What a line of connect asks of the netchan's headers; fteqw sv_main.c SVC_DirectConnect. */
static void ask_for_netchan(struct qw_netchan_format *asked, uint32_t key, uint32_t value)
{
    if (key == EXTENSION_FTE2)
        asked->stunaware = value & FTE2_STUNAWARE;
    else if (key == EXTENSION_FRAG)
        asked->fragments = value >= FRAGMENT_MTU_MIN;
    else if (key == EXTENSION_HUFF)
        asked->huffman = true;
}

/* "0x58455446 0x2140f000": an extension that the client asks for. */
static void read_connect_extension(struct qs_decoder *d, struct qs_view line, uint32_t offset)
{
    struct qs_token key, value;
    struct fte_extension extension;
    uint32_t pos = 0;

    if (!qs_token_next(line, &pos, &key) || !qs_token_next(line, &pos, &value))
        return;
    extension = fte_emit_extension_words(d, &key, &value, offset);
    ask_for_netchan(&qw_session(d)->asked, extension.key, extension.value);
    if (extension.key == EXTENSION_FTE2)
        qw_session(d)->asked_fte2 = extension.value;
}

static void read_connect_extensions(struct qs_decoder *d, struct qs_view rest, uint32_t offset)
{
    while (rest.size) {
        const struct qs_view line = first_line(rest);
        const uint32_t step = line.size < rest.size ? line.size + 1 : line.size;

        read_connect_extension(d, line, offset);
        rest = behind(rest, step);
        offset += step;
    }
}

static void read_connect_userinfo(struct qs_decoder *d, const struct oob *oob,
                                  const struct qs_token *word)
{
    emit_token(d, QW_CONNECT_USERINFO, oob, word);
    qw_emit_info(d, word->text,
                 oob->offset + word->offset + (word->text.size < word->length ? 1 : 0));
    qs_add_userinfo_secret(d, QW_CONNECT_USERINFO, word->text);
    qs_table_set(&qw_session(d)->texts, QW_TEXT_CONNECT_USERINFO, word->text);
    qs_summary_quote(d, "name", qs_info_value(word->text, "name"));
}

/* connect VERSION QPORT CHALLENGE "USERINFO", then a line for each protocol extension. */
static void read_connect(struct qs_decoder *d, const struct oob *oob, struct qs_view line,
                         uint32_t pos)
{
    struct qs_token word;

    learn_client(d);
    d->handshake = true;
    qw_session(d)->asked = (struct qw_netchan_format){.known = true};
    qw_session(d)->asked_fte2 = 0;
    if (qs_token_next(line, &pos, &word))
        emit_number(d, QW_CONNECT_VERSION, QW_OOB_ARGUMENT, oob->offset, &word);
    if (qs_token_next(line, &pos, &word))
        emit_number(d, QW_CONNECT_QPORT, QW_OOB_ARGUMENT, oob->offset, &word);
    if (qs_token_next(line, &pos, &word))
        emit_token(d, QW_CONNECT_CHALLENGE, oob, &word);
    if (qs_token_next(line, &pos, &word))
        read_connect_userinfo(d, oob, &word);
    read_arguments(d, oob, line, pos);
    if (line.size < oob->text.size)
        read_connect_extensions(d, behind(oob->text, line.size + 1), oob->offset + line.size + 1);
}

static void read_query(struct qs_decoder *d, const struct oob *oob, struct qs_view line,
                       uint32_t pos)
{
    learn_client(d);
    read_arguments(d, oob, line, pos);
}

static void read_getchallenge(struct qs_decoder *d, const struct oob *oob, struct qs_view line,
                              uint32_t pos)
{
    d->handshake = true;
    read_query(d, oob, line, pos);
}

static void read_status(struct qs_decoder *d, const struct oob *oob, struct qs_view line,
                        uint32_t pos)
{
    struct qs_token word;

    learn_client(d);
    if (qs_token_next(line, &pos, &word))
        emit_token(d, QW_STATUS_FLAGS, oob, &word);
    read_arguments(d, oob, line, pos);
}

static void read_rcon_password(struct qs_decoder *d, const struct oob *oob,
                               const struct qs_token *password)
{
    emit_token(d, QW_RCON_PASSWORD, oob, password);
    qs_add_secret(d, QW_RCON_PASSWORD, "rcon", (struct qs_view){0});
}

static void read_rcon(struct qs_decoder *d, const struct oob *oob, struct qs_view line,
                      uint32_t pos)
{
    struct qs_token word;

    learn_client(d);
    if (qs_token_next(line, &pos, &word))
        read_rcon_password(d, oob, &word);
    while (pos < line.size && line.data[pos] == ' ')
        pos++;
    if (pos < line.size)
        qs_emit_bytes(d, QW_RCON_COMMAND, oob->offset + pos, line.size - pos, behind(line, pos));
}

/* "broadcast" and an info string that reaches to the newline, from server to server; mvdsv
 * sv_broadcast.c, SV_BroadcastSend, SVC_Broadcast. */
static void read_broadcast(struct qs_decoder *d, const struct oob *oob, struct qs_view line,
                           uint32_t pos)
{
    while (pos < line.size && line.data[pos] == ' ')
        pos++;
    qs_emit_bytes(d, QW_BROADCAST, oob->offset + pos, line.size - pos, behind(line, pos));
    qw_emit_info(d, behind(line, pos), oob->offset + pos);
    qs_summary_quote(d, "", qs_info_value(behind(line, pos), "message"));
}

/* What qwfwd answers to clients of other games: qwfwd svc.c, SVC_GetChallenge, SVC_DirectConnect.
 */
static void read_response(struct qs_decoder *d, const struct oob *oob, struct qs_view line,
                          uint32_t pos)
{
    learn_server(d);
    d->handshake = true;
    read_arguments(d, oob, line, pos);
}

/* clang-format off */
static const struct word_command {
    const char *name;
    void (*read)(struct qs_decoder *, const struct oob *, struct qs_view line, uint32_t pos);
    uint32_t asks, answers; /* sets of QS_ASK_ bits */
} word_commands[] = {
#define OOB(name, read, asks, answers) {name, read, asks, answers},
#include "common/quakeworld/messages.def"
};
/* clang-format on */

static const struct word_command *find_word(struct qs_view name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(word_commands); i++)
        if (qs_view_equal(name, word_commands[i].name))
            return &word_commands[i];
    return NULL;
}

/* --- From servers: letters --- */

/* c and a decimal number, then pairs of key and value for the extensions that the server offers. */
static void read_challenge(struct qs_decoder *d, const struct oob *oob)
{
    const struct qs_view number = first_line(behind(oob->text, 1));

    learn_server(d);
    d->handshake = true;
    qs_emit_bytes(d, QW_CHALLENGE, oob->offset + 1, number.size, number);
    d->in.pos = oob->offset + 1 + number.size;
    if (qs_reader_left(&d->in))
        d->in.pos++;
    while (qs_reader_left(&d->in) >= 8)
        fte_read_extension(d);
}

static void read_accept(struct qs_decoder *d, const struct oob *oob)
{
    (void)oob;
    learn_server(d);
    d->handshake = true;
    if (!d->probing)
        qw_session(d)->connecting = true;
}

static void read_client_command(struct qs_decoder *d, const struct oob *oob)
{
    learn_server(d);
    qw_emit_commands(d, until_nul(behind(oob->text, 1)), oob->offset + 1);
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
    const struct qs_view rules = first_line(text);
    uint32_t at = rules.size + 1;
    unsigned players = 0;

    qs_emit_bytes(d, QW_STATUS_RULES, offset, rules.size, rules);
    qw_emit_info(d, rules, offset);
    while (at < text.size) {
        const struct qs_view line = first_line(behind(text, at));

        if (line.size) {
            read_status_player(d, line, offset + at);
            players++;
        }
        at += line.size + 1;
    }
    qs_summary_quote(d, "map", qs_info_value(rules, "map"));
    qs_summary(d, " players %u", players);
}

static void read_print(struct qs_decoder *d, const struct oob *oob)
{
    const struct qs_view text = until_nul(behind(oob->text, 1));

    if (text.size && text.data[0] == '\\') {
        qs_exchange_narrow(d, QS_ASK_STATUS);
        read_status_reply(d, text, oob->offset + 1);
        return;
    }
    qs_exchange_narrow(d, ~(uint32_t)QS_ASK_STATUS);
    qs_emit_bytes(d, QW_PRINT_TEXT, oob->offset + 1, text.size, text);
}

/* d, a newline, and six bytes for each server: address and port in network order. */
static void read_master_reply(struct qs_decoder *d, const struct oob *oob)
{
    unsigned count = 0;

    learn_server(d);
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
static void read_ping_list(struct qs_decoder *d, const struct oob *oob)
{
    unsigned count = 0;

    learn_server(d);
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
static void read_disconnect(struct qs_decoder *d, const struct oob *oob)
{
    const struct qs_view text = until_nul(behind(oob->text, 1));

    qs_emit_bytes(d, QW_PRINT_TEXT, oob->offset + 1, text.size, text);
    d->session->disconnected = true;
}

static bool is_alone(struct qs_view text)
{
    return text.size == 1 || (text.size == 2 && (text.data[1] == '\n' || text.data[1] == '\0'));
}

static bool begins_number(struct qs_view text)
{
    return text.size > 1 &&
           (g_ascii_isdigit(text.data[1]) || text.data[1] == '-' || text.data[1] == ' ');
}

static bool is_list(struct qs_view text)
{
    return text.size > 1 && text.data[1] == '\n';
}

/* Pings are short, so that there are zeros among the bytes; texts have one at their end only. */
static bool is_ping_list(struct qs_view text)
{
    return text.size > 1 && (text.size - 1) % PING_ENTRY_SIZE == 0 &&
           until_nul(text).size < text.size - 1;
}

static bool is_any(struct qs_view text)
{
    (void)text;
    return true;
}

/* clang-format off */
static const struct letter_command {
    uint8_t letter;
    bool (*fits)(struct qs_view text);
    const char *name;
    void (*read)(struct qs_decoder *, const struct oob *); /* or NULL */
    uint32_t asks, answers;                                /* sets of QS_ASK_ bits */
} letter_commands[] = {
#define OOB_LETTER(letter, fits, name, read, asks, answers) \
    {letter, fits, name, read, asks, answers},
#include "common/quakeworld/messages.def"
};
/* clang-format on */

static const struct letter_command *find_letter(struct qs_view text)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(letter_commands); i++)
        if (text.size && letter_commands[i].letter == text.data[0] && letter_commands[i].fits(text))
            return &letter_commands[i];
    return NULL;
}

static void emit_letter(struct qs_decoder *d, const struct oob *oob, const char *name)
{
    const struct qs_view letter = {oob->text.data, 1};

    qs_emit_bytes(d, QW_OOB_COMMAND, oob->offset, 1, letter);
    qs_emit_generated_text(d, QW_OOB_NAME, oob->offset, 1, name);
    qs_label(d, ": %s", name);
    qs_summary(d, "%s", name);
}

static void read_letter(struct qs_decoder *d, const struct oob *oob,
                        const struct letter_command *command)
{
    if (command->name)
        emit_letter(d, oob, command->name);
    qs_exchange(d, command->asks, command->answers);
    if (command->read)
        command->read(d, oob);
}

/* --- Chunks of FTE's downloads --- */

static const char chunk_word[] = "n\\chunk";

static bool is_chunk(struct qs_view text)
{
    const uint32_t length = sizeof chunk_word - 1;

    return text.size > length && memcmp(text.data, chunk_word, length) == 0;
}

/* n\chunk, the number of the transfer, then svc_download; ezquake CL_Parse_OOB_ChunkedDownload. */
static void read_chunk(struct qs_decoder *d, const struct oob *oob)
{
    const struct qs_view word = {oob->text.data, sizeof chunk_word - 1};

    qs_emit_bytes(d, QW_OOB_COMMAND, oob->offset, word.size, word);
    qs_summary(d, "chunk");
    d->in.pos = oob->offset + word.size;
    qs_u32(d, QW_CHUNK_TRANSFER);
    qw_apply_extensions(d);
    qs_read_messages(d, QW_SVC, qw_server_message);
}

/* --- The packet --- */

static void read_word(struct qs_decoder *d, const struct oob *oob)
{
    const struct qs_view line = first_line(oob->text);
    const struct word_command *command;
    struct qs_token name;
    uint32_t pos = 0;

    if (!qs_token_next(line, &pos, &name)) {
        qs_summary(d, "empty");
        return;
    }
    command = find_word(name.text);
    emit_token(d, QW_OOB_COMMAND, oob, &name);
    qs_label_text(d, ": ", name.text, "");
    qs_summary_text(d, "", name.text, "");
    if (command) {
        qs_exchange(d, command->asks, command->answers);
        command->read(d, oob, line, pos);
        return;
    }
    read_arguments(d, oob, line, pos);
    qs_note(d, QS_NOTE_UNUSUAL, oob->offset + name.offset, name.length,
            "Not a connectionless command that is known");
}

static bool begins_with_word(struct qs_view text)
{
    struct qs_token name;
    uint32_t pos = 0;

    return qs_token_next(first_line(text), &pos, &name) && find_word(name.text);
}

static void read_text(struct qs_decoder *d)
{
    struct oob oob = {.offset = d->in.pos};
    const struct letter_command *letter;
    bool word;

    oob.text = (struct qs_view){d->in.data + oob.offset, qs_reader_left(&d->in)};
    letter = find_letter(oob.text);
    word = begins_with_word(oob.text);
    if (is_chunk(oob.text))
        read_chunk(d, &oob);
    else if (letter && !word)
        read_letter(d, &oob, letter);
    else
        read_word(d, &oob);
}

/* Only the end mark of the text is left, which no field covers. */
static void finish(struct qs_decoder *d)
{
    d->in.pos = d->in.size;
}

bool qw_is_connectionless(const struct qs_decoder *d)
{
    return d->in.size > 4 && qs_le32(d->in.data) == UINT32_MAX;
}

void qw_decode_connectionless(struct qs_decoder *d)
{
    d->connectionless = true;
    qs_open(d, QW_OOB);
    qs_u32(d, QW_OOB_MARK);
    read_text(d);
    finish(d);
    qs_close(d);
}

/* --- Texts without the mark --- */

static bool is_digits(struct qs_view text)
{
    for (uint32_t i = 0; i < text.size; i++)
        if (!g_ascii_isdigit(text.data[i]))
            return false;
    return text.size > 0;
}

/* a, a newline, its number, a newline, the number of players, a newline. */
static bool is_heartbeat(struct qs_view text)
{
    struct qs_view sequence, players;

    if (text.size < 6 || text.data[0] != 'a' || text.data[1] != '\n')
        return false;
    sequence = first_line(behind(text, 2));
    if (2 + sequence.size >= text.size)
        return false;
    players = first_line(behind(text, 2 + sequence.size + 1));
    return is_digits(sequence) && is_digits(players) &&
           2 + sequence.size + 1 + players.size + 1 >= text.size;
}

static void read_heartbeat(struct qs_decoder *d, const struct oob *oob)
{
    const struct qs_view body = behind(oob->text, 2);
    struct qs_token token;
    uint32_t pos = 0;

    if (qs_token_next(body, &pos, &token))
        emit_number(d, QW_HEARTBEAT_SEQUENCE, QW_OOB_ARGUMENT, oob->offset + 2, &token);
    if (qs_token_next(body, &pos, &token))
        emit_number(d, QW_HEARTBEAT_PLAYERS, QW_OOB_ARGUMENT, oob->offset + 2, &token);
}

static bool is_log(struct qs_view text)
{
    return text.size > 7 && memcmp(text.data, "stdlog ", 7) == 0;
}

static void read_log(struct qs_decoder *d, const struct oob *oob)
{
    const struct qs_view text = until_nul(oob->text);

    qs_emit_bytes(d, QW_OOB_COMMAND, oob->offset, 6, (struct qs_view){text.data, 6});
    qs_summary(d, "frag log");
    qs_emit_bytes(d, QW_PRINT_TEXT, oob->offset + 7, text.size - 7, behind(text, 7));
}

static void read_master_query(struct qs_decoder *d, const struct oob *oob)
{
    (void)oob;
    learn_client(d);
}

/* c, as a rule with a newline and a NUL; masters look at the first byte. */
static bool is_master_query(struct qs_view text)
{
    return is_alone(text) || (text.size == 3 && text.data[1] == '\n' && text.data[2] == '\0');
}

/* clang-format off */
static const struct letter_command bare_commands[] = {
#define OOB_BARE(letter, fits, name, read, asks, answers) \
    {letter, fits, name, read, asks, answers},
#include "common/quakeworld/messages.def"
};
/* clang-format on */

static const struct letter_command *find_bare(const struct qs_packet *packet)
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

/*
 * FTE's client asks in Quake's protocol too, on the same port: a control packet with its own length
 * and the game's name; PROTOCOL.md, section 1.
 */
static bool is_quake_request(const struct qs_packet *packet)
{
    static const uint8_t name[] = {0x01, 'Q', 'U', 'A', 'K', 'E', 0};

    return packet->size >= 4 + sizeof name && qs_be16(packet->data) == 0x8000 &&
           qs_be16(packet->data + 2) == packet->wire_size &&
           memcmp(packet->data + 4, name, sizeof name) == 0;
}

bool qw_is_bare_text(const struct qs_packet *packet)
{
    return packet->size < 8 || find_bare(packet) || is_quake_request(packet);
}

void qw_decode_bare_text(struct qs_decoder *d)
{
    const struct letter_command *command = find_bare(d->packet);
    const struct oob oob = {{d->in.data, d->in.size}, 0};

    d->connectionless = true;
    if (is_quake_request(d->packet)) {
        qs_summary(d, "Quake connection request");
        qs_bytes(d, QW_QUAKE_REQUEST, d->in.size);
        return;
    }
    if (!command) {
        qs_note(d, QS_NOTE_UNUSUAL, 0, d->in.size, "Runt packet: engines ignore it");
        qs_summary(d, "runt");
        qs_bytes(d, QW_RUNT, d->in.size);
        return;
    }
    qs_open(d, QW_OOB);
    read_letter(d, &oob, command);
    finish(d);
    qs_close(d);
}

/* --- Recognition --- */

static bool begins(struct qs_view text, const char *word)
{
    const uint32_t length = (uint32_t)strlen(word);

    return text.size >= length && memcmp(text.data, word, length) == 0;
}

static bool is_connect(struct qs_view text)
{
    return begins(text, "connect 24 ") || begins(text, "connect 25 ") ||
           begins(text, "connect 26 ") || begins(text, "connect 27 ") ||
           begins(text, "connect 28 ");
}

static bool is_challenge(struct qs_view text)
{
    struct qs_view number;

    if (text.data[0] != 'c' || !begins_number(text))
        return false;
    number = first_line(behind(text, 1));
    if (number.size && (number.data[0] == '-' || number.data[0] == ' '))
        number = behind(number, 1);
    return number.size <= 11 && is_digits(number);
}

static bool is_status_reply(struct qs_view text)
{
    return begins(text, "n\\") &&
           (qs_view_contains(text, "\\*version\\") || qs_view_contains(text, "\\*progs\\"));
}

/*
 * Only what no other game sends: Quake II and Quake III share the mark, getchallenge, status and
 * rcon. connect is QuakeWorld's by its version, a challenge and a reply to status by their glued
 * letter.
 */
bool qw_recognise(const struct qs_packet *packet)
{
    struct qs_view text;

    if (packet->size <= MARK_SIZE || qs_le32(packet->data) != UINT32_MAX)
        return false;
    text = behind((struct qs_view){packet->data, packet->size}, MARK_SIZE);
    return is_connect(text) || is_challenge(text) || is_status_reply(text);
}

static bool is_known_text(struct qs_view text)
{
    return is_chunk(text) || find_letter(text) || begins_with_word(text);
}

/* A server numbers its packets as the client does, whom it answers: mvdsv sv_user.c,
 * SV_ExecuteClientMessage. FTE's STUNAWARE has the other byte order. */
static bool may_be_game(const struct qs_packet *packet)
{
    return (qs_may_begin_with_numbers(packet, qs_le32, 1) ||
            qs_may_begin_with_numbers(packet, qs_be32, 1)) &&
           qs_may_be_read(&qw_protocol, packet);
}

/* Source's A2S queries, and much else, have the mark, too. */
bool qw_is_foreign(const struct qs_packet *packet)
{
    if (packet->size > MARK_SIZE && qs_le32(packet->data) == UINT32_MAX)
        return !is_known_text(behind((struct qs_view){packet->data, packet->size}, MARK_SIZE));
    return !find_bare(packet) && !is_quake_request(packet) && !may_be_game(packet);
}
